"""Lines that say what a rule says in another form, and lines that follow from named facts in another form."""

import math
from dataclasses import replace

import pytest
from slow import larger, more

from boundcheck.author.elaborate import elaborate
from boundcheck.author.proof_reader import read_proof
from boundcheck.claims import as_claim
from boundcheck.decide import decide
from boundcheck.decide.statements import TOLD, decide_statement
from boundcheck.kernel.clock import budget
from boundcheck.kernel.statement import Fact, Parameter, Statement
from boundcheck.paper import lookup
from boundcheck.verdict import Status

pytestmark = pytest.mark.usefixtures("no_worlds")

SORTS = {
    "u": "random vector", "w": "random vector", "m": "vector", "X": "random real", "lam": "real", "c": "real",
    "n": "integer -> random vector", "xi": "integer -> random vector", "H": "integer -> information",
    "v": "integer -> real", "Z": "integer -> random real",
}  # fmt: skip
KNOWN = {
    "square": Fact("integrable(norm(u)**2) == 1"),
    "other square": Fact("integrable(norm(w)**2) == 1"),
    "cross": Fact("integrable(dot(u, w)) == 1"),
    "below": Fact("X**2 <= norm(u)**2"),
    "centred": Fact("Egiven(at(xi, t + 1), at(H, t)) == 0", ("t: integer",), ("t >= 0",)),
    "move": Fact("at(n, t + 1) == at(n, t) - c*at(xi, t)", ("t: integer",)),
    "same move": Fact("at(n, s + 1) == at(n, s) - c*at(xi, s)", ("s: integer",)),
    "few": Fact("sum(at(n, k), k, 0, 1) == u + w"),
    "start": Fact("at(v, 0) <= c"),
    "kept": Fact("at(v, s + 1) <= c", ("s: integer",), ("at(v, s) <= c", "s >= 0")),
    "range": Fact("abs(at(Z, t)) <= 1", ("t: integer",), ("t >= 1",)),
}
AT_S = " for integer s where s >= 0"
MOVED = (
    "norm(at(n, s + 1) - m)**2 == norm(at(n, s) - m)**2 - {}*c*dot(at(xi, s), at(n, s) - m) + c**2*norm(at(xi, s))**2"
)
MORE = "inner: dot(u - m, m) >= -norm(u - m)*norm(m)\nlonger: norm(u) <= norm(m) + norm(u - m)\n"
CHORD = "chord: exp(lam*y) <= cosh(lam) + y*sinh(lam) for y where -1 <= y, y <= 1\n"
PARAMETERS = (Parameter("T", "steps", ("T >= 1",), True),)
ENOUGH = 6.0  #: seconds of work in which every reason here is found: what has none is not searched for longer

