"""Exact laws: sphere, scalar noise, projections and the two-point estimate, in closed form or certified quadrature.

``arithmetic`` (floats, balls, formulas), ``sphere`` (u uniform), ``noise`` (scalar laws), ``weak`` (weak-L_q
constants), ``directional`` (<zeta, u> and <g, u>), ``two_point`` (Y = <g + X v, u>).
"""
