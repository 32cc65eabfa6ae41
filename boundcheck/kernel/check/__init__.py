"""The verifier: rules of proof re-checked in ball and exact arithmetic; imports no engine."""
