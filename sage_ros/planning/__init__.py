"""Planners: backends that propose, and the session that carries a task through."""
