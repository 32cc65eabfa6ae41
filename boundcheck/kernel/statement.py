"""What is claimed, as frozen data without algorithms: Claim, and Parameter, Fact, Step, Twin, Statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from boundcheck.kernel.formula import Relation, free_names, parse_relation, parse_relations


@dataclass(frozen=True)
class Claim:
    """A scalar assertion: for all reals (integers where named) that satisfy ``where``, all of ``claim`` holds."""

    name: str
    claim: tuple[Relation, ...]
    where: tuple[Relation, ...] = ()
    integers: frozenset[str] = frozenset()

    @classmethod
    def read(
        cls, claim: str, where: tuple[str, ...] | list[str] = (), integers: tuple[str, ...] = (), name: str = "claim"
    ) -> Claim:
        """A claim from formula texts; raises :class:`boundcheck.kernel.formula.FormulaError`."""
        conditions = tuple(r for w in where for r in parse_relations(w))
        return cls(name, parse_relations(claim), conditions, frozenset(integers))

    @property
    def variables(self) -> tuple[str, ...]:
        """The free variables, sorted."""
        return tuple(sorted(free_names((*self.claim, *self.where))))

    def __str__(self) -> str:
        head = " and ".join(map(str, self.claim))
        return head + (" where " + ", ".join(map(str, self.where)) if self.where else "")


@dataclass(frozen=True)
class GramClaim:
    """An inequality between quadratic forms: ``goal`` for all vectors and all parameters that meet the rest.

    ``vectors`` are names of free elements of a Hilbert space (a name that occurs in a bare product is a length);
    ``hypotheses`` are inequalities and equations between forms, ``where`` is the domain of the parameters.
    """

    name: str
    vectors: tuple[str, ...]
    goal: Relation
    hypotheses: tuple[Relation, ...] = ()
    where: tuple[Relation, ...] = ()

    def __str__(self) -> str:
        given = [*map(str, self.hypotheses), *map(str, self.where)]
        return f"{self.goal} for all {', '.join(self.vectors)}" + (f" where {', '.join(given)}" if given else "")


# ---------------------------------------------------------------- statements of a paper


@dataclass(frozen=True)
class Parameter:
    """A scalar parameter: its symbol, what it means, and the relations that are its domain."""

    symbol: str
    meaning: str
    domain: tuple[str, ...] = ()
    integer: bool = False


@dataclass(frozen=True)
class Fact:
    """An assertion in the proof vocabulary, for all values of the names in ``over`` that satisfy ``where``.

    A name in ``over`` may carry its sort (``"y: vector"``); without one it has that of its declaration, else it is
    real. It stands for a constant. A random variable outside of the heads that average stands for each of its values.
    """

    claim: str
    over: tuple[str, ...] = ()
    where: tuple[str, ...] = ()

    @property
    def relation(self) -> Relation:
        """The claim, read in the proof vocabulary. Raises :class:`boundcheck.kernel.formula.FormulaError`."""
        return parse_relation(self.claim, proof=True)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in ``over``, without their sorts."""
        return tuple(entry.partition(":")[0].strip() for entry in self.over)

    @property
    def plain(self) -> bool:
        """Whether it holds as it stands: for no further values, under no condition."""
        return not (self.over or self.where)

    @property
    def conditions(self) -> tuple[Relation, ...]:
        """The relations of ``where``. Raises :class:`boundcheck.kernel.formula.FormulaError`."""
        return tuple(r for w in self.where for r in parse_relations(w, proof=True))


@dataclass(frozen=True)
class Use:
    """A reference to a hypothesis or an earlier step (by name or number), with values for its ``over`` names."""

    ref: str | int
    let: Mapping[str, str] = field(default_factory=dict)


Ref = str | int | Use


@dataclass(frozen=True)
class Decide:
    """The step is a scalar assertion: the engines decide it on its own domain (and under the facts in ``using``)."""

    using: tuple[Ref, ...] = ()


@dataclass(frozen=True)
class Follows:
    """The step follows from earlier facts by scalar reasoning, terms under opaque heads being arbitrary reals.

    ``times`` gives nonnegative multipliers to the used facts (same order; "" leaves a fact as a hypothesis);
    without it the engine looks for them itself.
    """

    using: tuple[Ref, ...]
    times: tuple[str, ...] = ()


@dataclass(frozen=True)
class ByRule:
    """The step is an instance of a rule schema of :mod:`boundcheck.kernel.rules` under the substitution ``let``.

    The first refs of ``using`` are matched with the rule's premises, in order; the others are facts that side
    conditions and the conclusion may use.
    """

    rule: str
    let: Mapping[str, str] = field(default_factory=dict)
    using: tuple[Ref, ...] = ()


@dataclass(frozen=True)
class ByGram:
    """The step is an inequality between quadratic forms in free vectors: the gram engine decides it.

    ``vectors`` are the terms that are free vectors (a scalar term among them is a length); the facts in ``using``
    are its hypotheses, those without a vector narrow the parameters' domain. ``times`` gives multipliers ("": the
    engine derives one). ``sharp`` maps a constant's text to the claim with ``c`` in its place, or to the claim and
    further domain relations: the best constant is bracketed.
    """

    vectors: tuple[str, ...]
    using: tuple[Ref, ...] = ()
    times: tuple[str, ...] = ()
    sharp: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Cite:
    """The step is the claim number ``part`` of another statement with ``let`` put for its names.

    Every hypothesis and every parameter's domain of the cited statement must be met here.
    """

    label: str
    let: Mapping[str, str] = field(default_factory=dict)
    using: tuple[Ref, ...] = ()
    part: int = 0
    as_used: bool = False  #: cite the form that its uses need, not the printed one


