"""How the paper writes its names, for :mod:`boundcheck.author.typeset`: name -> (text, LaTeX, index)."""

from __future__ import annotations

NAMES: dict[str, tuple[str, str, str]] = {
    "Dbar": ("Δ̄", r"\bar\Delta", "0"),
    "fstar": ("f*", "f_{*}", ""),
    "gap": ("Δ", r"\Delta", ""),
    "zst": ("z̃", r"\tilde z", ""),
    "Hmu": ("H", "H", "mu"),
    "past": ("ℱ", r"\mathcal{F}", ""),
    "theta10": ("θ", r"\theta", "1_0"),
    "theta20": ("θ", r"\theta", "2_0"),
}
