"""Labelled sentences and pairs: the movie sentences, or a local folder of train and test files; their token numbers.

A folder holds ``train`` and ``test`` (optionally ``validation``), each .jsonl, .tsv or .csv with named columns: a
label, and one text or two.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofs_numeric.tuning.backend import torch
from proofs_numeric.tuning.faults import TuningFault
from proofs_numeric.tuning.models import Batch, EncoderConfig

LABEL_COLUMNS = ("label", "labels", "coarse_label", "label-coarse", "gold_label")
TEXT_COLUMNS = (
    ("sentence1", "sentence2"),
    ("premise", "hypothesis"),
    ("question1", "question2"),
    ("sentence",),
    ("text",),
)
ENDINGS = ("jsonl", "tsv", "csv")
UNLABELLED = ("-1", "-", "")  # how SNLI marks pairs on which its raters did not agree


@dataclass(frozen=True)
class Example:
    """One text, or two, and the number of its class."""

    texts: tuple[str, ...]
    label: int


@dataclass(frozen=True)
class Corpus:
    """Train, validation and test examples (validation may be empty), and the names of the classes."""

    name: str
    train: tuple[Example, ...]
    validation: tuple[Example, ...]
    test: tuple[Example, ...]
    classes: tuple[str, ...]
    sha256: str


def movie_corpus(path: Path) -> Corpus:
    """Sentences of film reviews, the sign of their mean rating by 20 people as class; a mean of 0 is left out.

    Source: Hutto and Gilbert (2014), data of vaderSentiment, MIT licence. The corpus has no split: all is ``train``.
    """
    raw = path.read_bytes()
    examples = []
    for number, line in enumerate(raw.decode("utf-8").splitlines(), 1):
        try:
            _, rating, text = line.split("\t")
            value = float(rating)
        except ValueError:
            raise TuningFault(f"{path}, line {number}: not ID, mean rating and text; fetch the file again") from None
        if value:
            examples.append(Example((text,), int(value > 0)))
    return Corpus(
        "movie sentences", tuple(examples), (), (), ("negative", "positive"), hashlib.sha256(raw).hexdigest()
    )


def read_corpus(folder: Path) -> Corpus:
    """The examples of a folder. Classes are the sorted distinct labels of its train file, in the order of numbers
    where all are whole numbers."""
    rows = {part: list(_rows(folder, part)) for part in ("train", "validation", "test")}
    for part in ("train", "test"):
        if not rows[part]:
            raise TuningFault(
                f"--data: {folder} has no labelled {part} examples; give a folder with {part}.jsonl, {part}.tsv or "
                f"{part}.csv, columns label and text (or sentence1 and sentence2)"
            )
    numbers = all(label.isdecimal() for _, label in rows["train"])
    classes = sorted({label for _, label in rows["train"]}, key=int if numbers else str)
    if len(classes) < 2:
        raise TuningFault(
            f"--data: every train example of {folder} has the label {classes[0]}; two classes are needed"
        )
    place = {label: k for k, label in enumerate(classes)}
    if unknown := next((label for part in rows.values() for _, label in part if label not in place), None):
        raise TuningFault(f"--data: {folder} has the label {unknown!r}, which no train example has; mend the labels")
    digest = hashlib.sha256(repr(rows).encode()).hexdigest()
    found = {part: tuple(Example(texts, place[label]) for texts, label in read) for part, read in rows.items()}
    return Corpus(folder.name, found["train"], found["validation"], found["test"], tuple(classes), digest)


def _rows(folder: Path, part: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """(texts, label as text) of one file; examples without a label are left out."""
    path = next((p for e in ENDINGS if (p := folder / f"{part}.{e}").is_file()), None)
    if path is None:
        return
    for number, record in enumerate(_records(path), 1):
        texts = next((c for c in TEXT_COLUMNS if all(isinstance(record.get(n), str) for n in c)), None)
        label = next((n for n in LABEL_COLUMNS if record.get(n) is not None), None)
        if texts is None or label is None:
            raise TuningFault(
                f"--data: {path}, example {number} has the columns {', '.join(map(str, record)) or 'none'}; name the "
                "label `label` and the text `text`, or `sentence1` and `sentence2`"
            )
        if str(record[label]) not in UNLABELLED:
            yield tuple(record[n] for n in texts), str(record[label])


def _records(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            if path.suffix == ".jsonl":
                for line in stream:
                    if line.strip():
                        record = json.loads(line)
                        if not isinstance(record, dict):
                            raise ValueError(f"{line.strip()[:40]} is not an object")
                        yield record
            elif path.suffix == ".tsv":  # no quoting, as in the task files in circulation
                yield from csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
            else:
                yield from csv.DictReader(stream)
    except (OSError, ValueError, csv.Error) as error:
        raise TuningFault(f"--data: {path} cannot be read ({error}); mend the file") from None


class Tokens:
    """The tokenizer of a model folder, and texts as padded token numbers."""

    def __init__(self, folder: Path, config: EncoderConfig) -> None:
        from tokenizers import Tokenizer

        path = folder / "tokenizer.json"
        try:
            self.tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise TuningFault(
                f"--model: {path} is not a readable tokenizer ({str(error).splitlines()[0]}); give a folder that "
                "holds the tokenizer.json of its model"
            ) from None
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.config = config
        self.mask_token = "<mask>" if config.model_type == "roberta" else "[MASK]"

    def lengths(self, examples: Sequence[Example]) -> list[int]:
        """How many tokens each example has, special ones included."""
        return [len(e.ids) for e in self._encoded([e.texts for e in examples])]

    def _encoded(self, texts: Sequence[tuple[str, ...]]) -> list[Any]:
        return list(self.tokenizer.encode_batch([t if len(t) > 1 else t[0] for t in texts]))

    def word(self, word: str) -> int:
        """The number of a class's word, as it stands within a text; it must be one token."""
        text = " " + word if self.config.model_type == "roberta" else word
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        if len(ids) != 1:
            raise TuningFault(f"--words: {word!r} is {len(ids)} tokens of this model; give a word that is one token")
        return int(ids[0])

    def batch(self, examples: Sequence[Example], longest: int, template: str = "") -> Batch:
        """Examples as token numbers, cut to ``longest``. With a ``template`` such as ``"{0}? {mask}, {1}"`` the texts
        are put in its places, and it is the first text that is cut."""
        texts = [e.texts for e in examples]
        if template:
            texts = [self._filled(template, t, longest) for t in texts]
        rows = self._encoded(texts)
        ids, types = [r.ids[:longest] for r in rows], [r.type_ids[:longest] for r in rows]
        at = [0] * len(rows)
        if template:
            number = self.tokenizer.token_to_id(self.mask_token)
            at = [row.index(number) for row in ids]
        else:  # a text that is cut still ends with its last special token
            for row, whole in zip(ids, rows, strict=True):
                row[-1] = whole.ids[-1]
        L, pad = max(map(len, ids)), self.config.pad_token_id
        return Batch(
            ids=torch.tensor([row + [pad] * (L - len(row)) for row in ids]),
            types=torch.tensor([row + [0] * (L - len(row)) for row in types]),
            mask=torch.tensor([[True] * len(row) + [False] * (L - len(row)) for row in ids]),
            at=torch.tensor(at),
        )

    def _filled(self, template: str, texts: tuple[str, ...], longest: int) -> tuple[str]:
        """The template filled; the first text loses words until all fits."""
        first, rest = texts[0], texts[1:]
        while True:
            try:
                filled = template.format(first, *rest, mask=self.mask_token)
            except (LookupError, ValueError):
                raise TuningFault(
                    f"--template: {template!r} does not fit examples of {len(texts)} texts; write {{0}} and {{1}} for "
                    "the texts and {mask} for the mask"
                ) from None
            encoded = self.tokenizer.encode(filled)
            if encoded.tokens.count(self.mask_token) != 1:
                raise TuningFault(f"--template: {template!r} must give one mask token; write {{mask}} once")
            surplus = len(encoded.ids) - longest
            if surplus <= 0:
                return (filled,)
            words = self.tokenizer.encode(first, add_special_tokens=False)
            if surplus >= len(words.ids):
                raise TuningFault(f"--max-tokens: {longest} leaves no room for the template; give more")
            first = first[: words.offsets[len(words.ids) - surplus - 1][1]]
