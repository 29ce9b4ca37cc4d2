"""How trees stand, asked for many requests at once."""

import asyncio
from collections.abc import Collection, Mapping, Sequence

from graph.model import ThreadId
from graph.standings import KnowsTrees, Standing

Standings = Mapping[ThreadId, Standing]


class StandingChecks:
    """Asks how trees stand: one question at a time, for all who wait by then.

    Nobody gets an answer to a question that was asked before theirs.
    """

    def __init__(self, graph: KnowsTrees) -> None:
        """Ask *graph*."""
        self._graph = graph
        self._waiting: list[tuple[Collection[ThreadId], asyncio.Future[Standings]]] = []
        self._task: asyncio.Task[None] | None = None

    async def standings(self, root_ids: Collection[ThreadId]) -> Standings:
        """How the trees of some roots stand, and maybe others; as ``KnowsTrees`` tells it."""
        answer: asyncio.Future[Standings] = asyncio.get_running_loop().create_future()
        self._waiting.append((root_ids, answer))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._ask())
        return await answer

    async def _ask(self) -> None:
        while self._waiting:
            asking, self._waiting = self._waiting, []
            try:
                found = await self._graph.standings({at for some, _ in asking for at in some})
            except Exception as error:  # noqa: BLE001 - it is raised where the answer is awaited
                for answer in _still_awaited(asking):
                    answer.set_exception(error)
            else:
                for answer in _still_awaited(asking):
                    answer.set_result(found)


def _still_awaited(
    asking: Sequence[tuple[object, asyncio.Future[Standings]]],
) -> list[asyncio.Future[Standings]]:
    return [answer for _, answer in asking if not answer.done()]
