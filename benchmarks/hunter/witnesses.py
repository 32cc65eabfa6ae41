"""Models written by hand that break a rule without one of its conditions, where random ones seldom do.

Each is tried as a drawn model is: all that the rule asks for besides holds in it, and the conclusion does not.
"""

from __future__ import annotations

import random as python_random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from benchmarks.hunter import named_functions
from benchmarks.hunter.atoms import AtAtoms
from benchmarks.hunter.meet import Fact, check
from benchmarks.hunter.model import LINE, Function, Law, Model, Part, Rv, Sigma, Source, law_source
from benchmarks.hunter.schemas import Draw, Dropped, conditions
from benchmarks.hunter.words import shown
from boundcheck.kernel.formula import Relation, const, var
from boundcheck.kernel.proof.facts import read_term
from boundcheck.kernel.proof.sorts import REAL, read_sort
from boundcheck.kernel.proof.terms import put
from boundcheck.kernel.rules import RULES, Rule
from boundcheck.kernel.statement import Fact as Text

HALF = fmpq(1, 2)
N = LINE  #: the coordinate of the line
COIN = ((HALF, HALF),)  #: one source of two outcomes


@dataclass(frozen=True)
class Witness:
    """A model: terms for metavariables (others stand for themselves), sorts of names, values of names.

    A value is a number, a vector (a tuple), a list of those for the outcomes of ``space``, ``law(kind)``, a partition,
    the text of a function, "gradient of f", or, under (name, index), a member of a family.
    """

    terms: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[Any, Any] = field(default_factory=dict)
    sorts: Mapping[str, str] = field(default_factory=dict)
    space: tuple[tuple[fmpq, ...], ...] = ()
    line: str = ""
    d: int = 1
    quantity: str = REAL


class Written(Draw):
    """The terms of a witness in place of drawn ones."""

    def __init__(self, rule: Rule, dropped: Dropped, of: Witness):
        self.rule, self.rng, self.dropped, self.quantity = rule, python_random.Random(1), dropped, of.quantity
        self.sorts = dict(rule.bound_sorts)
        self.sorts |= {n: self._sort(n) for n, m in rule.metas.items() if not m.bound and n not in of.sorts}
        self.sorts |= {n: read_sort(s) for n, s in of.sorts.items()}
        self.terms = {n: self._written(of.terms[n]) if n in of.terms else var(n) for n in rule.metas}
        for d in rule.derived:
            at = self.terms.get(d.variable, var(d.variable))
            self.terms[d.name] = put(self.terms[d.source], {str(at.value): self.term(d.value)})

    @staticmethod
    def _written(text: str) -> Any:
        return const("oo") if text == "oo" else read_term(text)


def model_of(of: Witness, draw: Written) -> Model:
    """The model of a witness."""
    laws = [(n, v) for n, v in of.values.items() if isinstance(v, Law)]
    sources = [Source(w) for w in of.space]
    sources += [law_source(v.kind, of.d) for _, v in laws if not (v.kind == "ball" and of.d == 1)]
    model = Model(python_random.Random(1), draw.sorts, of.d, sources, of.line)
    for name, v in of.values.items():
        if isinstance(name, tuple):
            model.members[name[0], (fmpq(name[1]),)] = _value(model, name[0], v)
        else:
            model.values[name] = _value(model, name, v)
    for k, (name, v) in enumerate((n, v) for n, v in laws if not (v.kind == "ball" and of.d == 1)):
        values = model.sources[len(of.space) + k].values
        model.values[name] = Rv(tuple(values[a[len(of.space) + k]] for a in model.atoms))
        model.laws[name] = v
    return model


def _value(model: Model, name: str, v: Any) -> Any:
    sort = model.sort(name)
    if isinstance(v, str) and v.startswith("gradient of "):
        return named_functions.gradient(name, model.values[v.removeprefix("gradient of ")], sort)
    if isinstance(v, str):
        names, _, body = v.partition("->")
        return Function(name, sort, (), tuple(n.strip() for n in names.split(",")), read_term(body))
    if isinstance(v, Law):  # of the ball of R^1: the line
        model.laws[name] = v
        return Rv(((LINE,),) * len(model.atoms))
    if isinstance(v, list):
        return Rv(tuple(_number(x) for x in v))
    if isinstance(v, Sigma | Function):
        return v
    one = _number(v)
    return Rv((one,) * len(model.atoms)) if sort.random and not sort.args else one


