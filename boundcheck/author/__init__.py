"""What authors write: statements and proofs as text, read and elaborated by a search that nobody has to trust."""
