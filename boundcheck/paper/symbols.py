"""How the paper writes its names, for :mod:`boundcheck.author.typeset`: name -> (text, LaTeX, index)."""

from __future__ import annotations

NAMES: dict[str, tuple[str, str, str]] = {
    "Dbar": ("Δ̄", r"\bar\Delta", "0"),
    "fstar": ("f*", "f_{*}", ""),
    "gap": ("Δ", r"\Delta", ""),
    "zst": ("z̃", r"\tilde z", ""),
    "Hmu": ("H", "H", "mu"),
    "K0": ("K̃", r"\tilde K", ""),
    "gradf": ("∇f", r"\nabla f", ""),
    "gradF": ("∇F", r"\nabla F", ""),
    "fmu": ("f", "f", "mu"),
    "gradfmu": ("∇f", r"\nabla f", "mu"),
    "f0": ("f", "f", "0"),
    "gradf0": ("∇f", r"\nabla f", "0"),
    "G": ("G", "G", ""),
    "phi": ("φ", r"\varphi", ""),
    "slope": ("Y", "Y", ""),
    "est": ("G", "G", "mu"),
    "draw": ("draw", r"\mathrm{draw}", ""),
    "noise": ("ξ", r"\xi", ""),
    "dir": ("u", "u", ""),
    "past": ("ℱ", r"\mathcal{F}", ""),
    "theta10": ("θ", r"\theta", "1_0"),
    "theta20": ("θ", r"\theta", "2_0"),
}
