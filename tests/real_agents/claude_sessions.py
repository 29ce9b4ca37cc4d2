"""Sessions of Claude Code, as its real SDK reads and forks them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.node_programs import installed
from tests.samples_on_disk import SAMPLES, truth

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGES = Path(__file__).parent / "claude_sdk"
SCENARIO = "claude-code-2.1.332/sdk-fork"
SESSION = truth(SCENARIO)["sessions"]["main"]
SESSION_ID: str = SESSION["id"]
PROMPTS: list[str] = SESSION["own_prompts"]


@dataclass(frozen=True, slots=True)
class ClaudeSdk:
    """The SDK on a configuration of its own."""

    node: Path
    config: Path

    def call(self, method: str, params: Mapping[str, object]) -> Any:  # noqa: ANN401 - the SDK's own
        """What a function of the SDK returns for a session."""
        done = subprocess.run(  # noqa: S603 - the program that is locked here
            [self.node, PACKAGES / "sessions.mjs", method, json.dumps(params)],
            env=os.environ | {"CLAUDE_CONFIG_DIR": str(self.config), "HOME": str(self.config)},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        return json.loads(done.stdout)

    def prompts(self, session_id: str) -> list[str]:
        """What was asked in a session, as the SDK reads it."""
        return [text for role, text in self.said(session_id) if role == "user"]

    def said(self, session_id: str) -> list[tuple[str, str]]:
        """What was asked and answered in a session, as the SDK reads it."""
        read: list[dict[str, Any]] = self.call("getSessionMessages", {"sessionId": session_id})
        return [
            (entry["type"], text)
            for entry in read
            if (text := _text(entry["message"]["content"])) is not None
        ]


def sdk_with_session(config: Path) -> ClaudeSdk:
    """The SDK where one real session was written, with three prompts and a command."""
    node = installed(PACKAGES)
    (kept,) = (SAMPLES / SCENARIO / "projects").glob(f"*/{SESSION_ID}.jsonl")
    project = config / "projects" / kept.parent.name
    project.mkdir(parents=True)
    shutil.copy(kept, project)
    return ClaudeSdk(node=node, config=config)


def _text(content: str | list[dict[str, Any]]) -> str | None:
    """The text of a message; ``None`` for what a tool was asked or gave."""
    if isinstance(content, str):
        return content
    texts = [block["text"] for block in content if block["type"] == "text"]
    return "\n".join(texts) if texts else None
