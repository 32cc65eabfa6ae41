"""Encoders of the BERT and RoBERTa family with a classification head, read from a local folder in Hugging Face layout.

Written for training by forward passes only: no dropout, and split in a stem (everything below the last layer) and a
tail, so that what a frozen stem computes need be computed once. Needs the extra ``torch``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from proofs_numeric.tuning.backend import Tensor, nn, torch
from proofs_numeric.tuning.backend import functional as F
from proofs_numeric.tuning.faults import TuningFault

CONFIGURATION, WEIGHTS = "config.json", "model.safetensors"


@dataclass(frozen=True)
class EncoderConfig:
    """The entries of ``config.json`` that decide what the encoder computes."""

    model_type: str
    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    type_vocab_size: int
    layer_norm_eps: float
    pad_token_id: int

    @property
    def first_position(self) -> int:
        """Row of the position embeddings of the first token: RoBERTa counts from pad_token_id + 1, BERT from 0."""
        return self.pad_token_id + 1 if self.model_type == "roberta" else 0

    @property
    def longest(self) -> int:
        """The largest number of tokens that has position embeddings."""
        return self.max_position_embeddings - self.first_position


def read_config(folder: Path) -> EncoderConfig:
    """``config.json`` of a model folder; raises TuningFault where it is not a BERT or RoBERTa encoder."""
    path = folder / CONFIGURATION
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        config = EncoderConfig(**{f.name: raw[f.name] for f in fields(EncoderConfig)})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TuningFault(
            f"--model: {path} is not the configuration of an encoder ({_told(error)}); give a folder with "
            "config.json, model.safetensors and tokenizer.json"
        ) from None
    odd = {
        "model_type": config.model_type not in ("bert", "roberta"),
        "hidden_act": raw.get("hidden_act", "gelu") != "gelu",
        "position_embedding_type": raw.get("position_embedding_type", "absolute") != "absolute",
    }
    for name, unknown in odd.items():
        if unknown:
            raise TuningFault(
                f"--model: {path} has {name} = {raw[name]!r}; model_type bert or roberta, hidden_act gelu and "
                "absolute positions are read; give another model"
            )
    return config


def _told(error: Exception) -> str:
    return f"no {error}" if isinstance(error, KeyError) else str(error).splitlines()[0]


class Layer(nn.Module):
    """One transformer layer: attention and feed-forward, each followed by its sum with the input and a layer norm."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        d = config.hidden_size
        self.heads = config.num_attention_heads
        self.query, self.key, self.value, self.attended = (nn.Linear(d, d) for _ in range(4))
        self.widen, self.narrow = nn.Linear(d, config.intermediate_size), nn.Linear(config.intermediate_size, d)
        self.attended_norm, self.norm = (nn.LayerNorm(d, eps=config.layer_norm_eps) for _ in range(2))

    def forward(self, h: Tensor, mask: Tensor) -> Tensor:
        """(B, L, d) -> (B, L, d); ``mask`` (B, L) is true at tokens, false at padding."""
        B, L, d = h.shape
        q, k, v = (f(h).view(B, L, self.heads, -1).transpose(1, 2) for f in (self.query, self.key, self.value))
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        h = self.attended_norm(h + self.attended(a.transpose(1, 2).reshape(B, L, d)))
        return self.norm(h + self.narrow(F.gelu(self.widen(h))))


