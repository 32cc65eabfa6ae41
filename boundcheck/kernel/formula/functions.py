"""The functions of one number, each an entry of one table: derivative, domain, direction, limits, exact values.

What is said here is read by every arithmetic, by derivatives, by the conditions under which a term is defined, by the
normal forms and by those who print. A new elementary function is one entry. Formulas are texts in ``x``; ``f`` is the
function's own value. What an entry cannot say (waves, abs, floor, gamma) the arithmetics know by the name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

HALF_TURN = "pi/2"


@dataclass(frozen=True)
class Function:
    """A real function on an interval, smooth inside of it.

    ``slope``: its derivative, valid wherever that formula is defined; "" where there is none. ``rises``: strictly on
    the whole domain, or falls (False); None where it does neither. The domain is from ``low`` to ``high``, which
    belong to it where ``closed``; ``limits`` are the values there, or what is approached. ``exact``: rational values
    at integers. ``range``: bounds of all values, where it neither rises nor falls. ``same``: a formula that has the
    same value and the same domain. ``entire``: it is analytic on the whole complex plane, but for poles.
    """

    slope: str = ""
    rises: bool | None = None
    low: str = "-oo"
    high: str = "oo"
    closed: tuple[bool, bool] = (False, False)
    limits: tuple[str, str] = ("-oo", "oo")
    exact: Mapping[int, int] = field(default_factory=dict)
    range: tuple[str, str] | None = None
    same: str = ""
    odd: bool = False
    entire: bool = False
    latex: str = ""  #: "": the name in upright letters
    convex: bool | None = None  #: strictly, on its domain (gamma and loggamma: where x > 0), or concave (False)

    @property
    def bounded(self) -> bool:
        """Whether it has a value everywhere, and all values lie between two numbers.

        In proofs asin(2) is some number, of which nothing is known.
        """
        limited = self.rises is not None and not any("oo" in at for at in self.limits)
        return not self.partial and (self.range is not None or limited)

    @property
    def partial(self) -> bool:
        """Whether some numbers are outside of the domain."""
        return (self.low, self.high) != ("-oo", "oo")


TABLE: dict[str, Function] = {
    "exp": Function("f", True, limits=("0", "oo"), exact={0: 1}, entire=True, latex=r"\exp", convex=True),
    "log": Function("1/x", True, "0", exact={1: 0}, latex=r"\log", convex=False),
    "sqrt": Function("1/(2*f)", True, "0", closed=(True, False), limits=("0", "oo"), convex=False),
    "abs": Function("x/f"),
    "sin": Function("cos(x)", range=("-1", "1"), exact={0: 0}, odd=True, entire=True, latex=r"\sin"),
    "cos": Function("-sin(x)", range=("-1", "1"), exact={0: 1}, entire=True, latex=r"\cos"),
    "tan": Function("1 + f**2", exact={0: 0}, odd=True, entire=True, same="sin(x)/cos(x)", latex=r"\tan"),
    "asin": Function(
        "1/sqrt(1 - x**2)", True, "-1", "1", (True, True), (f"-{HALF_TURN}", HALF_TURN), {0: 0}, odd=True,
        latex=r"\arcsin",
    ),
    "acos": Function(
        "-(1/sqrt(1 - x**2))", False, "-1", "1", (True, True), ("pi", "0"), {1: 0}, same="pi/2 - asin(x)",
        latex=r"\arccos",
    ),
    "atan": Function(
        "1/(1 + x**2)", True, limits=(f"-{HALF_TURN}", HALF_TURN), exact={0: 0}, odd=True, latex=r"\arctan"
    ),
    "sinh": Function(
        "cosh(x)", True, exact={0: 0}, same="(exp(x) - exp(-x))/2", odd=True, entire=True, latex=r"\sinh"
    ),
    "cosh": Function("sinh(x)", exact={0: 1}, same="(exp(x) + exp(-x))/2", entire=True, latex=r"\cosh", convex=True),
    "tanh": Function(
        "1 - f**2", True, limits=("-1", "1"), exact={0: 0}, same="(exp(x) - exp(-x))/(exp(x) + exp(-x))", odd=True,
        entire=True, latex=r"\tanh",
    ),
    "asinh": Function("1/sqrt(1 + x**2)", True, exact={0: 0}, same="log(x + sqrt(x**2 + 1))", odd=True),
    "acosh": Function(
        "1/sqrt(x**2 - 1)", True, "1", closed=(True, False), limits=("0", "oo"), exact={1: 0},
        same="log(x + sqrt(x**2 - 1))", convex=False,
    ),
    "atanh": Function("1/(1 - x**2)", True, "-1", "1", exact={0: 0}, same="log((1 + x)/(1 - x))/2", odd=True),
    "gamma": Function(exact={1: 1}, entire=True, latex=r"\Gamma", convex=True),
    "loggamma": Function(latex=r"\log\Gamma", convex=True),
    "erf": Function("2/sqrt(pi)*exp(-x**2)", True, limits=("-1", "1"), exact={0: 0}, odd=True, entire=True),
    "erfc": Function(
        "-(2/sqrt(pi)*exp(-x**2))", False, limits=("2", "0"), exact={0: 1}, same="1 - erf(x)", entire=True
    ),
    "floor": Function(),
    "ceil": Function(),
    "log1p": Function("1/(1 + x)", True, "-1", exact={0: 0}, same="log(1 + x)", convex=False),
    "expm1": Function("1 + f", True, limits=("-1", "oo"), exact={0: 0}, same="exp(x) - 1", entire=True, convex=True),
    # sin(x)/x, and 1 at 0; its least value is -0.2172336... at 4.4934... (DLMF 10.49.3, 10.21)
    "sinc": Function("(cos(x) - f)/x", range=("-0.2172337", "1"), exact={0: 1}, entire=True),
    # the principal branch of Lambert's function, w exp(w) = x with w >= -1 (DLMF 4.13)
    "lambertw": Function(
        "exp(-f)/(1 + f)", True, "-1/E", closed=(True, False), limits=("-1", "oo"), exact={0: 0}, latex="W",
        convex=False,
    ),
}  # fmt: skip
#: The functions of claims and terms that some numbers are no arguments of, with the operations that are so.
PARTIAL = frozenset({"div", "pow", "gamma", "loggamma", "tan"} | {name for name, f in TABLE.items() if f.partial})
#: The functions that rise strictly on their domain.
RISING = frozenset(name for name, f in TABLE.items() if f.rises)
