"""What is told in one line when a model or a data set cannot be used."""

from boundcheck.system.exits import Unusable


class TuningFault(Unusable):
    """Unusable input: the message names the parameter, its value, what is wanted and a mend."""
