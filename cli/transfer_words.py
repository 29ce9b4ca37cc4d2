"""What commands say of transfers, runs and providers, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from cli.terminal import first_line, status_style

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXT_WIDTH = 100

STATUS_WORDS = {
    "PENDING": "waits for the next start",
    "RESOLVED_NATIVE": "bound to a start, natively",
    "RESOLVED_PORTABLE": "bound to a start, as text",
    "CONSUMED": "delivered",
    "FAILED": "failed",
    "SUPERSEDED": "superseded",
}
TYPE_WORDS = {
    "FORK": "fork",
    "PROVIDER_HANDOFF": "provider switch",
    "MERGE_BACK": "merge-back",
    "SUBAGENT_SPAWN": "task",
    "SUBAGENT_RESULT": "result",
}


def next_step(words: str, command: str) -> Text:
    """What to do next: the words, then the command that does it."""
    return Text.assemble((f"{words}\n", "faint"), f"  {command}")


def transfer_line(transfer: Mapping[str, Any]) -> Text:
    """A transfer in one line."""
    kind, status = str(transfer["type"]), str(transfer["status"])
    line = Text.assemble((f"{TYPE_WORDS.get(kind, kind):<16}", "fork"))
    line.append(STATUS_WORDS.get(status, status))
    source, target = transfer["sourceThreadId"], transfer["targetThreadId"]
    line.append(f"  in {target}" if source == target else f"  {source} → {target}")
    if transfer["targetRunId"] is not None:
        line.append(f"  run {transfer['targetRunId']}")
    why = transfer["error"] or transfer["resultText"] or transfer["task"]
    if why:
        line.append(f"  {first_line(why, TEXT_WIDTH)}", "faint")
    return line.append(f"  {transfer['transferId']}", "faint")


def run_line(run: Mapping[str, Any]) -> Text:
    """A run in one line."""
    line = Text(f"Run {run['runId']} of thread {run['threadId']} is ")
    line.append(str(run["status"]), status_style(run["status"]))
    if run["rolledBackAt"] is not None:
        line.append(", rolled back", "interrupted")
    return line.append(f": {first_line(run['error'], TEXT_WIDTH)}" if run["error"] else ".")


def provider_words(thread: Mapping[str, Any]) -> str:
    """The provider that a thread has selected, with its model."""
    words = str(thread["driver"] or "no provider yet")
    if thread["providerInstanceId"] not in (None, thread["driver"]):
        words += f" as {thread['providerInstanceId']}"
    return f"{words}, {thread['model']}" if thread["model"] else words
