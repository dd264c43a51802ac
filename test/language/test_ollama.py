"""The Ollama client against a server that speaks its API: every way to fail has its type."""

import socket
import threading
import time

import pytest
from fake_ollama import FakeOllama, Scripted

from sage_ros.language.asking import Asker, never
from sage_ros.language.client import Message, ModelError, ModelFailure, Role
from sage_ros.language.ollama import OllamaClient
from sage_ros.language.schemas import LARGEST_REPLY, StepReply, step_schema

STEP = '{"thought": "there it is", "action": "pick", "args": ["mug_1", "desk_1"], "done": false}'
SCHEMA = step_schema(['pick', 'goto'], ['mug_1', 'desk_1'])


def client(fake: FakeOllama, model: str = 'test:1b', **options: object) -> OllamaClient:
    return OllamaClient(model, host=fake.host, **{'timeout_s': 10.0, **options})


def chat(fake: FakeOllama, text: str = 'What next?', **options: object) -> str:
    messages = [Message(Role.SYSTEM, 'You plan.'), Message(Role.USER, text)]
    return client(fake, **options).chat(messages, SCHEMA, never).text


def failure(fake: FakeOllama, text: str = 'What next?', **options: object) -> ModelError:
    with pytest.raises(ModelError) as caught:
        chat(fake, text, **options)
    return caught.value


def test_reply_is_put_together_and_counted() -> None:
    with FakeOllama([STEP]) as fake:
        reply = client(fake).chat([Message(Role.USER, 'x' * 400)], SCHEMA, never)
    assert reply.text == STEP
    assert reply.input_tokens == 100
    assert reply.output_tokens == len(STEP) // 4
    assert reply.load_s == pytest.approx(0.001)


def test_context_size_seed_temperature_and_schema_are_always_sent() -> None:
    with FakeOllama([STEP]) as fake:
        chat(fake, num_ctx=4096, num_predict=300, seed=7)
    body = fake.requests[0]
    assert body['options'] == {
        'temperature': 0.0, 'seed': 7, 'num_ctx': 4096, 'num_predict': 300
    }  # fmt: skip
    assert body['format'] == SCHEMA


def test_server_down_names_the_command() -> None:
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        host = f'http://127.0.0.1:{taken.getsockname()[1]}'
        with pytest.raises(ModelError, match='ollama serve') as caught:
            OllamaClient('test:1b', host=host, timeout_s=5.0).preflight()
    assert caught.value.kind is ModelFailure.SERVER_DOWN


def test_model_not_pulled_names_the_exact_command_and_pulls_nothing() -> None:
    with FakeOllama([STEP]) as fake:
        with pytest.raises(ModelError, match=r'ollama pull qwen3:8b\Z') as caught:
            client(fake, 'qwen3:8b').preflight()
        assert caught.value.kind is ModelFailure.MODEL_MISSING
        assert failure(fake, model='qwen3:8b').kind is ModelFailure.MODEL_MISSING
    assert fake.requests == []


def test_preflight_describes_the_model() -> None:
    with FakeOllama() as fake:
        assert client(fake).preflight() == 'test:1b, context 8192 of 32768 tokens'


def test_context_larger_than_the_models_is_refused() -> None:
    with (
        FakeOllama(context_length=2048) as fake,
        pytest.raises(ModelError, match='num_ctx') as caught,
    ):
        client(fake).preflight()
    assert caught.value.kind is ModelFailure.PROMPT_TOO_LONG


@pytest.mark.parametrize(
    ('reply', 'kind'),
    [
        (Scripted(''), ModelFailure.EMPTY),
        (Scripted('', thinking='Let me see...'), ModelFailure.EMPTY),
        (Scripted(STEP[:20], done_reason='length'), ModelFailure.TRUNCATED),
        (Scripted('x' * 1_000_000), ModelFailure.TOO_LARGE),
        (Scripted(STEP, breaks_off=True), ModelFailure.SERVER_ERROR),
        (Scripted(status=500, error='out of memory'), ModelFailure.SERVER_ERROR),
    ],
)
def test_unusable_reply_has_a_type(reply: Scripted, kind: ModelFailure) -> None:
    with FakeOllama([reply]) as fake:
        assert failure(fake).kind is kind


def test_prompt_larger_than_the_context_is_not_sent() -> None:
    with FakeOllama([STEP]) as fake:
        assert failure(fake, 'word ' * 10_000).kind is ModelFailure.PROMPT_TOO_LONG
    assert fake.requests == []


def test_prompt_that_the_server_cut_is_noticed() -> None:
    with FakeOllama([Scripted(STEP, input_tokens=2050)]) as fake:
        error = failure(fake, 'words ' * 3_000)
    assert error.kind is ModelFailure.PROMPT_CUT


def test_silent_server_ends_with_a_timeout() -> None:
    release = threading.Event()
    with FakeOllama([Scripted(STEP, wait=release)]) as fake:
        began = time.monotonic()
        error = failure(fake, timeout_s=0.3)
        release.set()
    assert error.kind is ModelFailure.TIMEOUT
    assert time.monotonic() - began < 5


def test_cancelled_before_the_first_attempt_sends_nothing() -> None:
    with FakeOllama([STEP]) as fake:
        asker = Asker(client(fake), cancelled=lambda: True)
        with pytest.raises(ModelError) as caught:
            asker.ask('step', 's', 'p', StepReply, SCHEMA, lambda _: None)
    assert caught.value.kind is ModelFailure.CANCELLED
    assert fake.requests == []


def test_bad_replies_are_sent_back_and_recorded_until_one_is_good() -> None:
    exchanges = []
    replies = ['Sure! To do that run ros2 topic pub', '{"action": "pick"', STEP]
    with FakeOllama(replies) as fake:
        asker = Asker(client(fake), on_exchange=exchanges.append)
        reply = asker.ask('step', 'sys', 'what?', StepReply, SCHEMA, lambda _: None)
    assert reply.action == 'pick'
    assert [e.attempt for e in exchanges] == [1, 2, 3]
    assert 'not JSON' in exchanges[0].error
    assert exchanges[2].error == ''
    assert asker.usage.calls == 3
    second = fake.requests[1]['messages']
    assert second[2]['content'] == replies[0]
    assert 'not JSON' in second[3]['content']


def test_attempts_are_bounded() -> None:
    with FakeOllama(['no'] * 9) as fake:
        asker = Asker(client(fake), attempts=2)
        with pytest.raises(ModelError) as caught:
            asker.ask('step', 's', 'p', StepReply, SCHEMA, lambda _: None)
        assert len(fake.requests) == 2
    assert caught.value.kind is ModelFailure.NOT_JSON


def test_what_repair_cannot_mend_is_not_asked_again() -> None:
    with FakeOllama([Scripted(status=500, error='broken'), STEP]) as fake:
        asker = Asker(client(fake))
        with pytest.raises(ModelError, match='broken'):
            asker.ask('step', 's', 'p', StepReply, SCHEMA, lambda _: None)
        assert len(fake.requests) == 1


def test_largest_reply_still_fits_a_step() -> None:
    assert len(STEP) < LARGEST_REPLY


@pytest.mark.parametrize(
    'options', [{'timeout_s': -5.0}, {'timeout_s': 0.0}, {'num_predict': 9000}, {'model': ''}]
)
def test_impossible_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        OllamaClient(**{'model': 'test:1b', **options})
