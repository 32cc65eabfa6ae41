"""Everything that a PROVED rests on: the language, exact arithmetic, enclosures, proof steps, certificates."""
