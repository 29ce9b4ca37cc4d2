"""How many clients tell several services at once, and what they are answered."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
import httpx

from tests.api.asking import Client
from tests.commands.telling import document

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from tests.api.asking import Answer

HUNG_SECONDS = 120.0
"""An answer that takes longer, on however slow a machine, will never come."""

ATTEMPTS = 5
"""How often a client sends a command that the database refuses for the moment."""


@dataclass(frozen=True, slots=True)
class Said:
    """A command as it was sent, and what it was answered."""

    mutation: str
    command_id: str
    told: dict[str, Any]
    answer: Answer

    @property
    def done(self) -> bool:
        """Whether it was accepted, now or before."""
        return "code" not in self.answer

    @property
    def done_now(self) -> bool:
        """Whether it was accepted by this very request."""
        return self.done and not self.answer["replayed"]


@dataclass(slots=True)
class Sender:
    """Sends commands to services, and remembers all that was answered."""

    clients: Sequence[Client]
    heard: list[Said] = field(default_factory=list[Said])
    sent_again: int = 0

    async def send(
        self,
        service: int,
        mutation: str,
        command_id: str,
        **told: Any,  # noqa: ANN401 - any input
    ) -> Said:
        """What a service answers; a failure that is none of the command's is tried again."""
        body = {
            "query": document(mutation),
            "variables": {"input": told | {"commandId": command_id}},
        }
        answer: Answer = {}
        for _ in range(ATTEMPTS):
            with anyio.fail_after(HUNG_SECONDS):
                answer = (await self.clients[service].post("/graphql", json=body)).json()
            if "errors" not in answer:
                said = Said(mutation, command_id, told, answer["data"][mutation])
                self.heard.append(said)
                return said
            assert answer["errors"][0]["extensions"].get("retryable"), answer
            self.sent_again += 1
        raise AssertionError(f"{command_id} was refused {ATTEMPTS} times: {answer}")

    async def done(
        self,
        service: int,
        mutation: str,
        command_id: str,
        **told: Any,  # noqa: ANN401 - any input
    ) -> Answer:
        """What a service answers to a command that it has to accept."""
        said = await self.send(service, mutation, command_id, **told)
        assert said.done, said
        return said.answer

    async def ask(self, query: str, **variables: object) -> Answer:
        """The data that the first service answers a question with."""
        return await self.clients[0].data(query, **variables)


@asynccontextmanager
async def sending(addresses: Sequence[str]) -> AsyncGenerator[Sender]:
    """A sender to the services at some addresses."""
    # A connection that was idle for longer is not used: the service may be closing it just now.
    limits = httpx.Limits(keepalive_expiry=1.0)
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(
                Client(base_url=address, timeout=HUNG_SECONDS, limits=limits)
            )
            for address in addresses
        ]
        yield Sender(clients)


async def all_at_once(*calls: Any) -> list[Any]:  # noqa: ANN401 - any awaitables
    """What several calls answer that are made at the same time, in their order."""
    answers: list[Any] = [None] * len(calls)

    async def call(place: int) -> None:
        answers[place] = await calls[place]

    async with anyio.create_task_group() as tasks:
        for place in range(len(calls)):
            tasks.start_soon(call, place)
    return answers


Unanswered = httpx.TransportError
"""What a client is told by a connection whose service has crashed."""
