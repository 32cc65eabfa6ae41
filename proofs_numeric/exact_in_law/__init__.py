"""Simulated exactly in law where the direct way is out of reach, and laws that are known exactly."""
