"""``lineage resolve``: how the next run of a thread gets its context."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from cli.command_options import CommandId, ContinuationKey, Driver, Instance, Model, NewId
from cli.options import AsJson, DataFolder, ThreadWords
from cli.telling import Answer, Mutation, Order, meant, provider_told, tell, text_of
from cli.terminal import REMARKS, counted
from cli.transfer_words import next_step
from graph.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from graph.store import ThreadGraph

CARRIER = "transfer { ...TransferFacts } handoff { ...HandoffFacts }"
RESOLVE = Mutation(
    name="resolveStartContext",
    accepted=f"""... on StartContext {{ commandId replayed run {{ ...RunFacts }} originator
        base {{ __typename ... on NoTransfer {{ resume {{ ...Ref }} }}
            ... on NativeFork {{ transfer {{ ...TransferFacts }}
                plan {{ calls {{ method params }} }} }}
            ... on PortableContext {{ {CARRIER} }} ... on CheckpointContext {{ {CARRIER} }}
            ... on DeltaContext {{ {CARRIER} resume {{ ...Ref }} }} }}
        deltas {{ {CARRIER} resume {{ ...Ref }} }} }}""",
)

CAPABILITIES = {
    "fork": "fork",
    "fork-at-turn": "forkAtTurn",
    "rollback": "rollback",
    "full-handoff": "fullHandoff",
    "delta-handoff": "deltaHandoff",
    "checkpoint-handoff": "checkpointHandoff",
}
WORDS = ", ".join(CAPABILITIES)


def resolve(
    thread: ThreadWords,
    *,
    message: Annotated[
        str,
        typer.Option(
            "--message", "-m", help="What the run begins with; - reads it.", show_default=False
        ),
    ],
    driver: Driver = None,
    instance: Instance = None,
    continuation_key: ContinuationKey = None,
    model: Model = None,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            metavar="TOKENS",
            help="What each handoff may take, 1,024 to 64,000; default: 16,000.",
            show_default=False,
        ),
    ] = None,
    can: Annotated[
        list[str] | None,
        typer.Option("--can", help=f"What the tool can do: {WORDS}.", show_default=False),
    ] = None,
    cannot: Annotated[
        list[str] | None,
        typer.Option("--cannot", help="What it can't do, in the same words.", show_default=False),
    ] = None,
    new_id: NewId = None,
    as_text: Annotated[
        bool,
        typer.Option(
            "--text",
            help="Only the text for the agent: what is handed over, then the message. Then the "
            "tool forks nothing itself.",
        ),
    ] = False,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Start a run: decide how its tool gets the context of the thread, and prepare it.

    The answer says what to do: go on with the tool's own thread, let the tool fork it, or give the
    tool a text first. What waits of merge-backs comes along. Then `lineage confirm` says that the
    tool accepted it, or `lineage fail` that it did not; a thread has one such start at a time.

    Examples:

        lineage resolve try-2 --driver claude --message "Go on"
        lineage resolve try-2 --driver claude --message "Go on" --text --id r1 | claude -p
        lineage resolve try-2 --message - --json < prompt.txt | jq .base
    """
    if as_text and as_json:
        raise BadInput("--text and --json are two ways to answer: give one of them.")
    provider, said = provider_told(driver, instance, continuation_key), text_of(message) or ""
    capabilities = {**dict.fromkeys(_read(can), True), **dict.fromkeys(_read(cannot), False)}
    if as_text:
        capabilities["fork"] = False

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        return {
            "threadId": await meant(graph, thread),
            "provider": provider,
            "model": model,
            "message": said,
            "budgetTokens": budget,
            "capabilities": capabilities or None,
            "runId": new_id,
        }

    def text(answer: Answer) -> Iterator[Text | str]:
        _write([*_texts(answer), said])
        for line in (*_remarks_beside_text(answer), *_what_next(answer)):
            REMARKS.print(line, soft_wrap=True, markup=False)
        return iter(())

    order = Order(command_id=command_id, as_json=as_json, data=data)
    tell(RESOLVE, order, told, text if as_text else _lines)


def _read(words: list[str] | None) -> Iterator[str]:
    for word in words or ():
        if word not in CAPABILITIES:
            raise BadInput(f"{word!r} is nothing that a tool can or can't do; known are {WORDS}.")
        yield CAPABILITIES[word]


def _write(texts: list[str]) -> None:
    """Write texts exactly as they are, as UTF-8, with an empty line between."""
    sys.stdout.flush()
    sys.stdout.buffer.write(("\n\n".join(text.rstrip("\n") for text in texts) + "\n").encode())
    sys.stdout.buffer.flush()


def _texts(answer: Answer) -> Iterator[str]:
    """What is handed over, as text: the base first."""
    for carrier in (answer["base"], *answer["deltas"]):
        if "handoff" in carrier:
            yield carrier["handoff"]["text"]


def _remarks_beside_text(answer: Answer) -> Iterator[Text | str]:
    resume = answer["base"].get("resume")
    if resume is not None:
        yield f"Give it to the thread {resume['nativeId']} of {resume['driver']}."


def _lines(answer: Answer) -> Iterator[Text | str]:
    base, run = answer["base"], answer["run"]
    tool = run["driver"] or "the tool"
    yield f"Run {run['runId']} of thread {run['threadId']} is starting."
    resume = base.get("resume")
    where = f"Go on with {tool}'s thread {resume['nativeId']}" if resume else ""
    match base["__typename"]:
        case "NativeFork":
            yield f"Let {tool} fork its own thread, with these calls in order:"
            for call in base["plan"]["calls"]:
                yield f"  {call['method']} {json.dumps(call['params'], ensure_ascii=False)}"
        case "NoTransfer":
            yield f"{where or f'Begin a thread of {tool}'}; it needs no more than the message."
        case _:
            words = f"{where}. " if where else ""
            yield from _handed(base["handoff"], f"{words}Before the message, give {tool} this")
    for delta in answer["deltas"]:
        fork = delta["transfer"]["sourceThreadId"]
        yield from _handed(delta["handoff"], f"Then what {fork} brings back")
    yield from _what_next(answer)


def _handed(handoff: Answer, words: str) -> Iterator[Text | str]:
    size = f"{handoff['tokens']:,} tokens"
    left_out = len(handoff["omittedItemIds"])
    if left_out:
        size += f"; {counted(left_out, 'item')} did not fit, --budget takes more"
    yield f"{words} ({size}):"
    yield Text(f"\n{handoff['text'].rstrip()}\n")


def _what_next(answer: Answer) -> Iterator[Text | str]:
    run = answer["run"]
    mode = " --history-mode MODE --window WINDOW" if run["driver"] == "codex" else ""
    yield next_step(
        "When the tool has accepted it, with the ids that it gave:",
        f"lineage confirm {run['runId']} --native-thread ID --native-turn ID{mode}",
    )
    yield next_step("If it did not:", f'lineage fail {run["runId"]} --reason "…"')