def _number(v: Any) -> Any:
    if isinstance(v, tuple):
        return tuple(map(_number, v))
    return fmpq(v) if isinstance(v, int) and not isinstance(v, bool) else v


def broken_by(rule: Rule, text: str, of: Witness) -> str:
    """The model in words, if it breaks the rule without the condition of this text. Raises ValueError where it does
    not, or does not meet the rest of the rule."""
    dropped = dict(conditions(rule))[text]
    draw = Written(rule, dropped, of)
    model = model_of(of, draw)
    ev = AtAtoms(model)
    for what, f in draw.facts():
        if what != dropped and check(model, ev, f, dense=True).holds is not True:
            raise ValueError(f"{rule.name}, without {text}: {f} does not hold in the model")
    r = Text(rule.conclusion).relation.map(draw.put)
    found = check(model, ev, Fact(Relation(r.op, r.lhs, r.rhs)))
    if found.holds is not False:
        raise ValueError(f"{rule.name}, without {text}: {r} holds in the model")
    return shown(model, found, r)


def by_hand(rule: str, text: str) -> str:
    """A written model that breaks the rule without the condition, in words; "" where there is none."""
    for (name, start), of in WITNESSES.items():
        if name == rule and text.startswith(start):
            return broken_by(RULES[rule], text, of)
    return ""


_FIELD = {"G": "y -> y", "L": 1}
_ALONG = {**_FIELD, "x": (0,), "h": (1,), "w": (-3,), "u": (1,), "a": 0, "b": 1}
_NO_MEAN = {"X": -N, "Y": -HALF}
_GIVEN_V = {"V": "information", "X": "random real"}


def _flat(slope: int) -> Function:
    """A linear function of each coordinate with this slope, with its gradient by its making."""
    return Function("phi", read_sort("vector -> real"), (Part((fmpq(0),) * 5, (fmpq(slope),) * 5, fmpq(0)),) * 16)


