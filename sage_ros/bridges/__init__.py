"""Environments and the machine that drives one of them by signed commands."""
