"""The task of the fine-tuning experiment: model and split examples of one scope, its losses, and its parameters."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from proofs_numeric.experiments.finetune_settings import BIAS
from proofs_numeric.tuning import downloads
from proofs_numeric.tuning.backend import Tensor, nn, torch
from proofs_numeric.tuning.backend import functional as F
from proofs_numeric.tuning.faults import TuningFault
from proofs_numeric.tuning.models import (
    WEIGHTS,
    Classifier,
    PooledHead,
    mean_embedding,
    read_config,
    read_encoder,
    read_prompt_head,
    read_weights,
    restrict,
)
from proofs_numeric.tuning.text import Corpus, Example, Tokens, movie_corpus, read_corpus

AT_ONCE = 50  # sentences of one pass without training; part of what decides the last digits
POOL = 4  # the seeds' training sets are drawn from at most this many times their size


@dataclass(frozen=True)
class TaskSpec:
    """What decides the task; its files are told by their content. Empty ``data`` is the movie sentences."""

    model: str
    data: str
    template: str
    words: tuple[str, ...]
    train: int
    validation: int
    test: int
    max_tokens: int
    scale: float
    seed: int
    fingerprint: str = ""  # SHA-256 of the model and of the examples


@dataclass(frozen=True)
class Split:
    """Examples by use: the training set of each seed is drawn from ``pool``."""

    pool: tuple[Example, ...]
    validation: tuple[Example, ...]
    test: tuple[Example, ...]


def corpus(data: str) -> Corpus:
    """The examples of a folder, or the movie sentences."""
    if data:
        return read_corpus(Path(data))
    return movie_corpus(downloads.required(downloads.movies(), "the movie sentences", downloads.MOVIES))


def fingerprint(model: Path, examples: Corpus) -> str:
    """SHA-256 of the weights and the examples."""
    try:
        weights = hashlib.sha256((model / WEIGHTS).read_bytes()).hexdigest()
    except OSError as error:
        raise TuningFault(
            f"--model: {model / WEIGHTS} cannot be read ({error.strerror}); give another folder"
        ) from None
    return hashlib.sha256(f"{weights}|{examples.sha256}".encode()).hexdigest()


def split(examples: Corpus, tokens: Tokens, spec: TaskSpec) -> Split:
    """A random split, the same for all seeds; raises TuningFault where there are too few examples."""
    rng = np.random.default_rng([spec.seed, 0])

    def shuffled(given: Sequence[Example]) -> list[Example]:
        return [given[k] for k in rng.permutation(len(given))]

    train, validation, test = examples.train, list(examples.validation), list(examples.test)
    if not spec.data:  # no split of their own, and only the short ones
        train = tuple(e for e, n in zip(train, tokens.lengths(train), strict=True) if n <= spec.max_tokens)
    rest = shuffled(train)
    if not test:
        test, rest = rest[: spec.test], rest[spec.test :]
    if not validation:
        validation, rest = rest[: spec.validation], rest[spec.validation :]
    test = shuffled(test)[: spec.test]
    validation = shuffled(validation)[: spec.validation]
    for flag, wanted, found in (("train", spec.train, rest), ("validation", spec.validation, validation)):
        if len(found) < wanted:
            raise TuningFault(
                f"--{flag}: {wanted} examples are wanted and {len(found)} are there besides the others; give fewer"
            )
    return Split(tuple(rest[: POOL * spec.train]), tuple(validation), tuple(test))


class Task:
    """Model, examples and losses of one scope. Rows number the examples: pool, validation, test, in this order."""

    def __init__(self, spec: TaskSpec, scope: str) -> None:
        folder, examples = Path(spec.model), corpus(spec.data)
        config = read_config(folder)
        if spec.max_tokens > config.longest:
            raise TuningFault(f"--max-tokens: {spec.max_tokens} is above the model's {config.longest}; give fewer")
        tokens = Tokens(folder, config)
        parts = split(examples, tokens, spec)
        everything = (*parts.pool, *parts.validation, *parts.test)
        names = spec.words or examples.classes
        if len(names) != len(examples.classes):
            raise TuningFault(
                f"--words: {len(names)} given for the classes {', '.join(examples.classes)}; give one for each"
            )
        weights = read_weights(folder)
        encoder = read_encoder(folder, weights)
        if spec.template:
            head = read_prompt_head(folder, weights, [tokens.word(name) for name in names])
        else:
            named = tokens.batch([Example((name,), 0) for name in names], spec.max_tokens)
            with torch.no_grad():
                head = PooledHead(mean_embedding(encoder(named.ids, named.types, named.mask), named.mask), spec.scale)
        self.model = Classifier(encoder, head)
        self.batch = restrict(self.model, tokens.batch(everything, spec.max_tokens, spec.template))
        self.labels = torch.tensor([e.label for e in everything])
        ends = np.cumsum([len(parts.pool), len(parts.validation), len(parts.test)])
        self.pool, self.validation, self.test = (
            torch.arange(low, high) for low, high in zip((0, *ends[:-1]), ends, strict=True)
        )
        self.scope, self.spec = scope, spec
        self.stems = self._stems() if scope == BIAS else None
        self.start = [p.detach().clone() for p in self.parameters]
        self.at_start = self.measure(self.validation)  #: the same for every run

    @property
    def parameters(self) -> list[nn.Parameter]:
        """What is trained."""
        return self.model.last_biases() if self.scope == BIAS else list(self.model.parameters())

    @property
    def d(self) -> int:
        """The number of trained parameters."""
        return sum(p.numel() for p in self.parameters)

    @torch.no_grad()
    def reset(self) -> None:
        """Back to the pretrained model."""
        for parameter, value in zip(self.parameters, self.start, strict=True):
            parameter.copy_(value)

    def training_rows(self, seed: int) -> Tensor:
        """The training set of a seed."""
        chosen = np.random.default_rng([self.spec.seed, 1, seed]).permutation(len(self.pool))[: self.spec.train]
        return self.pool[torch.from_numpy(chosen)]

    @torch.no_grad()
    def _stems(self) -> Tensor:
        """What enters the last layer, once for all: nothing below it moves and there is no dropout."""
        rows = torch.arange(len(self.batch))
        L = self.batch.ids.shape[1]
        parts = []
        for some in rows.split(AT_ONCE):
            h = self.model.stem(self.batch.take(some))
            parts.append(F.pad(h, (0, 0, 0, L - h.shape[1])))
        return torch.cat(parts)

    def example_losses(self, rows: Tensor) -> Tensor:
        """Cross-entropy of each example."""
        return F.cross_entropy(self._logits(rows), self.labels[rows], reduction="none")

    def _logits(self, rows: Tensor) -> Tensor:
        batch = self.batch.take(rows)
        if self.stems is None:
            return self.model(batch)
        return self.model.tail(self.stems[rows][:, : batch.ids.shape[1]], batch)

    @torch.no_grad()
    def measure(self, rows: Tensor) -> tuple[float, float]:
        """(mean cross-entropy, accuracy)."""
        logits = torch.cat([self._logits(some) for some in rows.split(AT_ONCE)])
        labels = self.labels[rows]
        accuracy = (logits.argmax(1) == labels).double().mean()
        return float(F.cross_entropy(logits.double(), labels)), float(accuracy)

    def gradient(self, rows: Tensor) -> list[Tensor]:
        """The gradient of the mean cross-entropy in the trained parameters, by backpropagation."""
        total = [torch.zeros_like(p) for p in self.parameters]
        for some in rows.split(AT_ONCE):
            loss = self.example_losses(some).sum() / len(rows)
            parts = torch.autograd.grad(loss, self.parameters, allow_unused=True)
            for sum_, part in zip(total, parts, strict=True):
                if part is not None:
                    sum_ += part
        return total


@lru_cache(maxsize=2)
def task(spec: TaskSpec, scope: str) -> Task:
    """The task, built once in a process."""
    return Task(spec, scope)
