"""Models written by hand that break a rule without one of its conditions, where random ones seldom do.

Each is tried as a drawn model is: all that the rule asks for besides holds in it, and the conclusion does not.
"""

from __future__ import annotations

import random as python_random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from benchmarks.hunter.meet import Fact, check
from benchmarks.hunter.schemas import Draw, Dropped, conditions
from benchmarks.hunter.words import shown
from boundcheck.kernel.formula import Relation, const, var
from boundcheck.kernel.proof.facts import read_term
from boundcheck.kernel.proof.sorts import REAL, VECTOR, read_sort
from boundcheck.kernel.proof.terms import put
from boundcheck.kernel.rules import RULES, Rule
from boundcheck.kernel.statement import Fact as Text
from boundcheck.models import named_functions
from boundcheck.models.evaluate import Evaluator
from boundcheck.models.model import LINE, Function, Law, Model, Rv, Sigma, Source, law_source

HALF = fmpq(1, 2)
N = LINE  #: the coordinate of the line
COIN = ((HALF, HALF),)  #: one source of two outcomes
COINS = ((HALF, HALF), (HALF, HALF))


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
    ev = Evaluator(model)
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


