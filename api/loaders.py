"""One round trip for each selected field, however many rows the field is selected on."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar, cast

import strawberry

Key = TypeVar("Key")
Value = TypeVar("Value")

Place = tuple[str, ...]

QUIET_TURNS = 8
"""So many turns of the event loop without a new key end the gathering.

graphql-core starts the fields of a list of one a turn or two before those of a longer list.
Between two loaders stand at most a few levels of fields, so the late ones are waited for.
"""


class Loaders:
    """Gathers what one request asks for the same field of several rows, and asks it once.

    Rows are gathered by place: the path of the field in the answer, without list positions. All
    rows of a place are known at the same moment, so each place costs one round trip. Two places
    never share an answer: a row that was known earlier would split the next place in two.
    """

    def __init__(self) -> None:
        """Begin with nothing asked; there is one for each request."""
        # The places of one request hold loaders of every kind of key and value.
        self._loaders: dict[tuple[Place, str], _Loader[Any, Any]] = {}
        self._primed: dict[tuple[Place, str], dict[Any, Any]] = {}

    def prime(self, place: Place, values: Mapping[Key, Value], purpose: str = "") -> None:
        """Let *values* be the answers for their keys at a place of which nothing was asked yet."""
        self._primed.setdefault((place, purpose), {}).update(values)

    def load(
        self,
        place: Place,
        key: Key,
        fetch: Callable[[list[Key]], Awaitable[Mapping[Key, Value]]],
        purpose: str = "",
        *,
        alone: bool = False,
    ) -> Awaitable[Value | None]:
        """What *fetch* answers for *key*, ``None`` where it has no answer.

        With *alone* it is the only key of the place: no other is waited for. Of the *fetch*
        functions that are given for one place and *purpose* the first is called.
        """
        loader = self._loader(place, fetch, purpose)
        future = loader.load(key)
        if alone:
            loader.expect_no_more()
        return future

    def load_all(
        self,
        place: Place,
        keys: Iterable[Key],
        fetch: Callable[[list[Key]], Awaitable[Mapping[Key, Value]]],
        purpose: str = "",
        *,
        complete: bool,
    ) -> list[asyncio.Future[Value | None]]:
        """What *fetch* answers for each of *keys*, as ``load`` gives it.

        With *complete* these are all keys of the place: none is waited for.
        """
        loader = self._loader(place, fetch, purpose)
        futures = [loader.load(key) for key in keys]
        if complete:
            loader.expect_no_more()
        return futures

    def _loader(
        self,
        place: Place,
        fetch: Callable[[list[Key]], Awaitable[Mapping[Key, Value]]],
        purpose: str,
    ) -> "_Loader[Key, Value]":
        loader = self._loaders.get((place, purpose))
        if loader is None:
            primed = self._primed.setdefault((place, purpose), {})
            loader = self._loaders[place, purpose] = _Loader(fetch, primed)
        return cast("_Loader[Key, Value]", loader)


def place_of(info: strawberry.Info[Any, Any]) -> Place:
    """The path of a field in the answer, without list positions, and the field's name."""
    names = [info.field_name]
    path = info.path
    while path is not None:
        if isinstance(path.key, str):
            names.append(path.key)
        path = path.prev
    return tuple(names)


def stands_alone(info: strawberry.Info[Any, Any]) -> bool:
    """Whether no list stands above a field, so that it is asked once and has one key."""
    path = info.path
    while path is not None:
        if not isinstance(path.key, str):
            return False
        path = path.prev
    return True


class _Loader(Generic[Key, Value]):
    """Gathers keys until no more come, then fetches them all."""

    def __init__(
        self,
        fetch: Callable[[list[Key]], Awaitable[Mapping[Key, Value]]],
        primed: Mapping[Key, Value],
    ) -> None:
        self._fetch = fetch
        self._primed = primed
        self._known: dict[Key, asyncio.Future[Value | None]] = {}
        self._gathered: dict[Key, asyncio.Future[Value | None]] = {}
        self._task: asyncio.Task[None] | None = None
        self._all_known = False

    def load(self, key: Key) -> asyncio.Future[Value | None]:
        future = self._known.get(key)
        if future is None or future.cancelled():
            future = asyncio.get_running_loop().create_future()
            self._known[key] = future
            if key in self._primed:
                future.set_result(self._primed[key])
                return future
            self._gathered[key] = future
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._answer())
        return future

    def expect_no_more(self) -> None:
        """Fetch at once."""
        self._all_known = True

    async def _answer(self) -> None:
        while self._gathered:
            await self._gather()
            batch, self._gathered = self._gathered, {}
            try:
                values = await self._fetch(list(batch))
            except Exception as error:  # noqa: BLE001 - it is raised where the answer is awaited
                for future in _still_awaited(batch):
                    future.set_exception(error)
            else:
                for key, future in batch.items():
                    if not future.done():
                        future.set_result(values.get(key))

    async def _gather(self) -> None:
        quiet = 0
        while quiet < QUIET_TURNS and not self._all_known:
            before = len(self._gathered)
            await asyncio.sleep(0)
            quiet = quiet + 1 if len(self._gathered) == before else 0


def _still_awaited(
    batch: Mapping[Key, asyncio.Future[Value | None]],
) -> list[asyncio.Future[Value | None]]:
    return [future for future in batch.values() if not future.done()]
