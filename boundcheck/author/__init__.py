"""What people write and read: formulas typeset as LaTeX, MathML and Unicode text."""
