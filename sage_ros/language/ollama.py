"""A client of an Ollama server. It never pulls a model."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from sage_ros.language.client import (
    Cancelled,
    Message,
    ModelError,
    ModelFailure,
    ModelReply,
    Schema,
)
from sage_ros.language.schemas import LARGEST_REPLY

_NANOSECONDS = 1e9
_CHARACTERS_OF_A_TOKEN = 3.0
"""Characters of a token, estimated low: better to refuse a prompt than to have it cut."""
_MOST_CHARACTERS_OF_A_TOKEN = 8.0
"""No tokenizer makes fewer tokens of our prompts than one for so many characters."""


class OllamaClient:
    """Talks to one model of an Ollama server.

    ``host`` None: OLLAMA_HOST, or this machine. ``timeout_s`` bounds one call as a whole,
    ``num_ctx`` is the context in tokens (always sent: the server's own default cuts prompts in
    silence), ``num_predict`` the longest reply in tokens. Temperature is 0 and the seed fixed.
    """

    def __init__(
        self,
        model: str,
        *,
        host: str | None = None,
        timeout_s: float = 120.0,
        num_ctx: int = 8192,
        num_predict: int = 1024,
        seed: int = 0,
        think: bool | None = None,
    ) -> None:
        if not model:
            raise ValueError('no model is named: give one such as qwen3:8b')
        if not timeout_s > 0:
            raise ValueError(f'timeout_s must be positive, not {timeout_s}')
        if not 0 < num_predict < num_ctx:
            raise ValueError(f'num_predict ({num_predict}) must be in (0, num_ctx = {num_ctx})')
        self._model = model
        self._timeout_s = timeout_s
        self._num_ctx = num_ctx
        self._num_predict = num_predict
        self._think = think
        self._options = {
            'temperature': 0.0,
            'seed': seed,
            'num_ctx': num_ctx,
            'num_predict': num_predict,
        }
        try:
            import httpx
            import ollama
        except ImportError as error:
            raise ImportError(
                "the ollama planner needs the ollama client: pip install 'sage_ros[ollama]'"
            ) from error
        self._client = ollama.Client(host=host, timeout=timeout_s)
        # What server and network can do to a call; a ValueError is an answer of no meaning.
        self._errors = (httpx.HTTPError, ollama.ResponseError, ConnectionError, ValueError)

    @property
    def model(self) -> str:
        """The model's name."""
        return self._model

    def preflight(self) -> str:
        """Check server, model and context size and describe them; ModelError if unusable."""
        try:
            shown = self._client.show(self._model)
        except self._errors as error:
            raise self._failure(error) from error
        info: dict[str, Any] = shown.modelinfo or {}
        largest = next((v for k, v in info.items() if k.endswith('.context_length')), None)
        if isinstance(largest, int) and largest < self._num_ctx:
            raise ModelError(
                ModelFailure.PROMPT_TOO_LONG,
                f'{self._model} has a context of {largest} tokens: set num_ctx '
                f'({self._num_ctx}) to at most that',
            )
        return f'{self._model}, context {self._num_ctx} of {largest or "unknown"} tokens'

    def chat(
        self, messages: Sequence[Message], schema: Schema | None, cancelled: Cancelled
    ) -> ModelReply:
        """Send a conversation and return the reply; ModelError if there is none."""
        length = sum(len(message.text) for message in messages)
        needed = round(length / _CHARACTERS_OF_A_TOKEN) + self._num_predict
        if needed > self._num_ctx:
            raise ModelError(
                ModelFailure.PROMPT_TOO_LONG,
                f'prompt and reply need about {needed} tokens, the context has {self._num_ctx}: '
                'raise num_ctx',
            )
        deadline = time.monotonic() + self._timeout_s
        try:
            parts = self._client.chat(
                model=self._model,
                messages=[{'role': str(m.role), 'content': m.text} for m in messages],
                format=dict(schema) if schema is not None else None,
                options=self._options,
                think=self._think,
                stream=True,
            )
            reply, last = self._collect(parts, deadline, cancelled)
        except self._errors as error:
            raise self._failure(error) from error
        self._judge(reply, last, length)
        return reply

    def _collect(
        self, parts: Iterator[Any], deadline: float, cancelled: Cancelled
    ) -> tuple[ModelReply, Any]:
        """Put the parts together, within the time and the size that are allowed."""
        texts: list[str] = []
        size = 0
        last: Any = None
        for part in parts:
            last = part
            content = part.message.content or ''
            texts.append(content)
            size += len(content)
            if size > LARGEST_REPLY:
                so_far = ModelReply(''.join(texts))
                raise ModelError(
                    ModelFailure.TOO_LARGE, f'more than {LARGEST_REPLY} characters', so_far
                )
            if cancelled():
                raise ModelError(ModelFailure.CANCELLED, 'the answer is no longer wanted')
            if time.monotonic() > deadline:
                raise ModelError(
                    ModelFailure.TIMEOUT, f'{self._model} was not done in {self._timeout_s:g} s'
                )
        if last is None or not last.done:
            raise ModelError(ModelFailure.SERVER_ERROR, 'the reply broke off')
        reply = ModelReply(
            ''.join(texts),
            last.prompt_eval_count or 0,
            last.eval_count or 0,
            (last.load_duration or 0) / _NANOSECONDS,
            (last.total_duration or 0) / _NANOSECONDS,
        )
        return reply, last

    def _judge(self, reply: ModelReply, last: Any, length: int) -> None:
        """Refuse a reply that was cut off, is empty, or answers a prompt that was cut."""
        counted = reply.input_tokens
        if 0 < counted < length / _MOST_CHARACTERS_OF_A_TOKEN:
            raise ModelError(
                ModelFailure.PROMPT_CUT,
                f'the server read {counted} tokens of a prompt of {length} characters: raise '
                f'num_ctx ({self._num_ctx}) or the context of the server',
                reply,
            )
        if last.done_reason == 'length':
            raise ModelError(
                ModelFailure.TRUNCATED,
                f'the reply did not end within {self._num_predict} tokens: be shorter',
                reply,
            )
        if not reply.text.strip():
            thought = ' (it only thought: set think to false)' if last.message.thinking else ''
            raise ModelError(ModelFailure.EMPTY, f'the model said nothing{thought}', reply)

    def _failure(self, error: Exception) -> ModelError:
        """Give an exception of the client its type."""
        import httpx
        import ollama

        if isinstance(error, httpx.TimeoutException):
            return ModelError(
                ModelFailure.TIMEOUT, f'{self._model} did not answer in {self._timeout_s:g} s'
            )
        if isinstance(error, ollama.ResponseError):
            if error.status_code == 404:
                return ModelError(
                    ModelFailure.MODEL_MISSING,
                    f'the server does not have {self._model}: ollama pull {self._model}',
                )
            return ModelError(
                ModelFailure.SERVER_ERROR, f'{error.error} (status {error.status_code})'
            )
        if isinstance(error, ValueError):
            return ModelError(ModelFailure.SERVER_ERROR, f'its answer cannot be read: {error}')
        return ModelError(
            ModelFailure.SERVER_DOWN,
            f'no Ollama server answers ({error}): start it with: ollama serve',
        )