LINES = [
    ("dot(u, w) <= norm(u)*norm(w)", True),
    ("dot(u, w) >= -norm(u)*norm(w)  by Cauchy-Schwarz", True),
    ("dot(u, w) <= norm(u)*norm(w)/2  by Cauchy-Schwarz", False),
    ("dot(u, w) >= norm(u)*norm(w)  by Cauchy-Schwarz", False),
    ("2*dot(u, w) + c <= 2*norm(u)*norm(w) + c  by Cauchy-Schwarz", True),
    ("3*dot(u, w) + c <= 2*norm(u)*norm(w) + c  by Cauchy-Schwarz", False),
    ("norm(u) - norm(w) <= norm(u - w)", True),
    ("abs(norm(u) - norm(w)) <= norm(u - w)", True),
    more("abs(norm(u) - norm(w)) <= norm(u - w)/2", False),
    ("abs(norm(u) + norm(w)) <= norm(u + w)", False),
    ("abs(dot(u, w)) <= norm(u)**2/2 + norm(w)**2/2  by gram", True),
    ("abs(dot(u, w)) <= norm(u)**2/2 + norm(w)**2/3  by gram", False),
    ("dot(u, w) <= norm(u)**2/2 + norm(w)**2/3  by gram", False),
    ("dot(m, sum(at(n, k), k, 0, 1)) == dot(m, u) + dot(m, w)  by few", True),
    ("dot(m, sum(at(n, k), k, 0, 1)) == dot(m, u) - dot(m, w)  by few", False),
    (f"{MOVED.format(2)}{AT_S}  by move, gram", True),
    (f"{MOVED.format(2)}{AT_S}  by same move", True),
    more(f"{MOVED.format(1)}{AT_S}  by move, gram", False),
    more(MORE + "dot(u, m) >= norm(m)*(norm(u) - 2*norm(u - m))  by inner, longer", True),
    more(MORE + "dot(u, m) >= norm(m)*(norm(u) - norm(u - m))  by inner, longer", False),
    ("integrable(X**2) == 1  by integrable, dominated number, below", True),
    ("integrable(X**4) == 1  by integrable, dominated number, below", False),
    ("E(X**2) <= E(norm(u)**2)", True),
    more("E(norm(u)**2) <= E(X**2)", False),
    more("E(norm(c*u - w)**2) == c**2*E(norm(u)**2) - 2*c*E(dot(u, w)) + E(norm(w)**2)", True),
    (f"dot(at(n, s), Egiven(at(xi, s + 1), at(H, s))) == 0{AT_S}  by centred", True),
    (f"dot(at(n, s), Egiven(at(xi, s), at(H, s))) == 0{AT_S}  by centred", False),
    ("at(v, T) <= c  by induction", True),
    more("at(v, T) <= c - 1  by induction", False),
    more("at(v, -T) <= c  by induction", False),
]  # fmt: skip
LONG = [
    (CHORD + "exp(lam*at(Z, s)) <= cosh(lam) + at(Z, s)*sinh(lam) for integer s where s >= 1"
     "  by [chord at y = at(Z, s)], range", True),
    (CHORD + "exp(lam*at(Z, s)) <= cosh(lam) + at(Z, s)*sinh(lam) for integer s where s >= 0"
     "  by [chord at y = at(Z, s)], range", False),
    ("E(norm(c*u - w)**2) == c**2*E(norm(u)**2) - c*E(dot(u, w)) + E(norm(w)**2)", False),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "holds"), [*LINES, *larger(LONG)])
def test_a_line_in_another_form(lines, holds):
    *_, last = lines.splitlines()
    claim, _, rest = last.partition("  by ")[0].partition(" for integer s where ")
    over, where = (("s: integer",), (rest,)) if rest else ((), ())
    told = (Fact(claim, over, where),)
    statement = Statement("lem:own", "t", "lemma", "own", "", PARAMETERS, KNOWN, told, declares=SORTS)
    with budget(math.inf if holds else ENOUGH):
        made = elaborate(statement, read_proof(lines), lookup)
    found = decide_statement(made.statement, lookup, 2.0, 0.0).status
    assert (not made.faults and found is Status.PROVED) is holds, made.faults


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("sum((1 - a)**t, t, 0, n - 1) <= 1/a", Status.PROVED),
        ("sum(s*(1 - a)**(n - t), t, 1, n) <= s/a", Status.PROVED),
        ("sum((1 - a)**t, t, 0, n - 1) == (1 - (1 - a)**n)/a", Status.PROVED),
        ("sum((1 - a)**t, t, 0, n - 1) <= 99/100/a", Status.REFUTED),
        ("sum((1 - a)**t, t, 0, n - 1) == (1 - (1 - a)**(n + 1))/a", Status.REFUTED),
    ],
)
def test_a_geometric_sum_whose_ratio_is_a_difference(claim, status):
    asked = as_claim(claim, ["0 < a", "a < 1", "s >= 0", "n >= 1"])
    assert decide(replace(asked, integers=frozenset({"n"})), seconds=5).status is status


@pytest.mark.thorough
def test_a_message_tells_the_first_of_many_facts():
    known = {f"h{k}": Fact(f"E(X**{2 * k}) <= c + {k}") for k in range(1, 13)}
    lines = f"E(X**2)*E(X**4) <= c  by {', '.join(known)}"
    statement = Statement(
        "lem:own", "t", "lemma", "own", "", (), known, (Fact("E(X**2)*E(X**4) <= c"),), declares=SORTS
    )
    [fault] = elaborate(statement, read_proof(lines), lookup).faults
    told = str(fault).partition("closest: ")[2].partition(" where ")[2]
    assert told.count("<=") == TOLD and f", and {len(known) - TOLD} more" in told