class Encoder(nn.Module):
    """Token, position and type embeddings, then the layers. No pooler, no dropout."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config, d = config, config.hidden_size
        self.first_position = config.first_position
        self.words = nn.Embedding(config.vocab_size, d)
        self.positions = nn.Embedding(config.max_position_embeddings, d)
        self.types = nn.Embedding(config.type_vocab_size, d)
        self.norm = nn.LayerNorm(d, eps=config.layer_norm_eps)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))

    def embed(self, ids: Tensor, types: Tensor) -> Tensor:
        """(B, L) token and type numbers, padded on the right -> (B, L, d)."""
        place = torch.arange(ids.shape[1]) + self.first_position
        return self.norm(self.words(ids) + self.positions(place) + self.types(types))

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """The states after the last layer, (B, L, d)."""
        h = self.embed(ids, types)
        for layer in self.layers:
            h = layer(h, mask)
        return h


#: a name of the file, less the prefix of its family -> a name here
RENAMED = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"^embeddings\.word_embeddings\.", "words."),
        (r"^embeddings\.position_embeddings\.", "positions."),
        (r"^embeddings\.token_type_embeddings\.", "types."),
        (r"^embeddings\.LayerNorm\.", "norm."),
        (r"^encoder\.layer\.(\d+)\.attention\.self\.", r"layers.\1."),
        (r"^encoder\.layer\.(\d+)\.attention\.output\.dense\.", r"layers.\1.attended."),
        (r"^encoder\.layer\.(\d+)\.attention\.output\.LayerNorm\.", r"layers.\1.attended_norm."),
        (r"^encoder\.layer\.(\d+)\.intermediate\.dense\.", r"layers.\1.widen."),
        (r"^encoder\.layer\.(\d+)\.output\.dense\.", r"layers.\1.narrow."),
        (r"^encoder\.layer\.(\d+)\.output\.LayerNorm\.", r"layers.\1.norm."),
    )
)


def _renamed(name: str, family: str) -> str:
    name = name.removeprefix(family + ".")
    for pattern, here in RENAMED:
        if pattern.match(name):
            return pattern.sub(here, name)
    return name


def read_weights(folder: Path) -> dict[str, Tensor]:
    """The tensors of ``model.safetensors``; the format holds numbers only, so that reading it runs no code."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    path = folder / WEIGHTS
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise TuningFault(
            f"--model: {path} is not a readable file of weights ({_told(error)}); give a folder that holds "
            "model.safetensors (weights in another format are not read: convert them)"
        ) from None


def _fill(module: nn.Module, given: Mapping[str, Tensor], path: Path) -> None:
    """Copy tensors of the same names and shapes; what the file has beyond is left, what it lacks is a fault."""
    wanted = module.state_dict()
    for name, tensor in wanted.items():
        if name not in given or given[name].shape != tensor.shape:
            found = f"shape {tuple(given[name].shape)}" if name in given else "nothing"
            raise TuningFault(
                f"--model: {path / WEIGHTS} has {found} for {name} where {CONFIGURATION} wants {tuple(tensor.shape)}; "
                "give a folder whose files belong together"
            )
    module.load_state_dict({name: given[name].to(torch.float32) for name in wanted})


def read_encoder(folder: Path, weights: Mapping[str, Tensor] | None = None) -> Encoder:
    """The pretrained encoder of a folder, in single precision."""
    encoder = Encoder(config := read_config(folder))
    weights = read_weights(folder) if weights is None else weights
    _fill(encoder, {_renamed(name, config.model_type): tensor for name, tensor in weights.items()}, folder)
    return encoder


def mean_embedding(h: Tensor, mask: Tensor) -> Tensor:
    """Mean of the states over the tokens, of length 1: the sentence embedding for which MiniLM was trained, (B, d)."""
    weight = mask.to(h.dtype)[..., None]
    return F.normalize((h * weight).sum(1) / weight.sum(1), dim=-1)


class PooledHead(nn.Module):
    """logits = W e + b with the sentence embedding e. W starts at ``scale`` times the embeddings of the classes' names
    and b at 0, so that untrained it is the nearest name by cosine: the zero-shot classifier."""

    def __init__(self, names: Tensor, scale: float) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(scale * names), nn.Parameter(torch.zeros(len(names)))

    def forward(self, h: Tensor, mask: Tensor, at: Tensor, words: Tensor) -> Tensor:
        """(B, L, d) -> (B, classes)."""
        return F.linear(mean_embedding(h, mask), self.weight, self.bias)


class PromptHead(nn.Module):
    """Logits of the classes' words at the mask token, by the masked language model's own head (Gao et al. 2021).

    The output embeddings are the rows of the word embeddings, as in the pretrained model, and move with them.
    """

    def __init__(self, config: EncoderConfig, words: Sequence[int]) -> None:
        super().__init__()
        d = config.hidden_size
        self.dense, self.norm = nn.Linear(d, d), nn.LayerNorm(d, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(len(words)))
        self.register_buffer("rows", torch.tensor(list(words)), persistent=False)

    def forward(self, h: Tensor, mask: Tensor, at: Tensor, words: Tensor) -> Tensor:
        """(B, L, d), the place ``at`` (B,) of the mask token, the word embeddings (vocabulary, d) -> (B, classes)."""
        states = self.norm(F.gelu(self.dense(h[torch.arange(len(h)), at])))
        return F.linear(states, words[self.rows], self.bias)


