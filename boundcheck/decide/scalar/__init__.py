"""Scalar claims: tactics that propose rules, the refuter, the slack; the engine orders them."""
