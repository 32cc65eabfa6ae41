"""Exact laws, each closed form once for floats and for balls, against which simulation and product are held.

``arithmetic`` (floats, balls), ``sphere_laws`` (u uniform), ``scalar_noise`` (scalar laws), ``directional``
(<zeta, u> and <g, u>), ``two_point`` (Y = <g + X v, u>).
"""