_SLOPE = {"phi": _flat(1), "G": "gradient of phi", "L": 1}
#: (rule, start of the condition's text) -> a model
WITNESSES: dict[tuple[str, str], Witness] = {
    # ---- means that do not exist
    ("expectation monotone", "integrable X"): Witness(values=_NO_MEAN, line="heavy"),
    ("expectation monotone, nonnegative", "side X >= 0"): Witness(values=_NO_MEAN, line="heavy"),
    ("conditional expectation monotone", "integrable X"): Witness(
        values={**_NO_MEAN, "V": Sigma((0,))}, sorts={"V": "information"}, line="heavy"
    ),
    ("integrable, tail", "side X >= 0"): Witness({"G": "0"}, {"X": -N, "a": 0}, line="heavy"),
    ("integrable, tail", "X free of t"): Witness(
        {"X": "Z*ind(Z > t**2)", "G": "t**(-2)"}, {"Z": N, "a": 1, "t": 2}, {"Z": "random real"}, line="heavy"
    ),
    ("integrable, tail", "a free of t"): Witness({"G": "0", "a": "t + 1"}, {"X": N, "t": 0}, line="heavy"),
    ("expectation of a finite sum", "b free of s"): Witness(
        {"G": "X*s + 1 - s", "b": "s - 1"}, {"X": N, "a": 0, "s": 2}, {"X": "random real"}, line="heavy"
    ),
    ("conditional expectation of a finite sum", "a free of s"): Witness(
        {"G": "X*s + 1 - s", "a": "s + 1"}, {"X": N, "b": 1, "s": -1, "V": Sigma((0,))}, _GIVEN_V, line="heavy"
    ),
    ("conditional expectation of a finite sum", "b free of s"): Witness(
        {"G": "X*s + 1 - s", "b": "s - 1"}, {"X": N, "a": 0, "s": 2, "V": Sigma((0,))}, _GIVEN_V, line="heavy"
    ),
    ("smooth is integrable near the unit ball", "x constant"): Witness(
        {}, {**_SLOPE, "mu": 1, "x": (N,), "v": (0,)}, {"x": "random vector"}, line="heavy"
    ),
    ("smoothing of the gradient", "mu constant"): Witness(
        {},
        {**_SLOPE, "phimu": _flat(0), "Gmu": "gradient of phimu", "mu": N, "x": (0, 0), "v": Law("ball", 2), "d": 2},
        {"mu": "random real"},
        line="heavy",
        d=2,
    ),
    ("Lipschitz is integrable near the unit ball", "G constant"): Witness(
        {},
        {"G": "y -> y + Z", "L": 1, "mu": 1, "x": (0,), "v": (0,), "Z": (N,)},
        {"G": "vector -> random vector", "Z": "random vector"},
        line="heavy",
    ),
    ("Lipschitz is integrable near the unit ball", "x constant"): Witness(
        {}, {**_FIELD, "mu": 1, "x": (N,), "v": (0,)}, {"x": "random vector"}, line="heavy"
    ),
    # ---- what should be the same for all outcomes
    **{
        (rule, f"{end} constant"): Witness(
            {"A": "M == t"},
            {"a": 0, "b": 0, "M": [0, far], end: [0, far], "q": HALF},
            {"M": "random integer", end: "random integer"},
            COIN,
        )
        for rule in ("union bound", "union over a range")
        for end, far in (("a", -2), ("b", 2))
    },
    ("union over a range", "a free of t"): Witness(
        {"A": "M <= M", "a": "t + 1"}, {"M": 0, "b": 2, "q": 0, "t": 0}, {"M": "random integer"}
    ),
    ("union over a range", "b free of t"): Witness(
        {"A": "M <= M", "b": "t - 1"}, {"M": 0, "a": 0, "q": 0, "t": 2}, {"M": "random integer"}
    ),
    ("Markov", "q constant"): Witness(
        {"A": "X > a"}, {"X": [3, 0], "q": [fmpq(1, 100), 10], "a": 2}, {"q": "random real"}, COIN
    ),
    ("frozen mean", "K constant"): Witness(
        {"Q": "1", "M": "1"},
        {"K": [0, 1], "c": 0, "H": Sigma((0, 0)), "X": 0, "Y": (0,)},
        {"K": "random real", "X": "random real"},
        COIN,
    ),
    ("excess along a fixed direction", "e constant"): Witness(
        {},
        {"u": Law("sphere", 2), "d": 2, "e": [(0, 1), (0, 1), (1, 0), (1, 0)], "z": (1, 0), "w": (1, 0), "a": 0},
        {"e": "random vector"},
        d=2,
    ),
    ("excess along an independent direction", "e constant"): Witness(
        {},
        {"u": Law("sphere", 2), "d": 2, "e": [(0, 1), (0, 1), (1, 0), (1, 0)], "z": (1, 0), "w": (1, 0), "a": 0},
        {"e": "random vector"},
        d=2,
    ),
    # ---- freezing
    ("frozen expectation", "Q random through"): Witness(
        {"Q": "2*ind(V == v)", "B": "1"}, {"V": [1, 2], "X": 0}, {"X": "random real"}, COIN
    ),
    ("frozen probability", "Y known from H"): Witness(
        {"Q": "norm(X - y) <= 0", "K": "0"},
        {"X": [(0,), (1,)], "Y": [(0,), (1,)], "H": Sigma((0, 0)), "q": HALF, "c": 0},
        {"X": "random vector"},
        COIN,
    ),
    ("frozen bound of the mean", "Y known from H"): Witness(
        {"Q": "ind(norm(X - y) <= 0)", "K": "0"},
        {"X": [(0,), (1,)], "Y": [(0,), (1,)], "H": Sigma((0, 0)), "q": HALF, "c": 0},
        {"X": "random vector"},
        COIN,
    ),
    ("frozen bound of the mean", "c free of y"): Witness(
        {"Q": "norm(y)", "K": "0", "c": "ind(norm(y) <= 0) - 1"},
        {"X": 0, "Y": (1,), "y": (0,), "H": Sigma((0,)), "q": 0},
        {"X": "random real"},
    ),
    # ---- induction
    ("both known at every time", "premise measurable(Y1"): Witness(
        {"X": "at(X, s)", "Y": "at(Y, s)", "V": "at(V, s)"},
        {
            "n": 2,
            **{("V", k): Sigma((0, 0)) for k in range(-20, 30)},
            **{("X", k): [0, k == 2] for k in range(-20, 30)},
            **{("Y", k): [0, k == 1] for k in range(-20, 30)},
        },
        {"X": "integer -> random real", "Y": "integer -> random real", "V": "integer -> information"},
        COIN,
    ),
    ("both known at every time", "side n >= 0"): Witness(
        {"X": "at(X, s)", "Y": "0", "V": "at(V, s)"},
        {
            "n": -1,
            **{("V", k): Sigma((0, 0)) for k in range(-20, 30)},
            **{("X", k): [0, k == -1] for k in range(-20, 30)},
        },
        {"X": "integer -> random real", "V": "integer -> information"},
        COIN,
    ),
    # ---- integrals
    ("power as an integral", "side q >= 1"): Witness(values={"X": 1, "q": 0}),
    ("integral monotone", "converges integral(H"): Witness({"G": "ind(t < 1)", "H": "1", "b": "oo"}, {"a": 0}),
    ("integral monotone, nonnegative", "converges integral(H"): Witness(
        {"G": "ind(t < 1)", "H": "1", "b": "oo"}, {"a": 0}
    ),
    ("integral monotone", "converges integral(G"): Witness({"G": "-2 - 1/t**2", "H": "-1"}, {"a": 0, "b": 1}),
    ("integral monotone, nonnegative", "side G >= 0"): Witness({"G": "-2 - 1/t**2", "H": "-1"}, {"a": 0, "b": 1}),
    ("integral monotone", "a free of t"): Witness({"G": "1", "H": "0", "a": "t + 1"}, {"b": 2, "t": 0}),
    ("integral monotone", "b free of t"): Witness({"G": "1", "H": "0", "b": "t - 1"}, {"a": 0, "t": 2}),
    ("integral monotone, nonnegative", "a free of t"): Witness({"G": "1", "H": "0", "a": "t + 1"}, {"b": 2, "t": 0}),
    ("integral monotone, nonnegative", "b free of t"): Witness({"G": "1", "H": "0", "b": "t - 1"}, {"a": 0, "t": 2}),
    ("integral of equals", "a free of t"): Witness({"G": "1", "H": "0", "a": "t + 1"}, {"b": 2, "t": 0}),
    ("integral of equals", "b free of t"): Witness({"G": "1", "H": "0", "b": "t - 1"}, {"a": 0, "t": 2}),
    ("integral split", "side a <= c"): Witness({"G": "1/(t + 1)**2"}, {"a": 0, "b": 1, "c": -2}),
    ("integral split", "side c <= b"): Witness({"G": "1/(t - 2)**2"}, {"a": 0, "b": 1, "c": 3}),
    ("mean along a segment", "converges"): Witness(
        {"V": "s**(-2)*v", "W": "v", "u": "v"}, {"v": (1,)}, {"v": "vector"}
    ),
    ("integral Cauchy-Schwarz", "converges"): Witness(
        {"V": "ind(s < 0)*s**(-2)*v + ind(s > 0)*w"},
        {"w": (1, 0), "v": (0, 1), "u": (1, 0)},
        {"v": "vector", "w": "vector"},
        d=2,
    ),
    ("integral Cauchy-Schwarz", "u free of s"): Witness(
        {"V": "v", "u": "(5*s - 4)*v"}, {"v": (1,), "s": 1}, {"v": "vector"}
    ),
    ("Tonelli", "side a <= b"): Witness({"W": "1/(t + 1/2)**2"}, {"X": [fmpq(-3, 4), 0], "a": 0, "b": -1}, {}, COIN),
    ("Tonelli", "converges"): Witness({"W": "1/(t - 2)**2"}, {"X": [1, 3], "a": 0, "b": 4}, {}, COIN),
    ("Tonelli", "X free of t"): Witness(
        {"W": "1", "X": "1 + t*C", "b": "oo"}, {"C": [0, 1], "a": 0}, {"C": "random real"}, COIN
    ),
    ("integrable tail", "converges"): Witness({"W": "t**(-2)"}, {"X": 1, "a": 0, "b": 1}),
    # ---- functions
    **{
        (f"continuous along a line, {kind}", "premise norm(G"): Witness(values={**_ALONG, "G": "y -> norm(y)**(-2)*y"})
        for kind in ("inner product", "norm")
    },
    **{
        (f"continuous along a line, {kind}", f"{name} free of s"): Witness(
            {name: f"s**({power})*z"}, {**_ALONG, "z": (1,)}, {"z": "vector"}
        )
        for kind in ("inner product", "norm")
        for name, power in (("x", -2), ("h", -3), ("w", -2), ("u", -2))
        if kind != "norm" or name in "hw"
    },
}
