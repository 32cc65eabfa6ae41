"""The catalogue: every statement of the paper as data, one module per part."""
