"""What a planner knows of an environment before it has seen anything of it."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sage_ros.contract.admission import AdmissionTable, read_admission
from sage_ros.contract.execution import BridgeInfo
from sage_ros.contract.resources import config_path
from sage_ros.planning.exploration import Priors, priors
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.pddl_reader import read_domain


@dataclass(frozen=True, slots=True)
class World:
    """The domain, what is admitted, what is expected of the domain, and what the bridge takes."""

    domain: Domain
    admission: AdmissionTable
    priors: Priors
    bridge: BridgeInfo

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions that the bridge takes and the admission file allows, in its order."""
        return tuple(a.name for a in self.bridge.actions if a.name in self.admission.actions)


def load_world(bridge: BridgeInfo) -> World:
    """Read the configuration of the bridge's environment.

    Raises FileNotFoundError for an environment without an admission file, ConfigurationError or
    DomainError for a bad file, ValueError if the bridge has another domain than we.
    """
    domain, admission, expected = configuration(bridge.environment)
    if bridge.domain_hash and bridge.domain_hash != domain.digest:
        raise ValueError(
            f'the bridge of {bridge.environment} has another {admission.domain} '
            f'({bridge.domain_hash[:12]}, here {domain.digest[:12]}): install the same version'
        )
    return World(domain, admission, expected, bridge)


def configuration(environment: str) -> tuple[Domain, AdmissionTable, Priors]:
    """Read the admission file of an environment, the domain that it names, and its priors."""
    path = config_path(f'admission/{environment}.yaml')
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> tuple[Domain, AdmissionTable, Priors]:
    """Read the files, once for each state of the admission file (``changed``)."""
    del changed
    domain = read_domain(config_path(f'domains/{read_admission(path).domain}'))
    return domain, read_admission(path, domain), priors(domain)
