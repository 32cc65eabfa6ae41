"""The commands of `python -m boundcheck.lemma`, one module each."""
