"""``lineage record-run`` and ``update-run``: runs that were begun elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.command_options import (
    CommandId,
    ContinuationKey,
    Driver,
    Instance,
    Model,
    NativeThread,
    NativeTurn,
    NewId,
    RunWords,
    Weak,
)
from cli.options import AsJson, DataFolder, ThreadWords
from cli.telling import Answer, Mutation, Order, meant, native_ref, provider_told, tell
from cli.transfer_words import next_step, run_line
from graph.model import RunId, ThreadId

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

RECORDED = "... on RunRecorded { commandId replayed run { ...RunFacts } }"
START_RUN = Mutation(name="startRun", accepted=RECORDED)
UPDATE_RUN = Mutation(name="updateRun", accepted=RECORDED)

UNDER_WAY = ("preparing", "queued", "starting", "running", "waiting")


def record_run(
    thread: ThreadWords,
    *,
    new_id: NewId = None,
    status: Annotated[
        str, typer.Option("--status", help="running, completed, failed, interrupted, …")
    ] = "running",
    native_thread: NativeThread = None,
    native_turn: NativeTurn = None,
    weak: Weak = False,
    driver: Driver = None,
    instance: Instance = None,
    continuation_key: ContinuationKey = None,
    model: Model = None,
    started_at: Annotated[
        str | None,
        typer.Option("--started-at", metavar="TIME", help="Default: now.", show_default=False),
    ] = None,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Record a run of a thread that was begun elsewhere, as its newest.

    It delivers nothing that waits for the thread; a start with `lineage resolve` does. A fork can
    begin at a completed run whose native ids are known, or that has a checkpoint.

    Examples:

        lineage record-run talk --native-thread 5f0c --native-turn t1
        lineage record-run talk --id run-1 --status completed
    """

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        thread_id = await meant(graph, thread)
        whose = driver or await _driver_of_thread(graph, thread_id)
        return {
            "threadId": thread_id,
            "runId": new_id,
            "provider": provider_told(driver, instance, continuation_key),
            "model": model,
            "status": status,
            "nativeThreadRef": native_ref(whose, native_thread, weak=weak),
            "nativeTurnRef": native_ref(whose, native_turn, weak=weak),
            "startedAt": started_at,
        }

    tell(START_RUN, Order(command_id=command_id, as_json=as_json, data=data), told, _lines)


def update_run(
    run: RunWords,
    *,
    status: Annotated[
        str | None,
        typer.Option(
            "--status", help="running, completed, failed, interrupted, …", show_default=False
        ),
    ] = None,
    native_thread: NativeThread = None,
    native_turn: NativeTurn = None,
    weak: Weak = False,
    driver: Driver = None,
    input_tokens: Annotated[
        int | None, typer.Option("--input-tokens", min=0, show_default=False)
    ] = None,
    cached_tokens: Annotated[
        int | None, typer.Option("--cached-input-tokens", min=0, show_default=False)
    ] = None,
    output_tokens: Annotated[
        int | None, typer.Option("--output-tokens", min=0, show_default=False)
    ] = None,
    completed_at: Annotated[
        str | None,
        typer.Option(
            "--completed-at",
            metavar="TIME",
            help="Default: now, where it ends.",
            show_default=False,
        ),
    ] = None,
    error: Annotated[
        str | None, typer.Option("--error", help="Why it failed.", show_default=False)
    ] = None,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Record what became of a run.

    What is not given stays as it is, and a run that ended keeps its status.

    Examples:

        lineage update-run run-1 --status completed --input-tokens 1200 --output-tokens 80
        lineage update-run run-1 --status failed --error "out of credit"
    """
    tokens = {
        "inputTokens": input_tokens,
        "cachedInputTokens": cached_tokens,
        "outputTokens": output_tokens,
    }
    usage = {name: value for name, value in tokens.items() if value is not None} or None

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        whose = driver or await driver_of_run(graph, run)
        return {
            "runId": run,
            "status": status,
            "nativeThreadRef": native_ref(whose, native_thread, weak=weak),
            "nativeTurnRef": native_ref(whose, native_turn, weak=weak),
            "usage": usage,
            "completedAt": completed_at,
            "error": error,
        }

    tell(UPDATE_RUN, Order(command_id=command_id, as_json=as_json, data=data), told, _lines)


async def driver_of_run(graph: ThreadGraph, run_id: str) -> str | None:
    """The tool that serves a run, ``None`` where it is not known."""
    found = (await graph.runs_by_id([RunId(run_id)])).get(RunId(run_id))
    return None if found is None else found.driver


async def _driver_of_thread(graph: ThreadGraph, thread_id: str) -> str | None:
    found = (await graph.threads_by_id([ThreadId(thread_id)])).get(ThreadId(thread_id))
    return None if found is None else found.driver


def _lines(answer: Answer) -> Iterator[Text | str]:
    run = answer["run"]
    yield run_line(run)
    if run["status"] in UNDER_WAY:
        yield next_step(
            "When it is done:", f"lineage update-run {run['runId']} --status completed"
        )
