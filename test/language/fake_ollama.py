"""A server that speaks as much of Ollama's API as the client uses, with scripted replies.

As a program it plays a fixed list of replies: ``python fake_ollama.py --script FILE`` (a JSON
list of strings or of reply objects) and prints the address it listens on.
"""

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CHARACTERS_OF_A_TOKEN = 4


@dataclass(frozen=True)
class Scripted:
    """One reply. ``input_tokens`` None: counted from the prompt; ``wait``: held back until set."""

    text: str = ''
    status: int = 200
    error: str = ''
    thinking: str = ''
    done_reason: str = 'stop'
    input_tokens: int | None = None
    wait: threading.Event | None = None
    breaks_off: bool = False


@dataclass
class FakeOllama:
    """The server; a context manager. ``requests`` holds the bodies of all chats."""

    replies: Sequence[str | Scripted] = ()
    models: Sequence[str] = ('test:1b',)
    context_length: int = 32_768
    port: int = 0
    loop: bool = False
    requests: list[dict[str, Any]] = field(default_factory=list)

    def __enter__(self) -> Self:
        handler = type('Handler', (_Handler,), {'fake': self})
        self._server = ThreadingHTTPServer(('127.0.0.1', self.port), handler)
        self._server.daemon_threads = True
        self._lock = threading.Lock()
        self._next = 0
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def host(self) -> str:
        """The address for OLLAMA_HOST or ``OllamaClient(host=...)``."""
        return f'http://127.0.0.1:{self._server.server_address[1]}'

    def next_reply(self, body: dict[str, Any]) -> Scripted:
        """Record a chat and return the reply that it is to get."""
        with self._lock:
            self.requests.append(body)
            if not self.replies or (self._next >= len(self.replies) and not self.loop):
                return Scripted(status=500, error='the script is over')
            reply = self.replies[self._next % len(self.replies)]
            self._next += 1
        return reply if isinstance(reply, Scripted) else Scripted(reply)


class _Handler(BaseHTTPRequestHandler):
    fake: FakeOllama
    protocol_version = 'HTTP/1.1'

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its own name
        """Stay silent."""

    def do_GET(self) -> None:
        if self.path == '/api/version':
            self._send(200, {'version': '0.12.0'})
        elif self.path == '/api/tags':
            models = [{'model': name, 'name': name} for name in self.fake.models]
            self._send(200, {'models': models})
        else:
            self._send(404, {'error': f'no {self.path}'})

    def do_POST(self) -> None:
        length = int(self.headers.get('Content-Length', 0))
        body = json.loads(self.rfile.read(length))
        if body.get('model') not in self.fake.models:
            name = body.get('model')
            self._send(404, {'error': f"model '{name}' not found, try pulling it first"})
        elif self.path == '/api/show':
            info = {
                'general.architecture': 'fake',
                'fake.context_length': self.fake.context_length,
            }
            self._send(200, {'model_info': info, 'details': {}})
        elif self.path == '/api/chat':
            self._chat(body)
        else:
            self._send(404, {'error': f'no {self.path}'})

    def _chat(self, body: dict[str, Any]) -> None:
        reply = self.fake.next_reply(body)
        if reply.wait is not None:
            reply.wait.wait(30)
        if reply.status != 200:
            self._send(reply.status, {'error': reply.error})
            return
        self.send_response(200)
        self.send_header('Content-Type', 'application/x-ndjson')
        self.send_header('Connection', 'close')
        self.end_headers()
        self.close_connection = True
        half = len(reply.text) // 2
        try:
            for part in (reply.text[:half], reply.text[half:]):
                self._line({'message': _message(part), 'done': False})
            if reply.breaks_off:
                return
            prompt = sum(len(message['content']) for message in body['messages'])
            counted = reply.input_tokens
            self._line(
                {
                    'message': _message('', reply.thinking),
                    'done': True,
                    'done_reason': reply.done_reason,
                    'prompt_eval_count': prompt // CHARACTERS_OF_A_TOKEN
                    if counted is None
                    else counted,
                    'eval_count': len(reply.text) // CHARACTERS_OF_A_TOKEN,
                    'load_duration': 1_000_000,
                    'total_duration': 2_000_000,
                }
            )
        except (BrokenPipeError, ConnectionResetError):
            return  # the client has heard enough

    def _line(self, content: dict[str, Any]) -> None:
        whole = {'model': 'fake', 'created_at': '2026-01-01T00:00:00Z', **content}
        self.wfile.write(json.dumps(whole).encode() + b'\n')

    def _send(self, status: int, content: dict[str, Any]) -> None:
        raw = json.dumps(content).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def _message(content: str, thinking: str = '') -> dict[str, str]:
    message = {'role': 'assistant', 'content': content}
    return {**message, 'thinking': thinking} if thinking else message


def main() -> None:
    """Serve a script until the standard input ends."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument('--script', type=Path, required=True, help='JSON list of replies')
    parser.add_argument('--model', default='test:1b')
    parser.add_argument('--port', type=int, default=0)
    options = parser.parse_args()
    entries = json.loads(options.script.read_text())
    replies = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    with FakeOllama(replies, models=(options.model,), port=options.port) as fake:
        print(fake.host, flush=True)
        sys.stdin.read()


if __name__ == '__main__':
    main()
