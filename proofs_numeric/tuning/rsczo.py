"""Algorithm 1 of the paper (RSC-ZO), base and momentum with warm start, as a PyTorch optimizer.

The parameters are perturbed in place along directions that are drawn again when needed. Beside the model there is
memory for one small piece a direction and for what rounding lost (see :mod:`proofs_numeric.tuning.perturbation`), and
with momentum one vector of the size of the parameters, which no implementation of momentum can do without.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from proofs_numeric.model.optimizer import ALGORITHM
from proofs_numeric.tuning.backend import torch
from proofs_numeric.tuning.closure import Loss, Randomness
from proofs_numeric.tuning.estimate import Estimate, pair, quotient
from proofs_numeric.tuning.perturbation import Direction, Excursion, Seeds, Site, Tensor, check_movable, flat
from proofs_numeric.tuning.step_records import (
    DefaultsWarning,
    NonFiniteLossWarning,
    Plateau,
    PlateauWarning,
    StepRecord,
    warn,
)
from proofs_numeric.tuning.tuning_settings import Clip, Parametrisation, Settings
from proofs_numeric.tuning.watch import ClipWatch

LR = 1e-6  #: the learning rate if none is given
CHECKED_DIRECTIONS = 4
PLATEAU_TOLERANCE = 0.1  #: an error of the difference quotient below a tenth of its size


class RSCZO(torch.optim.Optimizer):
    """x <- (1 - lr weight_decay) x - lr m, with m the estimate g, or its running mean when beta > 0.

    With directions v (z ~ N(0, I_d) for "gaussian", z/||z|| for "sphere", over all unfrozen unmasked entries together)

        Y_l = (F(x + mu v_l; xi_l) - F(x - mu v_l; xi_l))/(2 mu),   g = (c/M) sum_l psi_tau(Y_l) v_l,

    c = 1 or d, psi_tau(z) = z min{1, tau/|z|}. ``clip``: "scalar" is this; "none" has Y for psi_tau(Y) (MeZO);
    "vector" clips the unclipped average at the radius of :meth:`Settings.radius`. Momentum: m_0 is g with M0 and tau0,
    then m <- beta m + (1 - beta) g. :func:`sphere_from_gaussian` translates mu and tau; lr is the same.

    Arguments, with their units (those of ``mu`` and ``tau`` are of Gaussian directions; on the sphere mu is a length
    sqrt(d) times as large and tau sqrt(d) times as small):

    params           what to train, as in torch.optim: tensors, or groups with ``lr``, ``weight_decay`` and ``masks``
    lr               step size, in units of x squared over those of F; 1e-6 if left out, MeZO's for large models
    mu               smoothing, in units of x: the passes are at x +- mu v
    M                directions a step; each takes two forward passes
    tau              threshold for |Y|, in units of F over those of x; inf if left out: then nothing is clipped
    beta             momentum, no unit, in [0, 1); 0 is the base method
    M0, tau0         directions and threshold of the first step with momentum (the warm start); M and tau if left out
    clip             "scalar", "vector" or "none"
    parametrisation  "gaussian" (MeZO's units) or "sphere" (the paper's)
    weight_decay     per unit of lr: x is multiplied by 1 - lr weight_decay, apart from the estimate
    seed             of the directions
    check_first      whether the first step calls :meth:`check` before it begins (26 passes)

    ``masks``: for each parameter of a group None, or a Boolean tensor of its shape; where it is False nothing moves.
    All but ``lr``, ``weight_decay`` and ``masks`` holds for the direction as a whole and cannot differ between groups.
    Parameters with ``requires_grad=False`` stay as they are; the others must be float32 or float64.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | None = None,
        *,
        mu: float = 1e-3,
        M: int = 1,
        tau: float | None = None,
        beta: float = 0.0,
        M0: int | None = None,
        tau0: float | None = None,
        clip: Clip = "scalar",
        parametrisation: Parametrisation = "gaussian",
        weight_decay: float = 0.0,
        seed: int = 0,
        check_first: bool = True,
    ) -> None:
        self._tell_defaults(lr, tau, clip)
        lr, tau = LR if lr is None else lr, math.inf if tau is None else tau
        self.settings = Settings(mu, M, tau, beta, M0, tau0, clip, parametrisation)
        self.seeds = Seeds(seed)
        self.check_first = check_first
        self.steps = 0  #: steps taken, skipped ones included
        self.skipped = 0  #: directions left out so far because a loss was NaN or infinite
        self.warm = False  #: whether the momentum has had its warm start
        self.watch = ClipWatch()
        self.last: StepRecord | None = None
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "masks": None})

    @staticmethod
    def _tell_defaults(lr: float | None, tau: float | None, clip: Clip) -> None:
        """Warn of defaults with which next to nothing happens."""
        told = []
        if lr is None:
            told.append(f"lr was left at {LR:g}, MeZO's for language models, with which a small model barely moves")
        if tau is None and clip != "none":
            told.append('tau was left at inf, so that nothing is clipped (clip="none" says that this is meant)')
        if told:
            warn("; ".join(told), DefaultsWarning)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """As in torch.optim; raises TypeError or ValueError for what cannot be perturbed in place and put back."""
        super().add_param_group(param_group)
        try:
            self._check_group(self.param_groups[-1])
        except (TypeError, ValueError):
            self.param_groups.pop()
            raise

    def _check_group(self, group: dict[str, Any]) -> None:
        for name in asdict(self.settings):
            if name in group:
                raise ValueError(f"{name} holds for the direction as a whole and cannot be set for a group")
        self._checked(group)
        for parameter in group["params"]:
            if parameter.requires_grad:
                check_movable(parameter)
        masks = group["masks"]
        if masks is not None and (
            len(masks) != len(group["params"])
            or any(
                m is not None and (m.dtype != torch.bool or m.shape != p.shape)
                for m, p in zip(masks, group["params"], strict=True)
            )
        ):
            raise ValueError("masks must hold, for each parameter of its group, None or a Boolean tensor of its shape")
        spans = sorted(_span(p) for g in self.param_groups for p in g["params"] if p.numel())
        for (device, _, end), (other, start, _) in itertools.pairwise(spans):
            if device == other and start < end:
                raise ValueError("two parameters share memory and would be perturbed twice; give one of them only")

    @staticmethod
    def _checked(group: dict[str, Any]) -> float:
        """The learning rate of a group; raises ValueError unless it and the weight decay are finite and at least 0.

        A scheduler or the user sets them between steps, so that every step asks.
        """
        for name in ("lr", "weight_decay"):
            if not 0 <= float(group[name]) < math.inf:
                raise ValueError(f"{name} must be finite and at least 0, got {group[name]!r}")
        return float(group["lr"])

    @property
    def next_directions(self) -> int:
        """How many directions the next step draws: M, or M0 at the warm start."""
        return self.settings.batch(self._warm_start())[0]

    def batches(self, loader: Iterable[Any]) -> Iterator[list[Any]]:
        """One pass over ``loader``, in lists of as many batches as the next step has directions.

        ``for batches in optimizer.batches(loader): optimizer.step(loss, batches)`` gives each direction its own batch,
        and ``loss(batch)`` is called for both of its passes. What is left at the end and does not fill a step is
        not used.
        """
        source = iter(loader)
        while len(found := list(itertools.islice(source, wanted := self.next_directions))) == wanted:
            yield found

    def _fed(self, closure: Callable[..., Any] | None, batches: Sequence[Any]) -> Callable[[int], Any]:
        """The loss of a direction's own batch, as a closure that is told the direction."""
        if not callable(closure):
            raise TypeError(f"step needs a function of a batch that returns the loss, got {closure!r}")
        if len(batches) != self.next_directions:
            raise ValueError(f"this step has {self.next_directions} directions, got {len(batches)} batches")
        return lambda direction: closure(batches[direction])

    def _warm_start(self) -> bool:
        return self.settings.beta > 0 and not self.warm

    def _active(self) -> Iterator[tuple[Tensor, Tensor | None, dict[str, Any]]]:
        for group in self.param_groups:
            masks = group["masks"] or [None] * len(group["params"])
            for parameter, mask in zip(group["params"], masks, strict=True):
                if parameter.requires_grad and parameter.numel():
                    yield parameter, mask, group

    def _site(self) -> tuple[Site, list[dict[str, Any]]]:
        active = list(self._active())
        site = Site(tuple(p for p, _, _ in active), tuple(m for _, m, _ in active))
        if not site.d:
            raise ValueError("nothing to move: every parameter is frozen or masked")
        return site, [group for _, _, group in active]

    def _draw(self, seeds: Seeds, site: Site) -> Direction:
        direction = Direction(seeds.draw())
        return direction.normalised(site) if self.settings.parametrisation == "sphere" else direction

    @torch.no_grad()
    def step(self, closure: Callable[..., Any] | None = None, batches: Sequence[Any] | None = None) -> float:
        """One step of the algorithm; returns the mean loss, and leaves a :class:`StepRecord` in ``last``.

        ``closure`` returns F(x; xi), without backward, and is called twice for each direction with the same global
        random numbers, so that dropout is the same. A closure with a positional parameter is told the number of the
        direction, 0, ..., M - 1 (M0 - 1 at the warm start), to choose that direction's mini-batch by; with ``batches``
        (see :meth:`batches`) it is given that direction's batch itself.
        Directions with a NaN or infinite loss are left out of the average; if all are, nothing moves.
        """
        loss = Loss(closure if batches is None else self._fed(closure, batches))
        rate = max(map(self._checked, self.param_groups))
        plateau = self._check(loss) if self.check_first and not self.steps else None
        site, groups = self._site()
        warm = self._warm_start()
        M, tau = self.settings.batch(warm)
        directions, losses, residual_bytes = [], [], 0
        for number in range(M):
            directions.append(self._draw(self.seeds, site))
            excursion = Excursion(site, directions[-1])
            losses.append(pair(loss, number, excursion, self.settings.mu))
            residual_bytes = max(residual_bytes, excursion.bytes)
        estimate = Estimate(site, directions, losses, self.settings, tau, rate)
        if estimate.kept:
            self._update(groups, estimate, warm)
            self.warm = self.warm or warm
        self.steps += 1
        self._tell(estimate, math.inf if warm else tau)
        self.last = StepRecord(
            step=self.steps,
            warm_start=warm,
            loss=estimate.loss,
            losses=tuple(losses),
            raw=tuple(estimate.raw.tolist()),
            clipped=tuple(estimate.clipped.tolist()),
            tau=tau,
            skipped=M - estimate.kept,
            clip_fraction=estimate.clip_fraction,
            norm=estimate.norm,
            residual_bytes=residual_bytes,
            plateau=plateau,
        )
        return estimate.loss

    def _update(self, groups: list[dict[str, Any]], estimate: Estimate, warm: bool) -> None:
        momenta = [self._momentum(p, warm) for p in estimate.site.parameters] if self.settings.beta > 0 else None
        for piece, g in estimate.pieces():
            group = groups[piece.owner]
            x, lr = piece.entries, float(group["lr"])
            m = g
            if momenta is not None:
                buffer, fresh = momenta[piece.owner]
                m_piece = buffer[piece.first : piece.first + x.numel()]
                m = g if fresh else ALGORITHM.average(m_piece, g, self.settings.beta)
                m_piece.copy_(m)
            if lr:  # x - 0 m is not x where x is -0, or m infinite
                moved = ALGORITHM.move(x * (1 - lr * float(group["weight_decay"])), m, lr)
                x.copy_(moved if piece.mask is None else torch.where(piece.mask, moved, x))

    def _momentum(self, parameter: Tensor, warm: bool) -> tuple[Tensor, bool]:
        """The entries of m for a parameter, and whether they are still to be set: warm start, or newly unfrozen."""
        state = self.state[parameter]
        fresh = warm or "momentum" not in state
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(parameter)
        return flat(state["momentum"], parameter), fresh

    def _tell(self, estimate: Estimate, tau: float) -> None:
        """Count what was skipped and clipped, and warn; an infinite tau is not watched."""
        skipped = len(estimate.raw) - estimate.kept
        if skipped and not self.skipped:
            text = (
                f"a loss is NaN or infinite, or a step would be, at step {self.steps}: its direction is left out, as"
                " will be others"
            )
            warn(text, NonFiniteLossWarning)
        self.skipped += skipped
        if estimate.kept and self.settings.clip != "none" and tau < math.inf:
            seen = estimate.kept if self.settings.clip == "scalar" else 1
            self.watch.add(seen, round(estimate.clip_fraction * seen), tau)

    @torch.no_grad()
    def check(self, closure: Callable[..., Any]) -> Plateau:
        """Whether two passes with the same xi agree to the bit, and whether mu lies where the quotient is flat.

        Calls the closure 26 times, along 4 directions of a random stream of its own; parameters, the optimizer and the
        global random numbers are afterwards as before. Raises RuntimeError if the same xi gives two losses, and warns
        (:class:`PlateauWarning`) unless the quotients at mu/2, mu and 2 mu agree within 10%.
        """
        return self._check(Loss(closure))

    def _check(self, loss: Loss) -> Plateau:
        site, _ = self._site()
        seeds, mu, M = Seeds(self.seeds.seed, purpose=1), self.settings.mu, self.settings.M
        before = Randomness()
        first = loss(0)
        before.restore()
        second = loss(0)
        before.restore()
        if first != second and not (math.isnan(first) and math.isnan(second)):
            raise RuntimeError(
                f"the closure returned {first!r} and then {second!r} at the same parameters and random numbers; it "
                "must use one mini-batch for both passes of a direction and no generator of its own"
            )
        rows: list[tuple[float, float, float]] = []
        for number in range(CHECKED_DIRECTIONS):
            excursion = Excursion(site, self._draw(seeds, site))

            def at(h: float, number: int = number, excursion: Excursion = excursion) -> float:
                before.restore()
                return quotient(pair(loss, number % M, excursion, h), h)

            rows.append((at(mu / 2), at(mu), at(2 * mu)))
        before.restore()
        plateau = Plateau.read(mu, tuple(rows), PLATEAU_TOLERANCE)
        if plateau.verdict != "plateau":
            warn(_advice(plateau), PlateauWarning)
        return plateau

    def state_dict(self) -> dict[str, Any]:
        """As in torch.optim, with the settings, the counts and the place in the random stream under ``"rsczo"``."""
        own = {name: asdict(getattr(self, name)) for name in RECORDS}
        return {**super().state_dict(), "rsczo": own | {name: getattr(self, name) for name in COUNTS}}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue where ``state_dict`` was taken, to the bit.

        All or nothing: raises ValueError, and nothing has changed, if it is not one of this class, was saved for other
        parameters, or holds settings, counts, a learning rate or a weight decay outside their domains.
        """
        own = dict(state_dict.get("rsczo") or {})
        if not own:
            raise ValueError("this state_dict was not saved by RSCZO: it has no entry 'rsczo'")
        found = _read_state(own)
        groups = state_dict.get("param_groups")
        if not isinstance(groups, list) or not all(isinstance(group, dict) and "lr" in group for group in groups):
            raise ValueError("this state_dict has no list of groups with their lr under 'param_groups'")
        for group in groups:
            self._checked({"weight_decay": 0.0, **group})
        before: dict[str, Any] = {name: getattr(self, name) for name in ("param_groups", "state")}
        super().load_state_dict(state_dict)
        try:
            for group in self.param_groups:
                self._check_group(group)
            self._check_momenta()
        except (TypeError, ValueError):
            self.__dict__.update(before)
            raise
        for name, value in found.items():
            setattr(self, name, value)
        self.last = None

    def _check_momenta(self) -> None:
        for parameter, kept in self.state.items():
            m = kept.get("momentum")
            if m is not None and m.shape != parameter.shape:
                raise ValueError(f"the momentum of a parameter of shape {tuple(parameter.shape)} has {tuple(m.shape)}")

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), **{name: getattr(self, name) for name in (*RECORDS, *COUNTS, "last")}}


#: the records and the counts of a state_dict, with their types
RECORDS: dict[str, type] = {"settings": Settings, "seeds": Seeds, "watch": ClipWatch}
COUNTS: dict[str, type] = {"check_first": bool, "steps": int, "skipped": int, "warm": bool}


def _read_state(own: dict[str, Any]) -> dict[str, Any]:
    """The attributes that the entry "rsczo" of a state_dict sets; raises ValueError on anything else than those."""
    if unknown := set(own) ^ {*RECORDS, *COUNTS}:
        raise ValueError(f"the entry 'rsczo' of this state_dict lacks or adds {', '.join(sorted(map(str, unknown)))}")
    found: dict[str, Any] = {}
    for name, kind in RECORDS.items():
        try:
            found[name] = kind(**own[name])
        except (TypeError, AttributeError) as error:
            raise ValueError(f"the entry 'rsczo' of this state_dict has unusable {name}: {error}") from error
    for name, kind in COUNTS.items():
        value: Any = own[name]
        if type(value) is not kind or value < 0:  # type: ignore[operator]
            raise ValueError(
                f"the entry 'rsczo' of this state_dict has {name} = {value!r}, not of type {kind.__name__}"
            )
        found[name] = value
    return found


def _span(parameter: Tensor) -> tuple[str, int, int]:
    """(device, first byte, end) of a dense parameter."""
    start = parameter.data_ptr()
    return str(parameter.device), start, start + parameter.numel() * parameter.element_size()


def _advice(plateau: Plateau) -> str:
    mends = {
        "unstable": "rounding dominates, so take a larger mu or a loss of higher precision; or mu is far too large",
        "curvature": "curvature dominates; take a smaller mu",
        "flat": "no quotient differs from zero; the closure does not see the parameters, or mu is lost in rounding",
        "non-finite": "a loss is NaN or infinite",
    }
    start = f"the difference quotients are not on a plateau at mu = {plateau.mu:g}"
    if not math.isnan(plateau.finer):
        start += f" (they change by {plateau.finer:.0%} to mu/2, by {plateau.coarser:.0%} to 2 mu)"
    return f"{start}: {mends[plateau.verdict]}"
