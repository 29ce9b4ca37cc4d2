"""A web server that answers what a test has written down, one request after the other."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(slots=True)
class Script:
    """What is answered, a status and a body each, and what was asked."""

    address: str
    answers: list[tuple[int, object]]
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


@contextmanager
def scripted(*answers: tuple[int, object]) -> Generator[Script]:
    """A server on a free port; a body that is no text is sent as JSON."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            script.asked.append(json.loads(self.rfile.read(length)))
            status, body = script.answers.pop(0)
            sent = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name there
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        script = Script(f"http://127.0.0.1:{server.server_port}", list(answers))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield script
        finally:
            server.shutdown()


def failed(code: str, **extensions: object) -> tuple[int, object]:
    """The answer of a service that tells one error."""
    error = {"message": f"{code}!", "path": ["thread"], "extensions": {"code": code, **extensions}}
    return 200, {"data": {"thread": None}, "errors": [error]}


def found(data: object) -> tuple[int, object]:
    """The answer of a service that knows."""
    return 200, {"data": data}
