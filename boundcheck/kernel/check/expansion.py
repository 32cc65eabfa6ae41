"""The sign of a formula next to a point or at infinity, by its expansion with a rigorous remainder.

The moving variable is x = a + s h (s = 1 or -1) or x = s/h, 0 < h <= width; ``a`` may be a formula in the
other variables, which stay symbolic in the coefficients and range over a box in the remainders.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import fmpq

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.laurent import NoExpansion, Series, Trans
from boundcheck.kernel.check.poly import AlgebraLimit
from boundcheck.kernel.check.series import Expander
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.intervals import Interval
from boundcheck.kernel.formula import Expr, call, const, num
from boundcheck.kernel.formula.functions import TABLE
from boundcheck.kernel.formula.unfolding import unfolded

_Z = Fraction(0)
_HALF = num(Fraction(1, 2))
#: B_2k / (2k (2k-1)), the coefficients of Stirling's series of log Gamma
_STIRLING = (Fraction(1, 12), Fraction(-1, 360), Fraction(1, 1260), Fraction(-1, 1680), Fraction(1, 1188),
             Fraction(-691, 360360), Fraction(1, 156), Fraction(-3617, 122400))  # fmt: skip


class Expansion(Expander):
    """Expands formulas in the variable ``name``."""

    def __init__(
        self,
        algebra: Algebra,
        box: dict[str, Interval],
        name: str,
        at: Expr | None,
        side: int,
        width: Fraction,
        depth: int = 6,
        clock: Callable[[], None] = lambda: None,
    ):
        super().__init__(algebra, box, width, depth, clock)
        self.name = name
        if at is None:
            moving: Trans = {(): Series({(Fraction(-1), _Z): fmpq(side)}, None, {})}
        else:
            moving = {(): Series({(Fraction(1), _Z): fmpq(side)}, None, {})}
            moving = self.t_add(moving, self._constant(at))
        self.memo: dict[Expr, Trans] = {}
        self.moving = moving

    def _constant(self, e: Expr) -> Trans:
        return self.constant(self._normal(e))

    def of(self, e: Expr) -> Trans:
        """The trans-series of ``e``. Raises NoExpansion or AlgebraLimit."""
        found = self.memo.get(e)
        if found is None:
            found = self._of(e)
            self.memo[e] = found
        return found

    def sign(self, e: Expr) -> int:
        """1, -1 or 0: the sign of ``e`` for every 0 < h <= width. Raises NoExpansion."""
        try:
            return self.t_sign(self.of(e))
        except AlgebraLimit as error:
            raise NoExpansion(str(error)) from None
        except (ZeroDivisionError, OverflowError) as error:
            raise NoExpansion(f"arithmetic: {error}") from None

    def _of(self, e: Expr) -> Trans:
        if self.name not in e.free:
            return self._constant(e)
        match e.op:
            case "var":
                return self.moving
            case "add":
                return self.t_add(self.of(e.args[0]), self.of(e.args[1]))
            case "sub":
                return self.t_add(self.of(e.args[0]), self.t_scale(self.of(e.args[1]), fmpq(-1)))
            case "neg":
                return self.t_scale(self.of(e.args[0]), fmpq(-1))
            case "mul":
                return self.t_mul(self.of(e.args[0]), self.of(e.args[1]))
            case "div":
                return self.t_mul(self.of(e.args[0]), self.inverse(self.of(e.args[1])))
            case "pow":
                return self._pow(e)
            case "sqrt":
                return self.power(self.of(e.args[0]), Fraction(1, 2))
            case "min" | "max":
                return self._extreme(e)
        if len(e.args) != 1:
            raise NoExpansion(f"{e.op} of a moving argument")
        return self._function(e.op, e)

    def _pow(self, e: Expr) -> Trans:
        base, exponent = e.args
        if self.name not in exponent.free:
            c = self._normal(exponent)
            if isinstance(c, fmpq):
                return self.power(self.of(base), Fraction(int(c.p), int(c.q)))
        logarithm = self.log(self.of(base))
        return self.exp(self.t_mul(self.of(exponent), logarithm))

    def _extreme(self, e: Expr) -> Trans:
        best = e.args[0]
        for other in e.args[1:]:
            s = self.sign(best - other)
            if (s < 0) == (e.op == "max") and s:
                best = other
        return self.of(best)

    def _function(self, name: str, e: Expr) -> Trans:
        u = self.of(e.args[0])
        match name:
            case "exp":
                return self.exp(u)
            case "log":
                return self.log(u)
            case "abs":
                s = self.t_sign(u)
                return u if s >= 0 else self.t_scale(u, fmpq(-1))
            case "atan" if self._diverges(u):
                half_turn = self._constant(const("pi") * _HALF)
                if self.t_sign(u) < 0:
                    half_turn = self.t_scale(half_turn, fmpq(-1))
                return self.t_add(half_turn, self.t_scale(self.analytic("atan", self.inverse(u)), fmpq(-1)))
            case "erf" | "erfc" if self._diverges(u):
                return self._erf(name, u)
            case "gamma" | "loggamma":
                return self._gamma(name, u)
            case "asin":
                return self._arcsine(u)
            case "tanh":
                if self._diverges(u) and self.t_sign(u) < 0:
                    return self.of(-call("tanh", -e.args[0]))
                q = call("exp", -2 * e.args[0])
                return self.of((1 - q) / (1 + q))
        other = unfolded(e)
        if other is not None and (name == "tan" or TABLE[name].partial or self._diverges(u)):
            return self.of(other)
        return self.analytic(name, u, e.value)

    def _diverges(self, u: Trans) -> bool:
        try:
            self.parts(u)
        except NoExpansion:
            return True
        return False

    def _erf(self, name: str, u: Trans) -> Trans:
        one = self.constant(fmpq(1))
        if self.t_sign(u) < 0:
            other = self._erf("erfc", self.t_scale(u, fmpq(-1)))  # erfc(-u) = 2 - erfc(u)
            value = self.t_add(self.constant(fmpq(2)), self.t_scale(other, fmpq(-1)))
        else:
            # erfc(u) = exp(-u^2)/(u sqrt(pi)) (sum_k (-1)^k (2k-1)!! w^k), w = 1/(2u^2); the remainder has the
            # sign of the first omitted term and is at most that term (DLMF 7.12(i), real u > 0)
            square = self.t_mul(u, u)
            w = self.inverse(self.t_scale(square, fmpq(2)))
            coefficients, factor = [], fmpq(1)
            for k in range(self.count(w)):
                coefficients.append(factor)
                factor = -factor * (2 * k + 1)
            bound = iv.mul(self.range_of(factor), (iv.ZERO, iv.ONE, False, False))
            front = self.t_mul(self.exp(self.t_scale(square, fmpq(-1))), self.inverse(u))
            front = self.t_mul(front, self._constant(1 / call("sqrt", const("pi"))))
            value = self.t_mul(front, self.taylor(w, coefficients, bound))
        return value if name == "erfc" else self.t_add(one, self.t_scale(value, fmpq(-1)))

    def _gamma(self, name: str, u: Trans) -> Trans:
        if self._diverges(u):
            value = self._stirling(u)
            return value if name == "loggamma" else self.exp(value)
        c0, small = self.parts(u)
        if self.c_zero(c0):  # Gamma(u) = Gamma(1 + u)/u
            if not small or self.t_sign(u) < 0:
                raise NoExpansion("gamma at a pole from the left")
            shifted = self.analytic(name, self.t_add(self.constant(fmpq(1)), small))
            if name == "gamma":
                return self.t_mul(shifted, self.inverse(u))
            return self.t_add(shifted, self.t_scale(self.log(u), fmpq(-1)))
        return self.analytic(name, u)

    def _stirling(self, u: Trans) -> Trans:
        # log Gamma(u) = (u - 1/2) log u - u + log(2 pi)/2 + sum_k B_2k/(2k(2k-1)) u^(1-2k); for u > 0, as log u says,
        # the remainder has the sign of the first omitted term and is at most that term (DLMF 5.11(ii))
        n = min(len(_STIRLING) - 1, max(2, self.depth // 2))
        v = self.inverse(u)
        total = self.t_add(u, self.constant(fmpq(-1, 2)))
        total = self.t_add(self.t_mul(total, self.log(u)), self.t_scale(u, fmpq(-1)))
        total = self.t_add(total, self._constant(call("log", 2 * const("pi")) * _HALF))
        w = self.t_mul(v, v)
        coefficients = [fmpq(q.numerator, q.denominator) for q in _STIRLING[: n + 1]]
        bound = iv.mul(self.range_of(coefficients[n]), (iv.ZERO, iv.ONE, False, False))
        return self.t_add(total, self.t_mul(v, self.taylor(w, coefficients[:n], bound)))

    def _arcsine(self, u: Trans) -> Trans:
        s, _ = self.parts(u)
        if not (isinstance(s, fmpq) and abs(s) == 1):
            return self.analytic("asin", u)
        # asin(s t) = s (pi/2 - 2 asin(sqrt((1 - t)/2)))
        gap = self.t_scale(self.t_add(self.constant(fmpq(1)), self.t_scale(u, -s)), fmpq(1, 2))
        root = self.analytic("asin", self.power(gap, Fraction(1, 2))) if gap else {}
        return self.t_scale(self.t_add(self._constant(const("pi") * _HALF), self.t_scale(root, fmpq(-2))), s)
