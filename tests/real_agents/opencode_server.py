"""The real ``opencode serve``, driven over HTTP."""

from __future__ import annotations

import json
import os
import re
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx

from tests.real_agents.model_stand_in import MODEL

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

Json = dict[str, Any]  # what the program answers is its own

PROVIDER = "stand-in"
ANSWER_SECONDS = 120


class OpenCodeServer:
    """Calls of a running server."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def call(self, method: str, params: Mapping[str, object]) -> Json:
        """What a call returns; arguments that its path names stand there, the rest in its body."""
        verb, _, path = method.partition(" ")
        named = set(re.findall(r"{(\w+)}", path))
        body = {name: value for name, value in params.items() if name not in named}
        answer = self._client.request(verb, path.format_map(params), json=body)
        answer.raise_for_status()
        return answer.json()

    def say(self, session_id: str, text: str) -> str:
        """The id of the message that asked, when it was answered."""
        asked = {
            "id": session_id,
            "model": {"providerID": PROVIDER, "modelID": MODEL},
            "parts": [{"type": "text", "text": text}],
        }
        answer = self.call("POST /session/{id}/message", asked)
        return answer["info"]["parentID"]

    def messages(self, session_id: str) -> list[Json]:
        """The messages of a session, in order."""
        answer = self._client.get(f"/session/{session_id}/message")
        answer.raise_for_status()
        return answer.json()


@contextmanager
def opencode_server(program: Path, home: Path, address: str) -> Generator[OpenCodeServer]:
    """A server with folders of its own, which asks a stand-in at the address."""
    work = home / "work"
    work.mkdir(parents=True)
    (work / "opencode.json").write_text(json.dumps(_config(address)))
    with subprocess.Popen(  # noqa: S603 - the program that is locked here
        [program, "serve", "--hostname", "127.0.0.1", "--port", "0"],
        cwd=work,
        env=_environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            listens = _address(process)
            with httpx.Client(base_url=listens, timeout=ANSWER_SECONDS) as client:
                yield OpenCodeServer(client)
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()


def _config(address: str) -> Json:
    model = {"name": MODEL, "limit": {"context": 100_000, "output": 10_000}}
    return {
        "model": f"{PROVIDER}/{MODEL}",
        "small_model": f"{PROVIDER}/{MODEL}",
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "enabled_providers": [PROVIDER],
        "provider": {
            PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "name": PROVIDER,
                "options": {"baseURL": f"{address}/v1", "apiKey": "none"},
                "models": {MODEL: model},
            }
        },
    }


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    folders = {
        "XDG_DATA_HOME": "data",
        "XDG_CONFIG_HOME": "config",
        "XDG_STATE_HOME": "state",
        "XDG_CACHE_HOME": "cache",
    }
    off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    return (
        kept
        | {"HOME": str(home)}
        | {name: str(home / folder) for name, folder in folders.items()}
        | {f"OPENCODE_DISABLE_{name}": "1" for name in off}
    )


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            return found[0]
    message = "opencode ended before it listened."
    raise EOFError(message)
