"""The protocol of the fine-tuning experiment: sweep on the first seed, select by validation loss, then all seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from proofs_numeric.experiments.experiment_jobs import Result, Workers
from proofs_numeric.experiments.finetune_settings import RAW, REDUCED, SCALAR, Arm, Arms, Settings
from proofs_numeric.experiments.finetune_task import TaskSpec
from proofs_numeric.experiments.finetune_training import Comparison, Training

NO_TAU = 0.0  # of arms that do not clip
Address = tuple[str, str]  # scope and loss


@dataclass(frozen=True)
class Choice:
    """The lr and tau of an arm."""

    lr: float
    tau: float = NO_TAU


@dataclass(frozen=True)
class Tuned:
    """Everything computed: the sweep, the choices, one run for each seed of each arm, and the comparisons."""

    settings: Settings
    sweep: Mapping[tuple[Address, Arm], Mapping[Choice, Result]]
    chosen: Mapping[tuple[Address, Arm], Choice]
    runs: Mapping[tuple[Address, Arm], tuple[Result, ...]]
    comparisons: Mapping[str, Result]
    seconds: float  # processor time of all jobs


@dataclass(frozen=True)
class Protocol:
    """Settings and task; makes the jobs."""

    settings: Settings
    spec: TaskSpec

    @property
    def addresses(self) -> list[Address]:
        """All (scope, loss)."""
        return [(scope, loss) for scope in self.settings.scopes for loss in self.settings.losses]

    def training(self, at: Address, arm: Arm, choice: Choice, seed: int) -> Training:
        """One run."""
        s, (scope, loss) = self.settings, at
        where = (self.spec, scope, s.pairs, s.mu, s.tail)
        arm = replace(arm, equal=False)  # says where lr and tau come from; they are given here
        return Training(*where, loss, arm, choice.lr, choice.tau, s.steps(scope), seed)

    def comparison(self, scope: str) -> Comparison:
        """The cosines of one scope."""
        s = self.settings
        where = (self.spec, scope, s.pairs, s.mu, s.tail)
        return Comparison(*where, s.cosine_directions, s.cosines(scope), s.taus(scope), 0)

    def grid(self, at: Address, arm: Arm, tau: float | None = None) -> list[Choice]:
        """What is swept for an arm; ``tau`` where it is already chosen."""
        scope = at[0]
        taus = (NO_TAU,) if arm.method == RAW else self.settings.taus(scope) if tau is None else (tau,)
        return [Choice(lr, t) for t in taus for lr in self.settings.lrs(scope)]


def select(found: Mapping[Choice, Result]) -> Choice:
    """The choice with the smallest validation loss after the last step; ties go to the smaller lr. A run that ended in
    no number is never chosen unless all did."""

    def key(choice: Choice) -> tuple[bool, float, float, float]:
        loss = found[choice]["curve"][-1][1]
        return (loss is None, loss or 0.0, choice.lr, choice.tau)

    return min(found, key=key)


def control(arm: Arm, base: Choice, clip_fraction: float) -> Choice:
    """What a control takes over from scalar clipping: raw its lr (1 - clip fraction), others lr and tau."""
    if arm.method == REDUCED:
        return Choice(float(f"{base.lr * (1 - clip_fraction):.4g}"))
    return base


def clip_fraction(result: Result) -> float:
    """The mean over the steps; 0 where every direction was skipped."""
    known = [v for v in result["clipped"] if v is not None]
    return sum(known) / len(known) if known else 0.0


def collect(protocol: Protocol, workers: Workers[Training | Comparison]) -> Tuned:
    """Run (or read) everything: the sweep, then what is left of the seeds and the controls."""
    settings = protocol.settings
    sweep: dict[tuple[Address, Arm], dict[Choice, Result]] = {}

    def swept(arms: Iterable[tuple[Address, Arm, float | None]], title: str) -> None:
        wanted = {
            (at, arm, c): protocol.training(at, arm, c, 0)
            for at, arm, tau in arms
            for c in protocol.grid(at, arm, tau)
        }
        done = workers.run(wanted.values(), title)
        for (at, arm, c), job in wanted.items():
            sweep.setdefault((at, arm), {})[c] = done[job]

    plans: dict[Address, Arms] = {at: settings.plan(*at) for at in protocol.addresses}

    def late(plan: Arms, arm: Arm) -> bool:
        return plan.tau_from is not None and arm.method != RAW and plan.tau_from != arm.M

    swept([(at, arm, None) for at, p in plans.items() for arm in p.swept if not late(p, arm)], "sweep")
    chosen = {key: select(found) for key, found in sweep.items()}
    left = [
        (at, arm, chosen[at, Arm(arm.method, p.tau_from or 1)].tau)
        for at, p in plans.items()
        for arm in p.swept
        if late(p, arm)
    ]
    swept(left, "sweep, more directions")
    chosen = {key: select(found) for key, found in sweep.items()}

    for at, plan in plans.items():
        for arm in plan.controls:
            scalar = (at, Arm(SCALAR, arm.M))
            chosen[at, arm] = control(arm, chosen[scalar], clip_fraction(sweep[scalar][chosen[scalar]]))
    jobs = {
        (key, seed): protocol.training(key[0], key[1], choice, seed)
        for key, choice in chosen.items()
        for seed in range(settings.seeds)
    }
    comparisons = {scope: protocol.comparison(scope) for scope in settings.scopes}
    done = workers.run([*jobs.values(), *comparisons.values()], "seeds")
    runs = {key: tuple(done[jobs[key, seed]] for seed in range(settings.seeds)) for key in chosen}
    seconds = sum(result["seconds"] for result in workers.results.values())
    return Tuned(settings, sweep, chosen, runs, {scope: done[job] for scope, job in comparisons.items()}, seconds)
