"""boundcheck: statements of a theory paper as data, decided with certificates or witnesses."""

__version__ = "0.1.0"
