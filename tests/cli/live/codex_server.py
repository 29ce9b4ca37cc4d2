"""Codex's own server on standard input and output, asked as an editor asks it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, cast

Json: TypeAlias = "dict[str, Any]"

SECONDS = 100


@dataclass
class CodexServer:
    """A running server; what it says comes in the order in which it says it."""

    process: subprocess.Popen[str]
    said: queue.Queue[Json] = field(default_factory=queue.Queue[Json])
    asked: int = 0

    def ask(self, method: str, **parameters: object) -> Json:
        """What the server answers to a request."""
        self.asked += 1
        self._send({"id": self.asked, "method": method, "params": parameters})
        while True:
            message = self.said.get(timeout=SECONDS)
            if message.get("id") == self.asked and "method" not in message:
                assert "error" not in message, message
                return message["result"]

    def turn(self, thread_id: str, text: str) -> None:
        """Say something in a thread, and wait until all of its answer is there."""
        prompt = [{"type": "text", "text": text}]
        turn = self.ask("turn/start", threadId=thread_id, input=prompt)["turn"]["id"]
        while True:
            message = self.said.get(timeout=SECONDS)
            told = message.get("params", {})
            if message.get("method") == "turn/completed" and told["turn"]["id"] == turn:
                return

    def listen(self) -> None:
        """Take what the server says until it ends."""
        for line in self.process.stdout or ():
            if line.startswith("{"):
                self.said.put(cast("Json", json.loads(line)))

    def _send(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def begin(self) -> None:
        """Say who asks."""
        client = {"name": "thread-lineage-tests", "title": "tests", "version": "1"}
        self.ask("initialize", clientInfo=client, capabilities={"experimentalApi": True})
        self._send({"method": "initialized"})


@contextmanager
def codex_server(codex: Path, work: Path) -> Generator[CodexServer]:
    """A server that works in a folder, until the end of the context."""
    process = subprocess.Popen(  # noqa: S603 - the program that is tested
        [codex, "app-server"],
        cwd=work,
        env=os.environ | {"MOCK_API_KEY": "none", "NO_PROXY": "127.0.0.1", "RUST_LOG": "error"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    server = CodexServer(process)
    listening = threading.Thread(target=server.listen, daemon=True)
    listening.start()
    try:
        server.begin()
        yield server
    finally:
        process.terminate()
        process.wait(timeout=SECONDS)
        listening.join(timeout=SECONDS)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
