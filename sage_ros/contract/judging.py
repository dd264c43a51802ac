"""What passes between the monitor and the judge, the optional soft verifier."""

from dataclasses import dataclass, field
from enum import IntEnum

from sage_ros.contract.plan import Expectation
from sage_ros.scene.observation import Header


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """Ask whether an observation fulfils an expectation; ``image_stamp`` 0: no image."""

    header: Header = field(default_factory=Header)
    episode_id: str = ''
    command_id: str = ''
    observation_seq: int = 0
    image_stamp: int = 0
    action: str = ''
    args: tuple[str, ...] = ()
    expectation: Expectation = field(default_factory=Expectation)
    text: str = ''


class Judgement(IntEnum):
    """What a judge says of an expectation."""

    HOLDS = 0
    VIOLATED = 1
    CANNOT_TELL = 2


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """A judge's answer; ``score`` in [0, 1] is its confidence that the expectation holds."""

    header: Header = field(default_factory=Header)
    episode_id: str = ''
    command_id: str = ''
    judgement: Judgement = Judgement.CANNOT_TELL
    score: float = 0.0
    reason: str = ''
    exchange_id: str = ''


@dataclass(frozen=True, slots=True)
class ModelExchange:
    """One call of a model, whole: times in seconds, tokens as the server counted them."""

    header: Header = field(default_factory=Header)
    exchange_id: str = ''
    episode_id: str = ''
    purpose: str = ''
    model: str = ''
    attempt: int = 1
    system: str = ''
    prompt: str = ''
    reply: str = ''
    error: str = ''
    input_tokens: int = 0
    output_tokens: int = 0
    load_s: float = 0.0
    total_s: float = 0.0