@dataclass(frozen=True)
class Definition:
    """The step introduces a name for the right side: ``v == term``, or ``at(v, t) == term`` for all t."""


@dataclass(frozen=True)
class Literature:
    """The step is taken from the literature and not proved here."""

    reference: str


Justification = Decide | Follows | ByRule | ByGram | Cite | Definition | Literature


@dataclass(frozen=True)
class Step:
    """One displayed (in)equality of a proof with its own domain, and why it holds."""

    fact: Fact
    by: Justification
    note: str = ""
    integers: tuple[str, ...] = ()  #: of a statement without declarations
    repair: Step | None = None  #: the nearest form that holds, where this one fails as printed
    name: str = ""  #: a name by which later steps may refer to it, beside its number


@dataclass(frozen=True)
class Twin:
    """A planted falsehood: ``change`` replaces texts in the statement, so that it is false.

    ``world`` gives values to names of the statement: a small world that meets its hypotheses and breaks its claim.
    Where nothing shows that the changed statement is false, ``what`` begins with "stronger, open: ".
    """

    what: str
    change: Mapping[str, str]
    world: Mapping[str, str] = field(default_factory=dict, metadata={"optional": True})


@dataclass(frozen=True)
class Family:
    """Instances of an assertion, one for every value of the names in ``free`` that satisfies ``where``.

    ``values`` gives values to names alone: "x" = "1 + t"; to functions and sequences for all arguments: "f(y)" =
    "y**2". Numbers, objects and vectors are numbers here (dimension 1); what is random is a function of ``variable``,
    which has the finite law ``atoms`` of (value, probability) pairs. All else is computed. Taken on the author's word
    are ``meets``, and under ``vouches`` the value of one mean, E or Egiven, of what has no finite law.
    """

    name: str
    free: tuple[str, ...]
    where: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    variable: str = ""
    atoms: tuple[tuple[str, str], ...] = ()
    meets: Mapping[str, str] = field(default_factory=dict)  #: hypothesis -> the statement that shows it for the family
    note: str = ""
    vouches: Mapping[str, str] = field(default_factory=dict, metadata={"optional": True})


@dataclass(frozen=True)
class Exists:
    """A printed assertion of the form: there is ``constant`` > 0 such that ``claim`` holds for all parameters.

    ``families`` are instances to try against it; the hypotheses of the statement must hold in each.
    """

    constant: str
    claim: Fact
    families: tuple[Family, ...] = ()


@dataclass(frozen=True)
class Statement:
    """One assertion of a paper with its proof, as data; named by its LaTeX label."""

    label: str
    title: str
    kind: str  #: assumption, lemma, proposition, theorem, corollary, remark, equation
    part: str
    text: str  #: the assertion in words, for people
    parameters: tuple[Parameter, ...] = ()
    hypotheses: Mapping[str, Fact] = field(default_factory=dict)
    claims: tuple[Fact, ...] = ()
    steps: tuple[Step, ...] = ()
    concludes: tuple[tuple[Ref, ...], ...] = ()  #: per claim, the facts it follows from; default: the last step
    declares: Mapping[str, str] | None = None  #: name -> sort: "random vector", "vector -> real", ...
    random: tuple[str, ...] = ()  #: short for declarations as "random real"
    assumes: tuple[str, ...] = ()  #: labels of assumptions that the hypotheses spell out
    bound: str = ""  #: the headline bound as a formula of the parameters (and of names in ``bound_names``)
    bound_names: tuple[Parameter, ...] = ()
    worst_law: str = ""  #: key of the extremal problem that gives the exact supremum, if there is one
    literature: str = ""  #: reference, where the statement itself is taken from the literature
    exists: tuple[Exists, ...] = ()  #: what is printed as: there is an absolute constant such that ...
    imprecise: str = ""  #: why the printed assertion has no truth value (hidden constants, ...)
    as_used: Statement | None = None  #: the form that the paper's uses need, where it differs
    twins: tuple[Twin, ...] = ()
    note: str = ""
    #: hypothesis -> where it is assumed, if not here; for people, and not written down where there is none
    places: Mapping[str, str] = field(default_factory=dict, metadata={"optional": True})

    @property
    def sorts(self) -> dict[str, str]:
        """The declared names that are no parameters, with their sorts as written."""
        return {**dict.fromkeys(self.random, "random real"), **(self.declares or {})}

    @property
    def domain(self) -> tuple[Relation, ...]:
        """The relations of all parameters' domains. Raises :class:`boundcheck.kernel.formula.FormulaError`."""
        return tuple(r for q in self.parameters for w in q.domain for r in parse_relations(w, proof=True))

    @property
    def symbols(self) -> frozenset[str]:
        """The symbols of the parameters."""
        return frozenset(q.symbol for q in self.parameters)

    @property
    def integers(self) -> frozenset[str]:
        """The symbols of the parameters that range over the integers."""
        return frozenset(q.symbol for q in self.parameters if q.integer)

    @property
    def cites(self) -> tuple[str, ...]:
        """Labels that the statement rests on directly, in the order of their first use."""
        found = list(self.assumes)
        for step in self.steps:
            for s in (step, step.repair):
                if s is not None and isinstance(s.by, Cite) and s.by.label not in found:
                    found.append(s.by.label)
        return tuple(found)

    @property
    def cites_of_all_forms(self) -> tuple[str, ...]:
        """The same with the labels that the form which its uses need rests on."""
        used = self.as_used.cites_of_all_forms if self.as_used is not None else ()
        return tuple(dict.fromkeys((*self.cites, *used)))
