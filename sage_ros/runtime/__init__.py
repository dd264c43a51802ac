"""The whole stack in one process on a simulated clock."""
