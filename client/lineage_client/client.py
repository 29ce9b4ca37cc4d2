"""The client: a service at an address, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from lineage_client import documents
from lineage_client.connection import Connection
from lineage_client.decoding import camel, read
from lineage_client.errors import LineageChanged, thread_not_found
from lineage_client.lineage import Lineage
from lineage_client.model import (
    Descendant,
    Direction,
    EdgeKind,
    Handoff,
    IntegrityReport,
    Item,
    LineageEdge,
    LineagePath,
    MergeBackDelta,
    Run,
    SubtreeTotals,
    Thread,
    ThreadFilter,
    ThreadOrder,
    Totals,
    Transfer,
    TransferEnd,
    TransferFilter,
    TransferStatus,
    Truncation,
)
from lineage_client.rows import Rows

Row = TypeVar("Row")

LARGEST_PAGE = 500
LARGEST_PAGE_OF_THREADS = 100
NODES_A_PAGE = 5_000
READINGS = 3
"""So many times a lineage is read from its beginning because it changed meanwhile."""


class LineageClient:
    """A thread-lineage service. Lists are read page by page, as far as they are iterated.

    >>> with LineageClient("http://127.0.0.1:8484") as client:
    ...     for thread in client.threads(search="migration"):
    ...         print(thread.thread_id, thread.title)
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 60.0,
        attempts: int = 4,
        nodes_a_page: int = NODES_A_PAGE,
    ) -> None:
        """Ask the service at *url*.

        An answer is waited for *timeout* seconds. What is unavailable for the moment is asked
        *attempts* times in all. A lineage is read *nodes_a_page* threads at a time.
        """
        self._connection = Connection(url, timeout=timeout, attempts=attempts)
        self._nodes_a_page = nodes_a_page

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are open."""
        self._connection.close()

    def query(
        self, document: str, variables: Mapping[str, object] | None = None
    ) -> dict[str, Any]:
        """The data that the service answers to any GraphQL document, as it is."""
        return self._connection.ask(document, variables or {})

    def thread(self, thread_id: str) -> Thread | None:
        """The thread of an id, ``None`` where there is none."""
        found = self.query(documents.THREAD, {"id": thread_id})["thread"]
        return None if found is None else read(Thread, found)

    def threads(
        self, order_by: ThreadOrder = "CREATED_DESC", **conditions: Unpack[ThreadFilter]
    ) -> Rows[Thread]:
        """The threads that meet all *conditions*, newest first unless told otherwise.

        Without ``source_kinds`` these are what people started, as in the service's own list.
        """
        variables = {
            "filter": _conditions(conditions),
            "orderBy": order_by,
            "first": LARGEST_PAGE_OF_THREADS,
        }
        return _nodes(Thread, self._edges(documents.THREADS, variables))

    def lineage(  # noqa: PLR0913 - each named where it is called
        self,
        thread_id: str,
        *,
        direction: Direction = "WHOLE_TREE",
        kinds: list[EdgeKind] | None = None,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        totals: bool = False,
    ) -> Lineage:
        """The tree of a thread, or what is above or below it: all of it, however many pages.

        Only *max_depth* and *max_nodes* cut it off, and then ``truncated`` says so. *totals* asks
        for what each thread used itself, too. A tree that changes while its pages are read is
        read again; ``LineageChanged`` where it does not hold still.
        """
        variables: dict[str, object] = {
            "id": thread_id,
            "direction": direction,
            "kinds": kinds,
            "maxDepth": max_depth,
            "totals": totals,
        }
        for _ in range(READINGS):
            found = self._read_lineage(variables, max_nodes)
            if found is not None:
                return found
        raise LineageChanged(f"The lineage of {thread_id!r} changed each time that it was read.")

    def descendants(
        self,
        thread_id: str,
        *,
        kinds: list[EdgeKind] | None = None,
        spawn_status: str | None = None,
        max_depth: int | None = None,
    ) -> Rows[Descendant]:
        """The threads below a thread, by depth and thread id."""
        variables = {
            "id": thread_id,
            "kinds": kinds,
            "spawnStatus": spawn_status,
            "maxDepth": max_depth,
        }
        edges = self._edges_of_thread(documents.DESCENDANTS, variables)
        return Rows(Descendant, (read(Descendant, edge) for edge in edges))

    def runs(self, thread_id: str, *, include_rolled_back: bool = True) -> Rows[Run]:
        """The thread's own runs, by ordinal."""
        variables = {"id": thread_id, "rolledBack": include_rolled_back}
        return _nodes(Run, self._edges_of_thread(documents.RUNS, variables))

    def history(self, thread_id: str, *, include_rolled_back: bool = False) -> Rows[Run]:
        """The runs that the thread inherited, the farthest ancestor's first, and its own."""
        variables = {"id": thread_id, "rolledBack": include_rolled_back}
        return _nodes(Run, self._edges_of_thread(documents.HISTORY, variables))

    def items(self, thread_id: str) -> Rows[Item]:
        """The thread's own messages, commands, file changes, …, by position."""
        return _nodes(Item, self._edges_of_thread(documents.ITEMS, {"id": thread_id}))

    def totals(self, thread_id: str) -> SubtreeTotals:
        """What the thread used itself, what all that it spawned used, and the rest below it."""
        found = self.query(documents.TOTALS, {"id": thread_id})["thread"]
        if found is None:
            raise thread_not_found(thread_id)
        return read(SubtreeTotals, found["totals"])

    def path(self, from_thread_id: str, to_thread_id: str) -> LineagePath | None:
        """How two threads are connected, ``None`` where they are not."""
        variables = {"from": from_thread_id, "to": to_thread_id}
        found = self.query(documents.PATH, variables)["path"]
        return None if found is None else read(LineagePath, found)

    def nearest_common_ancestor(self, *thread_ids: str) -> Thread | None:
        """The nearest thread that is above all of these, or one of them, if there is one."""
        variables = {"ids": list(thread_ids)}
        found = self.query(documents.NEAREST_COMMON_ANCESTOR, variables)["nearestCommonAncestor"]
        return None if found is None else read(Thread, found)

    def transfer(self, transfer_id: str) -> Transfer | None:
        """The context transfer of an id, ``None`` where there is none."""
        found = self.query(documents.TRANSFER, {"id": transfer_id})["transfer"]
        return None if found is None else read(Transfer, found)

    def transfers(self, **conditions: Unpack[TransferFilter]) -> Rows[Transfer]:
        """The context transfers that meet all *conditions*, by the time they were made."""
        variables = {"filter": _conditions(conditions), "first": LARGEST_PAGE}
        return _nodes(Transfer, self._edges(documents.TRANSFERS, variables))

    def transfers_of(
        self,
        thread_id: str,
        *,
        direction: TransferEnd | None = None,
        status: list[TransferStatus] | None = None,
    ) -> Rows[Transfer]:
        """The context that was handed to a thread (IN) or from it (OUT), or both, each once."""
        variables = {"id": thread_id, "direction": direction, "status": status}
        return _nodes(Transfer, self._edges_of_thread(documents.THREAD_TRANSFERS, variables))

    def handoff(self, transfer_id: str) -> Handoff | None:
        """What a transfer carries; ``None`` where it carries nothing, or there is none."""
        found = self.query(documents.HANDOFF, {"id": transfer_id})["transfer"]
        carried = None if found is None else found["handoff"]
        return None if carried is None else read(Handoff, carried)

    def merge_back_delta(
        self, fork_thread_id: str, *, run_id: str | None = None
    ) -> MergeBackDelta | None:
        """What a fork did since its fork point, up to a run or to its latest stable one.

        ``None`` where nothing can be brought back: the thread is no fork, its fork point is not
        known, or no run of it is stable.
        """
        variables = {"id": fork_thread_id, "run": run_id}
        found = self.query(documents.MERGE_BACK_DELTA, variables)["mergeBackDelta"]
        return None if found is None else read(MergeBackDelta, found)

    def merge_back_items(self, fork_thread_id: str, *, run_id: str | None = None) -> Rows[Item]:
        """What ``merge_back_delta`` has still to deliver, in order; nothing without one.

        The fork may go on meanwhile: all pages are up to the run that was the latest at first.
        """
        return _nodes(Item, self._merge_back_edges(fork_thread_id, run_id))

    def integrity(self) -> IntegrityReport:
        """What is wrong with the stored graph. The service looks at all of it, maybe for minutes.

        Such a question may need a client with a larger *timeout*.
        """
        return read(IntegrityReport, self.query(documents.INTEGRITY)["integrity"])

    def _read_lineage(
        self, variables: Mapping[str, object], max_nodes: int | None
    ) -> Lineage | None:
        """The whole lineage, ``None`` where it changed between two pages."""
        nodes: list[Thread] = []
        edges: list[LineageEdge] = []
        totals: dict[str, Totals] = {}
        version, cursor = None, None
        while True:
            rest = self._nodes_a_page
            if max_nodes is not None:
                rest = min(rest, max_nodes - len(nodes))
            page = self.query(documents.LINEAGE, {**variables, "maxNodes": rest, "after": cursor})[
                "lineage"
            ]
            if version not in {None, page["version"]}:
                return None
            version, cursor = page["version"], page["endCursor"]
            nodes += [read(Thread, node) for node in page["nodes"]]
            edges += [read(LineageEdge, edge) for edge in page["edges"]]
            if variables["totals"]:
                totals |= {
                    node["threadId"]: read(Totals, node["totals"]["own"]) for node in page["nodes"]
                }
            cut = page["truncated"]
            truncated = None if cut is None else read(Truncation, cut)
            if cursor is not None and max_nodes is not None and len(nodes) >= max_nodes:
                cursor, truncated = None, Truncation("NODES", max_nodes)
            if cursor is None:
                return Lineage(nodes, edges, truncated, version, totals)

    def _merge_back_edges(
        self, fork_thread_id: str, run_id: str | None
    ) -> Iterator[dict[str, Any]]:
        variables: dict[str, object] = {"id": fork_thread_id, "run": run_id, "first": LARGEST_PAGE}
        while True:
            found = self.query(documents.MERGE_BACK_ITEMS, variables)["mergeBackDelta"]
            if found is None:
                return
            page = found["list"]
            yield from page["edges"]
            if not page["pageInfo"]["hasNextPage"]:
                return
            variables |= {"run": found["tip"]["runId"], "after": page["pageInfo"]["endCursor"]}

    def _edges_of_thread(
        self, document: str, variables: Mapping[str, object]
    ) -> Iterator[dict[str, Any]]:
        return self._edges(document, {**variables, "first": LARGEST_PAGE})

    def _edges(self, document: str, variables: Mapping[str, object]) -> Iterator[dict[str, Any]]:
        """The edges of a list, page after page as they are wanted."""
        cursor = None
        while True:
            data = self.query(document, {**variables, "after": cursor})
            owner = data.get("thread", data)
            if owner is None:
                raise thread_not_found(str(variables["id"]))
            page = owner["list"]
            yield from page["edges"]
            if not page["pageInfo"]["hasNextPage"]:
                return
            cursor = page["pageInfo"]["endCursor"]


def _nodes(kind: type[Row], edges: Iterator[dict[str, Any]]) -> Rows[Row]:
    return Rows(kind, (read(kind, edge["node"]) for edge in edges))


def _conditions(conditions: Mapping[str, object]) -> dict[str, object]:
    """The conditions of a list as the service names them."""
    return {camel(name): _written(value) for name, value in conditions.items()}


def _written(value: object) -> object:
    """A condition as JSON; a time without a zone is one of this machine."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value
