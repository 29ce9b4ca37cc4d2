"""The real ``codex app-server``, driven over its standard input and output."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

Json = dict[str, Any]  # what the program answers is its own

CONFIG = """\
model = "stand-in"
model_provider = "stand_in"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.stand_in]
name = "stand-in"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
plugins = false
apps = false
"""


class CodexRefused(Exception):
    """That the server answered with an error."""


class CodexServer:
    """Calls of a running app-server; it answers in order, so nothing else waits."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._called = 0
        self._told: list[Json] = []

    def call(self, method: str, params: Mapping[str, object]) -> Json:
        """What a call returns; ``CodexRefused`` with the server's words where it refuses."""
        self._called += 1
        self._send({"id": self._called, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self._called and "method" not in message:
                if "error" in message:
                    raise CodexRefused(message["error"]["message"])
                return message["result"]
            self._told.append(message)

    def open(self) -> None:
        """Shake hands; threads with paginated history are still experimental."""
        client = {"name": "lineage-tests", "title": "Lineage tests", "version": "1"}
        capabilities = {"experimentalApi": True}
        self.call("initialize", {"clientInfo": client, "capabilities": capabilities})
        self._send({"method": "initialized"})

    def start_thread(self, **options: object) -> str:
        """The id of a new thread."""
        return self.call("thread/start", options)["thread"]["id"]

    def say(self, thread_id: str, text: str) -> str:
        """The id of a turn that answered a message, when it is over."""
        message = {"type": "text", "text": text}
        begun = self.call("turn/start", {"threadId": thread_id, "input": [message]})
        turn_id = begun["turn"]["id"]
        while not any(_ends(message, turn_id) for message in self._told):
            self._told.append(self._next())
        return turn_id

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _next(self) -> Json:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            message = "The app-server ended."
            raise EOFError(message)
        return json.loads(line)


@contextmanager
def codex_server(program: Path, home: Path, address: str) -> Generator[CodexServer]:
    """An app-server with a home of its own, which asks a stand-in at the address."""
    home.mkdir(parents=True)
    (home / "config.toml").write_text(CONFIG.format(address=address))
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    process = subprocess.Popen(  # noqa: S603 - the program that is locked here
        [program, "app-server"],
        cwd=home,
        env=kept | {"CODEX_HOME": str(home), "HOME": str(home), "STAND_IN_KEY": "none"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            server = CodexServer(process)
            server.open()
            yield server
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()


def _ends(message: Json, turn_id: str) -> bool:
    return message.get("method") == "turn/completed" and message["params"]["turn"]["id"] == turn_id
