"""``lineage confirm`` and ``lineage fail``: what became of a start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.command_options import CommandId, Driver, NativeThread, NativeTurn, RunWords, Weak
from cli.options import AsJson, DataFolder
from cli.record_run import driver_of_run
from cli.telling import Answer, Mutation, Order, native_ref, tell
from cli.transfer_words import next_step, run_line, transfer_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

FACTS = "{ commandId replayed run { ...RunFacts } transfers { ...TransferFacts } }"
CONFIRM = Mutation(name="confirmStart", accepted=f"... on StartConfirmed {FACTS}")
FAIL = Mutation(name="failStart", accepted=f"... on StartFailed {FACTS}")


def confirm(
    run: RunWords,
    *,
    native_thread: NativeThread = None,
    native_turn: NativeTurn = None,
    weak: Weak = False,
    driver: Driver = None,
    history_mode: Annotated[
        str | None,
        typer.Option("--history-mode", help="Of codex: legacy or paginated.", show_default=False),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(
            "--window",
            help="The first context window; a thread's first start with codex needs it.",
            show_default=False,
        ),
    ] = None,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Say that the tool accepted a start: the run goes on, what was handed over is delivered.

    With the ids that the tool gave to its thread and turn, later forks can be native.

    Examples:

        lineage confirm r1 --native-thread 5f0c --native-turn t1
        lineage confirm r1 --native-thread 5f0c --history-mode paginated --window w1
    """

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        # Of a run that is not there, the words are refused whatever its driver.
        whose = driver or await driver_of_run(graph, run) or "unknown"
        return {
            "runId": run,
            "nativeThreadRef": native_ref(whose, native_thread, weak=weak),
            "nativeTurnRef": native_ref(whose, native_turn, weak=weak),
            "historyMode": history_mode,
            "initialWindowId": window,
        }

    tell(CONFIRM, Order(command_id=command_id, as_json=as_json, data=data), told, _confirmed)


def fail(
    run: RunWords,
    *,
    reason: Annotated[str, typer.Option("--reason", help="Why.", show_default=False)],
    final: Annotated[
        bool,
        typer.Option("--final", help="What it was to deliver failed for good, and waits no more."),
    ] = False,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Say that a start came to nothing: what it was to deliver waits for the next one.

    Anyone may say so, also after a crash of whoever began the start.

    Examples:

        lineage fail r1 --reason "the tool did not answer"
        lineage fail r1 --reason "wrong account" --final
    """

    async def told(graph: ThreadGraph) -> Mapping[str, object]:  # noqa: ARG001 - nothing to look up
        return {"runId": run, "reason": reason, "retryable": not final}

    tell(FAIL, Order(command_id=command_id, as_json=as_json, data=data), told, _failed)


def _confirmed(answer: Answer) -> Iterator[Text | str]:
    yield from _what_became(answer)
    run_id, thread_id = answer["run"]["runId"], answer["run"]["threadId"]
    yield next_step("What the agent says:", f"lineage append {thread_id} - --run {run_id}")
    yield next_step("When it is done:", f"lineage update-run {run_id} --status completed")


def _failed(answer: Answer) -> Iterator[Text | str]:
    yield from _what_became(answer)
    yield next_step("To try again:", f'lineage resolve {answer["run"]["threadId"]} --message "…"')


def _what_became(answer: Answer) -> Iterator[Text | str]:
    yield run_line(answer["run"])
    yield from map(transfer_line, answer["transfers"])
