"""Observations and the belief they add up to."""
