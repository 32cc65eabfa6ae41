"""The engines: each one takes a claim and returns a verdict."""

from boundcheck.decide.engine import decide, prove, rules_used
from boundcheck.decide.slack import slack_bracket

__all__ = ["decide", "prove", "rules_used", "slack_bracket"]
