"""Small BERT and RoBERTa models in Hugging Face layout whose weights follow a closed formula, and small data sets."""

from __future__ import annotations

import json
import math
from pathlib import Path

GOOD = ["good", "great", "fine", "lovely"]
BAD = ["bad", "awful", "poor", "dull"]
THINGS = ["film", "plot", "acting", "story"]
WORDS = [*GOOD, *BAD, *THINGS, "a", "the", "was", "is", "not", "very", "it", "and", "yes", "no"]
SPECIAL = {
    "bert": ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    "roberta": ("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
}
WIDTH, HIDDEN, LAYERS, HEADS, LONGEST = 16, 32, 2, 4, 24


def config(family: str) -> dict[str, object]:
    vocabulary = len(WORDS) + 5
    return {
        "model_type": family,
        "vocab_size": vocabulary,
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": HIDDEN,
        "max_position_embeddings": LONGEST + (2 if family == "roberta" else 0),
        "type_vocab_size": 2 if family == "bert" else 1,
        "layer_norm_eps": 1e-5,
        "pad_token_id": 1 if family == "roberta" else 0,
        "hidden_act": "gelu",
        "bos_token_id": 0,
        "eos_token_id": 2,
    }


def weights(family: str) -> dict[str, object]:
    """Tensors under the names of Hugging Face's masked language models: entry k of tensor t is a sine of (t, k)."""
    import torch

    c, d = config(family), WIDTH
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (c["vocab_size"], d),
        "embeddings.position_embeddings.weight": (c["max_position_embeddings"], d),
        "embeddings.token_type_embeddings.weight": (c["type_vocab_size"], d),
        "embeddings.LayerNorm.weight": (d,),
        "embeddings.LayerNorm.bias": (d,),
    }
    for n in range(LAYERS):
        for name, out, into in (
            ("attention.self.query", d, d),
            ("attention.self.key", d, d),
            ("attention.self.value", d, d),
            ("attention.output.dense", d, d),
            ("intermediate.dense", HIDDEN, d),
            ("output.dense", d, HIDDEN),
        ):
            shapes |= {f"encoder.layer.{n}.{name}.weight": (out, into), f"encoder.layer.{n}.{name}.bias": (out,)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"encoder.layer.{n}.{name}.{part}": (d,) for part in ("weight", "bias")}
    shapes = {f"{family}.{name}": shape for name, shape in shapes.items()}
    head = "lm_head" if family == "roberta" else "cls.predictions"
    inner = ("dense", "layer_norm") if family == "roberta" else ("transform.dense", "transform.LayerNorm")
    shapes |= {f"{head}.{inner[0]}.weight": (d, d), f"{head}.{inner[0]}.bias": (d,)}
    shapes |= {f"{head}.{inner[1]}.{part}": (d,) for part in ("weight", "bias")}
    shapes[f"{head}.bias"] = (c["vocab_size"],)
    found = {}
    for t, (name, shape) in enumerate(shapes.items()):
        k = torch.arange(math.prod(shape), dtype=torch.float64)
        values = torch.sin(12.9898 * k + 4.1414 * t + 0.1 * k * k % 6.28) * (0.3 if "bias" in name else 0.5)
        if "norm" in name.lower() and name.endswith("weight"):
            values = 1 + values / 2
        found[name] = values.reshape(shape).to(torch.float32)
    return found


def write_model(folder: Path, family: str) -> Path:
    """config.json, model.safetensors and tokenizer.json."""
    from safetensors.torch import save_file
    from tokenizers import AddedToken, Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config(family)), encoding="utf-8")
    save_file(weights(family), folder / "model.safetensors")
    special = SPECIAL[family]
    tokenizer = Tokenizer(WordLevel({w: k for k, w in enumerate((*special, *WORDS))}, unk_token=unknown(family)))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_special_tokens([AddedToken(word, special=True) for word in special])
    first, last = ("[CLS]", "[SEP]") if family == "bert" else ("<s>", "</s>")
    pair = f"{first} $A {last} $B:1 {last}:1" if family == "bert" else f"{first} $A {last} {last} $B {last}"
    ends = [(word, special.index(word)) for word in (first, last)]
    tokenizer.post_processor = TemplateProcessing(single=f"{first} $A {last}", pair=pair, special_tokens=ends)
    tokenizer.enable_truncation(4)  # as in circulation: settings of another use, which must not matter here
    tokenizer.enable_padding(length=20)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def unknown(family: str) -> str:
    return "[UNK]" if family == "bert" else "<unk>"


def sentence(k: int, good: bool) -> str:
    """A sentence about a film; three of ten words tell its class."""
    words = GOOD if good else BAD
    return f"the {THINGS[k % 4]} was {words[k % 4]} and {'very ' * (k % 3)}{words[(k // 4) % 4]}"


def write_data(folder: Path, ending: str = "jsonl", pairs: bool = False, n: int = 60) -> Path:
    """train and test files with the labels 0 and 1, or, for pairs, the labels same and different."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, count in (("train", n), ("test", n // 2)):
        rows = []
        for k in range(count):
            if pairs:
                same = k % 2 == 0
                row = {"sentence1": sentence(k, True), "sentence2": sentence(k + 1, same)}
                rows.append(row | {"label": "same" if same else "different"})
            else:
                rows.append({"text": sentence(k, k % 2 == 0), "label": k % 2})
        names = list(rows[0])
        if ending == "jsonl":
            text = "\n".join(json.dumps(row) for row in rows)
        else:
            mark = "\t" if ending == "tsv" else ","
            text = "\n".join(mark.join(map(str, row)) for row in ([*names], *(row.values() for row in rows)))
        (folder / f"{part}.{ending}").write_text(text + "\n", encoding="utf-8")
    return folder
