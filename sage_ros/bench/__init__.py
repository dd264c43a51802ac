"""Measurements: sets of games and tasks, and what came out with what it was measured on."""
