"""The household's domain, which several environments share."""

from functools import lru_cache

from sage_ros.contract.resources import config_path
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.pddl_reader import read_domain


@lru_cache(maxsize=1)
def household() -> Domain:
    """Read the domain of the household; DomainError if it is broken."""
    return read_domain(config_path('domains/household.pddl'))
