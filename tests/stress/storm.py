"""Clients that all tell the same few threads whatever comes to their minds."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

from tests.stress.families import PROVIDERS, completed_run, confirmed, family, start
from tests.stress.sending import Said, all_at_once

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tests.api.asking import Answer
    from tests.stress.families import Wish
    from tests.stress.sending import Sender


@dataclass(slots=True)
class World:
    """The threads that a storm is about, as far as its clients have heard of them."""

    name: str
    threads: list[str] = field(default_factory=list[str])
    forks: list[str] = field(default_factory=list[str])
    children: list[str] = field(default_factory=list[str])
    running: list[str] = field(default_factory=list[str])
    starting: list[str] = field(default_factory=list[str])
    numbers: count[int] = field(default_factory=count)

    def new(self, what: str) -> str:
        """An id that is new."""
        return f"{self.name}-{what}-{next(self.numbers)}"

    def learn(self, said: Said) -> None:
        """Know what a command made."""
        answer = said.answer
        match answer["__typename"]:
            case "ThreadForked":
                self.threads.append(answer["thread"]["threadId"])
                self.forks.append(answer["thread"]["threadId"])
            case "SubagentSpawned":
                self.threads.append(answer["child"]["threadId"])
                self.children.append(answer["child"]["threadId"])
            case "RunRecorded" if answer["run"]["status"] == "running":
                self.running.append(answer["run"]["runId"])
            case "StartContext":
                self.starting.append(answer["run"]["runId"])
            case _:
                pass


async def begin(sender: Sender, name: str, *, trees: int) -> World:
    """The world of a storm, with a few families."""
    world = World(name)
    for tree in range(trees):
        thread = f"{name}-{tree}"
        await family(sender, thread)
        world.threads += [thread, f"{thread}-fork", f"{thread}-child"]
        world.forks.append(f"{thread}-fork")
        world.children.append(f"{thread}-child")
    return world


@dataclass(slots=True)
class StormClient:
    """One who sends commands without a pause; the seed decides which."""

    sender: Sender
    world: World
    service: int
    dice: Random

    async def send(self, commands: int) -> None:
        """Send so many commands, one after the other."""
        for _ in range(commands):
            for said in await self._next():
                self.world.learn(said)

    async def _next(self) -> list[Said]:
        """Send a new command; now and then twice at once, or one that was answered before."""
        chance = self.dice.random()
        if chance < 0.1 and self.sender.heard:
            before = self.dice.choice(self.sender.heard)
            await self._send(before.mutation, before.command_id, before.told)
            return []
        mutation, told = self.dice.choice(WISHES)(self)
        command_id = self.world.new("command")
        if chance < 0.2:
            # The same command through both services at the same time.
            sent = [
                self.sender.send(service, mutation, command_id, **told)
                for service in range(len(self.sender.clients))
            ]
            answers: list[Said] = await all_at_once(*sent)
            return answers[:1]
        return [await self._send(mutation, command_id, told)]

    def _send(self, mutation: str, command_id: str, told: dict[str, Any]) -> Awaitable[Said]:
        return self.sender.send(self.service, mutation, command_id, **told)

    def start_run(self) -> Wish:
        """A run that is completed at once, or goes on."""
        thread_id, run_id = self.dice.choice(self.world.threads), self.world.new("run")
        if self.dice.random() < 0.7:
            return "startRun", completed_run(thread_id, run_id)
        return "startRun", {"threadId": thread_id, "runId": run_id, "status": "running"}

    def update_run(self) -> Wish:
        """The end of a run, of which somebody else may have told another one."""
        if not self.world.running:
            return self.start_run()
        run_id = self.dice.choice(self.world.running)
        status = self.dice.choice(["completed", "failed", "interrupted", "waiting"])
        return "updateRun", {"runId": run_id, "status": status}

    def resolve_start(self) -> Wish:
        """A start on any thread, with any provider."""
        thread_id = self.dice.choice(self.world.threads)
        return "resolveStartContext", start(thread_id, self.dice.choice(PROVIDERS))

    def settle_start(self) -> Wish:
        """What became of a start, of which somebody else may have told something else."""
        if not self.world.starting:
            return self.resolve_start()
        run_id = self.dice.choice(self.world.starting[-4:])
        if self.dice.random() < 0.5:
            return "confirmStart", confirmed(run_id)
        told = {"reason": "No luck.", "retryable": self.dice.random() < 0.7}
        return "failStart", {"runId": run_id} | told

    def rollback(self) -> Wish:
        """A thread back to the run it began with, or to nothing."""
        thread_id = self.dice.choice(self.world.forks)
        kept = self.dice.choice([None, f"{thread_id}-run"])
        return "rollbackThread", {"threadId": thread_id, "keepThroughRunId": kept}

    def append_items(self) -> Wish:
        """Some messages."""
        role = self.dice.choice(["user", "assistant"])
        items = [
            {"itemId": self.world.new("item"), "kind": "message", "role": role, "text": "Well."}
            for _ in range(self.dice.randint(1, 3))
        ]
        return "appendItems", {"threadId": self.dice.choice(self.world.threads), "items": items}

    def record_checkpoint(self) -> Wish:
        """A checkpoint of the first run of a fork, if it has one."""
        thread_id = self.dice.choice(self.world.forks)
        told = {"checkpointId": self.world.new("checkpoint"), "status": "ready", "files": ["f"]}
        return "recordCheckpoint", {"threadId": thread_id, "runId": f"{thread_id}-run"} | told

    def fork_thread(self) -> Wish:
        """A fork of any thread; its id may be one that others wish for as well."""
        source = self.dice.choice(self.world.threads)
        wished = f"{self.world.name}-wished-{self.dice.randrange(20)}"
        target = self.dice.choice([self.world.new("forked"), wished])
        return "forkThread", {"sourceThreadId": source, "targetThreadId": target}

    def merge_back(self) -> Wish:
        """A merge-back of any fork."""
        return "mergeBack", {"forkThreadId": self.dice.choice(self.world.forks)}

    def spawn_subagent(self) -> Wish:
        """A child of any thread."""
        parent, child = self.dice.choice(self.world.threads), self.world.new("spawned")
        return "spawnSubagent", {"parentThreadId": parent, "childThreadId": child, "task": "Do."}

    def complete_subagent(self) -> Wish:
        """A report of any child, whatever was reported of it before."""
        outcome = self.dice.choice(["completed", "failed", "cancelled"])
        told = {"childThreadId": self.dice.choice(self.world.children), "outcome": outcome}
        return "completeSubagent", told

    def set_edge(self) -> Wish:
        """How a spawn stands."""
        told = {"childThreadId": self.dice.choice(self.world.children)}
        return "setSpawnEdgeStatus", told | {"status": self.dice.choice(["open", "closed"])}

    def switch_provider(self) -> Wish:
        """Another provider for any thread."""
        told = {"provider": self.dice.choice(PROVIDERS)}
        return "switchProvider", {"threadId": self.dice.choice(self.world.threads)} | told

    def rename(self) -> Wish:
        """Another title for any thread."""
        told = {"patch": {"title": f"Title {self.dice.randrange(100)}"}}
        return "updateThreadMetadata", {"threadId": self.dice.choice(self.world.threads)} | told

    def put_away(self) -> Wish:
        """One of the children is put away, or brought back."""
        mutation = self.dice.choice(
            ["archiveThread", "unarchiveThread", "deleteThread", "restoreThread", "restoreThread"]
        )
        return mutation, {"threadId": self.dice.choice(self.world.children)}


WISHES: list[Callable[[StormClient], Wish]] = [
    *[StormClient.start_run] * 4,
    *[StormClient.update_run] * 3,
    *[StormClient.resolve_start] * 5,
    *[StormClient.settle_start] * 5,
    *[StormClient.rollback] * 2,
    *[StormClient.append_items] * 3,
    StormClient.record_checkpoint,
    *[StormClient.fork_thread] * 3,
    *[StormClient.merge_back] * 4,
    *[StormClient.spawn_subagent] * 2,
    *[StormClient.complete_subagent] * 2,
    StormClient.set_edge,
    StormClient.switch_provider,
    StormClient.rename,
    StormClient.put_away,
]
"""What a client may want; what stands more often comes more often."""


async def settle_all(sender: Sender, found: Sequence[dict[str, Any]], name: str) -> list[str]:
    """Let every thread that transfers wait for go on, if it may; the threads that did.

    Starts that nobody has settled are given up for good before.
    """
    report = await sender.ask("{ integrity { unconfirmedStarts { runId } } }")
    for run in report["integrity"]["unconfirmedStarts"]:
        told = {"runId": run["runId"], "reason": "The storm is over.", "retryable": False}
        await sender.send(0, "failStart", f"{name}-give-up-{run['runId']}", **told)
    waiting = {
        transfer["targetThreadId"]
        for transfer in found
        if transfer["status"] in {"PENDING", "RESOLVED_NATIVE", "RESOLVED_PORTABLE"}
    }
    went_on: list[str] = []
    for number, thread in enumerate(sorted(waiting)):
        told = start(thread, PROVIDERS[1])
        said = await sender.send(
            number % 2, "resolveStartContext", f"{name}-last-{thread}", **told
        )
        if said.done:
            run_id = said.answer["run"]["runId"]
            await sender.done(0, "confirmStart", f"{name}-confirm-{thread}", **confirmed(run_id))
            went_on.append(thread)
    return went_on


def told_apart(answer: Answer) -> dict[str, Any]:
    """What of an answer stays the same whenever its command is sent again: type and ids."""
    ids = {"threadId", "transferId", "runId", "checkpointId", "firstPosition", "lastPosition"}
    told: dict[str, Any] = {"type": answer["__typename"], "message": answer.get("message")}
    for name, value in answer.items():
        if name in ids:
            told[name] = value
        elif name in {"thread", "child", "run", "checkpoint", "transfer"}:
            told[name] = {key: value[key] for key in sorted(ids & value.keys())}
    return told
