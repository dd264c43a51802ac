"""Asking a model for a reply of a given shape: bounded attempts, each recorded as an exchange."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace

from sage_ros.contract.judging import ModelExchange
from sage_ros.contract.task import Tokens
from sage_ros.language.client import (
    REPAIRABLE,
    Cancelled,
    Message,
    ModelClient,
    ModelError,
    ModelFailure,
    ModelReply,
    Role,
    Schema,
)
from sage_ros.language.schemas import Reply, read_reply

OnExchange = Callable[[ModelExchange], None]
Check = Callable[[Reply], str | None]
"""Says what is wrong with the content of a reply, in words for the model, or None."""

_QUOTED = 2_000
"""Characters of a bad reply that are sent back with the request to mend it."""


def never() -> bool:
    """Do not cancel."""
    return False


@dataclass(slots=True)
class Usage:
    """Calls and tokens so far; the weighted sum is in output tokens.

    The default weight of an input token reproduces published figures for a model of 4e9
    parameters (EOCV, ALFWorld).
    """

    input_weight: float = 0.13
    calls: int = 0
    input: int = 0
    output: int = 0

    def add(self, reply: ModelReply | None) -> None:
        """Count one call."""
        self.calls += 1
        if reply is not None:
            self.input += reply.input_tokens
            self.output += reply.output_tokens

    @property
    def tokens(self) -> Tokens:
        """The tokens of all calls."""
        weighted = self.input_weight * self.input + self.output
        return Tokens(self.input, self.output, weighted)


class Asker:
    """Asks one model. ``attempts`` bounds the calls for one answer, repairs included."""

    def __init__(
        self,
        client: ModelClient,
        *,
        attempts: int = 3,
        on_exchange: OnExchange | None = None,
        cancelled: Cancelled = never,
    ) -> None:
        if attempts < 1:
            raise ValueError(f'attempts must be at least 1, not {attempts}')
        self.client = client
        self.usage = Usage()
        self._attempts = attempts
        self._on_exchange = on_exchange
        self._cancelled = cancelled

    def ask(
        self,
        purpose: str,
        system: str,
        prompt: str,
        shape: type[Reply],
        schema: Schema,
        check: Check[Reply],
        *,
        note: Callable[[], str] = str,
        episode_id: str = '',
    ) -> Reply:
        """Return a reply that reads as ``shape`` and passes the check.

        A bad reply is sent back with what is wrong with it. What ``note`` says of a good one is
        recorded beside the purpose. Raises the ModelError of the last attempt, and at once one
        that asking again cannot mend.
        """
        first = [Message(Role.SYSTEM, system), Message(Role.USER, prompt)]
        messages = first
        for attempt in range(1, self._attempts + 1):
            if self._cancelled():
                raise ModelError(ModelFailure.CANCELLED, 'the answer is no longer wanted')
            exchange = ModelExchange(
                exchange_id=uuid.uuid4().hex,
                episode_id=episode_id,
                purpose=purpose,
                model=self.client.model,
                attempt=attempt,
                system=system,
                prompt='\n\n'.join(m.text for m in messages[1:]),
            )
            raw: ModelReply | None = None
            try:
                raw = self.client.chat(messages, schema, self._cancelled)
                reply = read_reply(raw.text, shape)
                problem = check(reply)
                if problem is not None:
                    raise ModelError(ModelFailure.CONTENT, problem, raw)
            except ModelError as error:
                raw = raw or error.reply
                self._record(exchange, raw, str(error))
                if error.kind not in REPAIRABLE or attempt == self._attempts:
                    raise
                messages = [*first, *_repair(raw, error)]
            else:
                noted = note()
                if noted:
                    exchange = replace(exchange, purpose=f'{purpose} ({noted})')
                self._record(exchange, raw, '')
                return reply
        raise AssertionError('the last attempt returns or raises')

    def _record(self, exchange: ModelExchange, reply: ModelReply | None, error: str) -> None:
        self.usage.add(reply)
        if self._on_exchange is None:
            return
        if reply is not None:
            exchange = replace(
                exchange,
                reply=reply.text,
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                load_s=reply.load_s,
                total_s=reply.total_s,
            )
        self._on_exchange(replace(exchange, error=error))


def _repair(reply: ModelReply | None, error: ModelError) -> list[Message]:
    said = reply.text[:_QUOTED] if reply is not None else ''
    request = (
        f'That reply cannot be used ({error}). '
        'Answer again with one JSON object of the given schema and nothing else.'
    )
    return [Message(Role.ASSISTANT, said or '(nothing)'), Message(Role.USER, request)]