#: of each family, where the dense layer, the layer norm and the bias of its masked language model's head stand
PROMPT_HEADS = {
    "roberta": ("lm_head.dense.", "lm_head.layer_norm.", "lm_head.bias"),
    "bert": ("cls.predictions.transform.dense.", "cls.predictions.transform.LayerNorm.", "cls.predictions.bias"),
}


def read_prompt_head(folder: Path, weights: Mapping[str, Tensor], words: Sequence[int]) -> PromptHead:
    """The masked language model's head of a folder, restricted to the token numbers ``words``."""
    config = read_config(folder)
    head = PromptHead(config, words)
    dense, norm, bias = PROMPT_HEADS[config.model_type]
    given = {name.replace(dense, "dense.").replace(norm, "norm."): tensor for name, tensor in weights.items()}
    if bias in weights:
        given["bias"] = weights[bias][head.rows]
    if missing := sorted(set(head.state_dict()) - set(given)):
        raise TuningFault(
            f"--template: {folder / WEIGHTS} has no masked-language-model head ({missing[0]} is missing); leave "
            "--template out, or give a model that was saved with this head"
        )
    _fill(head, given, folder)
    return head


@dataclass(frozen=True)
class Batch:
    """Sentences as token numbers, padded on the right to the longest of them."""

    ids: Tensor  # (B, L)
    types: Tensor  # (B, L), 0 for the first text of a pair and 1 for the second
    mask: Tensor  # (B, L), true at tokens
    at: Tensor  # (B,), the place of the mask token; 0 without a prompt

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Tensor) -> Batch:
        """Some of the sentences, without the padding that they do not need."""
        L = int(self.mask[rows].sum(1).max())
        return Batch(self.ids[rows, :L], self.types[rows, :L], self.mask[rows, :L], self.at[rows])


class Classifier(nn.Module):
    """Encoder and head. The last layer and the head are the tail: forward(batch) = tail(stem(batch), batch)."""

    def __init__(self, encoder: Encoder, head: PooledHead | PromptHead) -> None:
        super().__init__()
        self.encoder, self.head = encoder, head

    def stem(self, batch: Batch) -> Tensor:
        """The states (B, L, d) that enter the last layer."""
        h = self.encoder.embed(batch.ids, batch.types)
        for layer in self.encoder.layers[:-1]:
            h = layer(h, batch.mask)
        return h

    def tail(self, h: Tensor, batch: Batch) -> Tensor:
        """Logits (B, classes) from the states that enter the last layer."""
        h = self.encoder.layers[-1](h, batch.mask)
        return self.head(h, batch.mask, batch.at, self.encoder.words.weight)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, classes)."""
        return self.tail(self.stem(batch), batch)

    def last_biases(self) -> list[nn.Parameter]:
        """Every bias of the last layer and of the head: the parameters of last-layer-bias tuning."""
        parts = (*self.encoder.layers[-1].named_parameters(), *self.head.named_parameters())
        return [parameter for name, parameter in parts if name.split(".")[-1] == "bias"]


def restrict(model: Classifier, batch: Batch) -> Batch:
    """Drop the word, type and position embeddings that no sentence of ``batch`` uses, and renumber the sentences.

    Exact for training: the loss does not depend on the rows that go, so each difference quotient and each update of
    the rows that stay is the same; without it most of the parameters of a small model would be such rows.
    """
    encoder, head = model.encoder, model.head
    needed = batch.ids if isinstance(head, PooledHead) else torch.cat([batch.ids.flatten(), head.rows])
    words, types = torch.unique(needed), torch.unique(batch.types)
    first, L = encoder.first_position, batch.ids.shape[1]
    for name, rows in (("words", words), ("types", types), ("positions", torch.arange(first, first + L))):
        table: nn.Embedding = getattr(encoder, name)
        setattr(encoder, name, nn.Embedding.from_pretrained(table.weight.detach()[rows], freeze=False))
    encoder.first_position = 0
    if isinstance(head, PromptHead):
        head.rows = torch.searchsorted(words, head.rows)
    return Batch(torch.searchsorted(words, batch.ids), torch.searchsorted(types, batch.types), batch.mask, batch.at)
