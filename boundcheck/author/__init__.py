"""What people write and read: formulas typeset; statements and proofs as text, elaborated by an untrusted search."""
