"""Random commands: mostly sensible for what there is, often forbidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from tests.commands.ruled_commands import RULES
from tests.commands.ruled_world import ENDED, Command, Run, Thread, World

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

Drawn = TypeVar("Drawn")

THREADS = ("A", "B", "C", "D", "E", "F")
RUNS = ("1", "2", "3", "4", "5", "6")
ITEMS = ("i", "j", "k", "l")
CHECKPOINTS = ("x", "y", "z")
CODEX = {"instanceId": "codex", "driver": "codex"}
PROVIDERS = (
    CODEX,
    {"instanceId": "claude", "driver": "claude"},
    {"instanceId": "work", "driver": "codex", "continuationKey": "shared"},
    {"instanceId": "home", "driver": "codex", "continuationKey": "shared"},
    {"instanceId": "cursor", "driver": "cursor"},
)
STATUSES = (
    "completed", "completed", "completed", "waiting", "failed", "interrupted", "cancelled",
    "preparing", "queued", "starting", "running",
)  # fmt: skip
SELDOM = {"recordThread", "appendItems", "switchProvider", "updateThreadMetadata"}
OFTEN = ("mergeBack", "resolveStartContext", "rollbackThread", "forkThread", "startRun")
MUTATIONS = (*RULES, *(name for name in RULES if name not in SELDOM), *OFTEN, *OFTEN)


class Drawing:
    """Draws the next command of a sequence in the world that the ones before made."""

    def __init__(self, chance: Random, world: World) -> None:
        """Draw by *chance*."""
        self._chance = chance
        self._world = world
        self._rules: dict[str, Callable[[], dict[str, Any]]] = {
            "recordThread": self._record_thread,
            "startRun": self._start_run,
            "updateRun": self._update_run,
            "appendItems": self._append_items,
            "recordCheckpoint": self._record_checkpoint,
            "forkThread": self._fork_thread,
            "mergeBack": self._merge_back,
            "switchProvider": lambda: {"threadId": self.thread(), **self._provider()},
            "spawnSubagent": self._spawn_subagent,
            "rollbackThread": self._rollback,
            "resolveStartContext": self._resolve_start,
            "confirmStart": lambda: {
                "runId": self.run_that(lambda run: run.starts),
                "initialWindowId": "window",
                "historyMode": "legacy",
                **self._refs(),
            },
            "failStart": lambda: {
                "runId": self.run_that(lambda run: run.starts),
                "reason": "away",
                "retryable": self.one((True, True, False)),
            },
            "completeSubagent": self._complete_subagent,
            "setSpawnEdgeStatus": lambda: {
                "childThreadId": self.thread_that(lambda thread: thread.hangs_by == "SPAWN"),
                "status": self.one(("open", "closed", "parked")),
            },
            "unarchiveThread": lambda: {
                "threadId": self.thread_that(lambda thread: thread.archived),
            },
            "restoreThread": lambda: {
                "threadId": self.thread_that(lambda thread: thread.deleted_by is not None),
            },
            "updateThreadMetadata": lambda: {
                "threadId": self.thread(),
                "patch": {
                    self.one(("title", "name", "cwd", "model")): self.one(("new", None)),
                },
            },
        }

    def one(self, of: Sequence[Drawn]) -> Drawn:
        """One of several."""
        return self._chance.choice(of)

    def rarely(self) -> bool:
        """Whether something uncommon happens."""
        return self._chance.random() < 0.12

    def thread(self) -> str:
        """A thread that is there, or rarely any."""
        there = list(self._world.threads)
        return self.one(THREADS) if not there or self.rarely() else self.one(there)

    def thread_that(self, wanted: Callable[[Thread], bool]) -> str:
        """A thread of a kind, or rarely any."""
        fit = [name for name, thread in self._world.threads.items() if wanted(thread)]
        return self.thread() if not fit or self.rarely() else self.one(fit)

    def run_that(self, wanted: Callable[[Run], bool]) -> str:
        """A run of a kind, or rarely any."""
        runs = [run for thread in self._world.threads.values() for run in thread.runs]
        fit = [run.run_id for run in runs if wanted(run)]
        return self.run() if not fit or self.rarely() else self.one(fit)

    def new_run(self) -> str:
        """A run that is not there, or rarely any."""
        free = [name for name in RUNS if self._world.known(name) is None]
        return self.one(RUNS) if not free or self.rarely() else free[0]

    def new_thread(self) -> str:
        """A thread that is not there, or rarely any."""
        free = [name for name in THREADS if name not in self._world.threads]
        return self.one(THREADS) if not free or self.rarely() else free[0]

    def run(self, thread_id: str | None = None) -> str:
        """A run of a thread or of any, or rarely another."""
        threads = self._world.threads.values()
        there = [
            run.run_id
            for thread in threads
            for run in thread.runs
            if thread_id in (None, thread.thread_id)
        ]
        return self.one(RUNS) if not there or self.rarely() else self.one(there)

    def command(self, number: int) -> Command:
        """The next command: often a new one, rarely one that was sent before or its id."""
        sent = list(self._world.receipts.values())
        again = sent and self.one((False,) * 9 + (True,))
        if again and self.one((True, True, False)):
            return self.one(sent)[0]
        command_id = self.one(sent)[0]["commandId"] if again else f"command {number}"
        mutation = self._mutation()
        body = self._rules.get(mutation, lambda: {"threadId": self.thread()})()
        return {"mutation": mutation, "commandId": command_id, **body}

    def _mutation(self) -> str:
        """One that something is there for, or rarely any."""
        threads = self._world.threads.values()
        runs = [run for thread in threads for run in thread.runs]
        starts = any(run.starts for run in runs)
        fits = {
            "confirmStart": starts,
            "failStart": starts,
            "updateRun": bool(runs),
            "mergeBack": any(thread.fork is not None for thread in threads),
            "completeSubagent": any(thread.hangs_by == "SPAWN" for thread in threads),
            "setSpawnEdgeStatus": any(thread.hangs_by == "SPAWN" for thread in threads),
            "unarchiveThread": any(thread.archived for thread in threads),
            "restoreThread": any(thread.deleted_by is not None for thread in threads),
        }
        if starts and self.one((True, False)):
            return self.one(("confirmStart", "confirmStart", "failStart"))
        mutation = self.one(MUTATIONS)
        while not fits.get(mutation, True) and not self.rarely():
            mutation = self.one(MUTATIONS)
        return mutation

    def _provider(self) -> dict[str, Any]:
        return {"provider": self.one(PROVIDERS), "model": self.one((None, "m"))}

    def _record_thread(self) -> dict[str, Any]:
        told: dict[str, Any] = {"threadId": self.new_thread(), "initialWindowId": "window"}
        told["historyMode"] = self.one(("legacy", "legacy", "legacy", "paginated"))
        if self.one((True, True, False)):
            told["provider"] = self.one(PROVIDERS)
        parent = self.thread()
        if parent != told["threadId"] and self.one((False, True)):
            told["parent"] = {"threadId": parent, "kind": self.one(("SPAWN", "PARENT"))}
        return told

    def _refs(self) -> dict[str, Any]:
        driver = self.one(("codex", "codex", "claude"))
        ref = {
            "driver": driver,
            "nativeId": self.one(("native", "native", None)),
            "strength": self.one(("STRONG", "STRONG", "WEAK")),
        }
        return self.one(
            ({}, {"nativeThreadRef": ref}, {"nativeThreadRef": ref, "nativeTurnRef": ref})
        )

    def _rollback(self) -> dict[str, Any]:
        received = {one.target_run for one in self._world.transfers}
        received |= {one.source_run for one in self._world.transfers}
        thread_id = self.thread_that(
            lambda thread: any(run.left and run.run_id in received for run in thread.runs)
        )
        told = {"threadId": thread_id}
        return (
            told if self.one((True, False)) else {**told, "keepThroughRunId": self.run(thread_id)}
        )

    def _resolve_start(self) -> dict[str, Any]:
        waiting = [one.target for one in self._world.transfers if one.status == "PENDING"]
        fit = self.thread_that(lambda thread: thread.thread_id in waiting)
        return {
            "threadId": fit,
            "runId": self.new_run(),
            "provider": self.one(PROVIDERS),
            "model": "m",
            "message": "Go on.",
        }

    def _start_run(self) -> dict[str, Any]:
        told = {"threadId": self.thread(), "runId": self.new_run(), **self._refs()}
        if self.one((True, True, True, False)):
            told["status"] = self.one(STATUSES)
        if self.rarely():
            told["provider"] = self.one(PROVIDERS)
        return told

    def _update_run(self) -> dict[str, Any]:
        goes_on = self.run_that(lambda run: run.status not in ENDED or not run.left)
        told = {"runId": goes_on, **self._refs()}
        if self.one((True, True, True, False)):
            told["status"] = self.one(STATUSES)
        if self.rarely():
            told["error"] = "no network"
        return told

    def _append_items(self) -> dict[str, Any]:
        thread_id = self.thread()
        free = [f"{name}{len(self._world.receipts)}" for name in ITEMS]
        count = self.one((1, 2))
        item_ids = ITEMS[:count] if self.rarely() else free[:count]
        items = [
            {
                "itemId": item_id,
                "kind": self.one(("message", "message", "plan", "reasoning")),
                "role": self.one(("user", "assistant", "assistant")),
                "text": self.one((f"text of {item_id}", f"text of {item_id}", None)),
            }
            for item_id in item_ids
        ]
        told: dict[str, Any] = {"threadId": thread_id, "items": items}
        return told if self.rarely() else {**told, "runId": self.run(thread_id)}

    def _record_checkpoint(self) -> dict[str, Any]:
        thread_id = self.thread()
        return {
            "threadId": thread_id,
            "runId": self.run(thread_id),
            "checkpointId": self.one(CHECKPOINTS),
            "status": self.one(("ready", "ready", "ready", "missing", "error", "stale")),
        }

    def _fork_thread(self) -> dict[str, Any]:
        source = self.thread()
        at = self.one(
            (
                {"latestStable": True},
                {"runId": self.run(source)},
                {"runId": self.run(source)},
                {"checkpointId": self.one(CHECKPOINTS)},
            )
        )
        return {"sourceThreadId": source, "targetThreadId": self.new_thread(), "at": at}

    def _merge_back(self) -> dict[str, Any]:
        forks = [one.thread_id for one in self._world.threads.values() if one.fork is not None]
        fork = self.one(forks) if forks and not self.rarely() else self.thread()
        told: dict[str, Any] = {"forkThreadId": fork}
        if self.one((True, False)):
            told["runId"] = self.run(fork)
        if self.rarely():
            told["intoThreadId"] = self.thread()
        return told

    def _spawn_subagent(self) -> dict[str, Any]:
        parent = self.thread()
        told: dict[str, Any] = {
            "parentThreadId": parent,
            "childThreadId": self.new_thread(),
            "task": "Look around",
            "origin": self.one(("app_owned", "app_owned", "provider_native")),
        }
        if self.one((True, False)):
            told["parentRunId"] = self.run(parent)
        return told

    def _complete_subagent(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "childThreadId": self.thread_that(lambda thread: thread.hangs_by == "SPAWN"),
            "outcome": self.one(("completed", "failed", "cancelled")),
        }
        return {**told, "error": "no network"} if self.rarely() else told
