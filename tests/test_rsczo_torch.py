"""RSCZO as an optimizer of PyTorch: saving, schedulers, groups, weight decay, refusals, the record of a step."""

from __future__ import annotations

import copy
import io

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason='needs pip install "boundcheck[torch]"')

from rsczo_tools import PARAMETRISATIONS, bits, linear, make, normal, one_thread, rejects, same  # noqa: E402, F401

from proofs_numeric.model.optimizer import ALGORITHM  # noqa: E402
from proofs_numeric.tuning import RSCZO, rsczo  # noqa: E402

pytestmark = pytest.mark.torch


# As an optimizer of PyTorch


def resumes(**options):
    """Saved to a file and loaded by a new optimizer in the middle, the run ends at the same bits."""
    settings = {"M": 2, "tau": 1.0, "beta": 0.7, "M0": 4, "tau0": 2.0, "weight_decay": 0.01, **options}
    whole, parts = ([normal(6, 5, seed=1, dtype=torch.float32), normal(7, seed=2)] for _ in range(2))

    def run(optimizer, parameters, steps):
        for _ in range(steps):
            optimizer.step(lambda: sum((p.double() ** 2).sum() for p in parameters))

    first = make(whole, **settings)
    run(first, whole, 6)
    second = make(parts, **settings)
    run(second, parts, 3)
    file = io.BytesIO()
    torch.save(second.state_dict(), file)
    file.seek(0)
    third = make(parts, lr=7.0, seed=99, check_first=True)
    third.load_state_dict(torch.load(file, weights_only=True))
    assert (third.steps, third.warm, third.settings, third.watch) == (3, True, second.settings, second.watch)
    run(third, parts, 3)
    assert same(bits(whole), bits(parts))
    return third


@PARAMETRISATIONS
def test_a_saved_run_continues_to_the_bit(monkeypatch, parametrisation):
    resumes(parametrisation=parametrisation)
    honest = RSCZO.state_dict

    def without_place(self):
        saved = honest(self)
        return {**saved, "rsczo": {**saved["rsczo"], "seeds": {**saved["rsczo"]["seeds"], "count": 0}}}

    def without_momentum(self):
        return {**honest(self), "state": {}}

    for wrong in (without_place, without_momentum):
        rejects(monkeypatch, lambda: resumes(parametrisation=parametrisation), (RSCZO, "state_dict", wrong))


def test_a_foreign_state_is_refused_and_copies_go_on_alone():
    x = normal(5)
    with pytest.raises(ValueError, match="not saved by RSCZO"):
        make([x]).load_state_dict(torch.optim.SGD([x], lr=0.1).state_dict())
    model = torch.nn.Linear(3, 1)
    model, optimizer = copy.deepcopy((model, make(model.parameters(), M=2)))
    optimizer.step(lambda: model(torch.ones(1, 3)).sum())
    again = copy.deepcopy(optimizer)
    assert (again.steps, again.seeds, again.settings) == (1, optimizer.seeds, optimizer.settings)


def test_learning_rate_schedulers_work():
    x, slope = normal(4, seed=1), normal(4, seed=2)
    optimizer = make([x], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)
    for lr in (1.0, 0.1, 0.01):
        home, closure = x.detach().clone(), linear([x], [slope])
        optimizer.step(closure)
        v = (closure.points[0][0] - home) / 1e-3
        assert torch.allclose(x.detach(), home - lr * optimizer.last.raw[0] * v, rtol=1e-9, atol=1e-10)
        scheduler.step()


def decays():
    """With a constant loss only weight decay acts: x (1 - lr lambda)^3, in the group that has it, where not masked."""
    x, y = normal(5, seed=1), normal(5, seed=2)
    mask = torch.tensor([True, True, True, False, False])
    optimizer = make([{"params": [x], "weight_decay": 0.2, "masks": [mask]}, {"params": [y]}], lr=0.5)
    for _ in range(3):
        optimizer.step(lambda: 1.0)
    wanted = torch.where(mask, normal(5, seed=1) * 0.9**3, normal(5, seed=1))
    assert torch.allclose(x, wanted, rtol=1e-12) and torch.equal(y, normal(5, seed=2))


def test_weight_decay_is_apart_from_the_estimate(monkeypatch):
    decays()
    ignoring = ALGORITHM.but(move=lambda x, m, alpha: x / (1 - 0.5 * 0.2) - alpha * m)
    rejects(monkeypatch, decays, (rsczo, "ALGORITHM", ignoring))


def test_a_tensor_unfrozen_later_begins_with_the_estimate_of_that_step():
    x, late = normal(5, seed=1), normal(5, seed=2)
    late.requires_grad_(False)
    optimizer = make([x, late], lr=0.0, beta=0.9, M0=2, tau0=10.0)
    closure = linear([x, late], [normal(5, seed=3), normal(5, seed=4)])
    optimizer.step(closure)
    late.requires_grad_(True)
    closure.points.clear()
    optimizer.step(closure)
    v = (closure.points[0][1] - late.detach()) / 1e-3
    assert torch.allclose(optimizer.state[late]["momentum"], optimizer.last.clipped[0] * v, rtol=1e-9, atol=1e-12)


def test_what_cannot_be_moved_is_refused_in_words():
    x = normal(6, 4)
    with pytest.raises(ValueError, match="tau holds for the direction as a whole"):
        make([{"params": [x], "tau": 3.0}])
    with pytest.raises(ValueError, match="share memory"):
        make([x, torch.nn.Parameter(x.data[2:])])
    with pytest.raises(ValueError, match="contiguous"):
        make([torch.nn.Parameter(x.data[:, :2])])
    with pytest.raises(ValueError, match="masks must hold"):
        make([{"params": [x], "masks": [torch.ones(3, dtype=torch.bool)]}])
    with pytest.raises(ValueError, match="masks must hold"):
        make([{"params": [x], "masks": []}])
    with pytest.raises(ValueError, match="lr must be finite"):
        make([x], lr=-1.0)
    with pytest.raises(ValueError, match="every parameter is frozen or masked"):
        make([normal(3).requires_grad_(False)]).step(lambda: 0.0)
    with pytest.raises(TypeError, match="closure"):
        make([x]).step()
    for wrong in (x, "a", None, torch.tensor(1j)):
        with pytest.raises(TypeError, match="one real number"):
            make([x]).step(lambda wrong=wrong: wrong)


def test_the_record_of_a_step():
    x = normal(9, seed=1)
    optimizer = make([x], M=4, tau=1.0)
    loss = optimizer.step(linear([x], [normal(9, seed=2)]))
    last = optimizer.last
    assert loss == last.loss == pytest.approx(np.mean(last.losses))
    assert last.raw == tuple((plus - minus) / (2 * 1e-3) for plus, minus in last.losses)
    assert last.clipped == tuple(np.clip(last.raw, -1, 1)) and last.clip_fraction == np.mean(np.abs(last.raw) > 1)
    assert (last.step, last.skipped, last.warm_start, last.norm, last.plateau, last.tau) == (
        1,
        0,
        False,
        None,
        None,
        1.0,
    )
    with pytest.raises(AttributeError):
        last.loss = 0.0
