"""What a client of a language model offers, and the ways in which a model fails."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

Cancelled = Callable[[], bool]
"""Tells whether the answer is no longer wanted; called from the thread that asks."""

Schema = Mapping[str, object]
"""A JSON schema that the reply shall follow."""


class Role(StrEnum):
    """Who said a message."""

    SYSTEM = 'system'
    USER = 'user'
    ASSISTANT = 'assistant'


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model said. Tokens as the server counted them, times in seconds."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    load_s: float = 0.0
    total_s: float = 0.0


class ModelFailure(StrEnum):
    """Why there is no usable reply."""

    SERVER_DOWN = 'server down'
    MODEL_MISSING = 'model missing'
    SERVER_ERROR = 'server error'
    TIMEOUT = 'timeout'
    CANCELLED = 'cancelled'
    PROMPT_TOO_LONG = 'prompt too long'
    PROMPT_CUT = 'prompt cut'
    EMPTY = 'empty reply'
    TRUNCATED = 'reply cut off'
    TOO_LARGE = 'reply too large'
    NOT_JSON = 'not JSON'
    SCHEMA = 'schema not followed'
    CONTENT = 'content not usable'


REPAIRABLE = frozenset(
    (
        ModelFailure.EMPTY,
        ModelFailure.TRUNCATED,
        ModelFailure.TOO_LARGE,
        ModelFailure.NOT_JSON,
        ModelFailure.SCHEMA,
        ModelFailure.CONTENT,
    )
)
"""Failures of the reply itself: asking again, with what was wrong, can help."""


class ModelError(Exception):
    """A failed call; ``kind`` says how, the message how to mend it.

    ``reply`` is what the model said, as far as it said anything.
    """

    def __init__(self, kind: ModelFailure, message: str, reply: ModelReply | None = None) -> None:
        super().__init__(f'{kind}: {message}')
        self.kind = kind
        self.reply = reply


class ModelClient(Protocol):
    """A language model. Calls block; they may come from any thread."""

    @property
    def model(self) -> str:
        """The model's name."""
        ...

    def preflight(self) -> str:
        """Check server, model and context size and describe them; ModelError if unusable."""
        ...

    def chat(
        self, messages: Sequence[Message], schema: Schema | None, cancelled: Cancelled
    ) -> ModelReply:
        """Send a conversation and return the reply; ModelError if there is none.

        The reply follows the schema only as far as the server sees to it.
        """
        ...
