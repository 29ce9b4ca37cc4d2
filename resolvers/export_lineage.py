"""Export: a whole lineage, page after page, as JSON or as a flowchart."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Protocol

import msgspec

from graph.errors import StoreUnavailable
from graph.model import EdgeKind
from graph.questions import TruncationReason

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from graph.model import LineageEdge, Thread, ThreadId
    from graph.questions import LineageGraph, LineageQuestion, Truncation
    from graph.store import ThreadGraph

MEMORY = 1 << 20
"""So many bytes of edges are kept in memory before a file takes them."""

LABEL_WIDTH = 60
ARROWS = {
    EdgeKind.FORK: "-. fork .->",
    EdgeKind.SPAWN: "-- spawn -->",
    EdgeKind.PARENT: "-- child -->",
    EdgeKind.HISTORY_BASE: "-. history .->",
    EdgeKind.TRANSFER: "== transfer ==>",
}
ESCAPED = {character: f"#{ord(character)};" for character in '#"&<>`\\'}


class Sink(Protocol):
    """Where text goes."""

    def write(self, text: str, /) -> object:
        """Take some text."""
        ...


class Format(AbstractContextManager["Format"], Protocol):
    """A way to write a lineage down."""

    def page(self, lineage: LineageGraph) -> None:
        """Write the threads and edges of a page."""
        ...

    def end(self) -> None:
        """Write what comes last."""
        ...


async def export_lineage(
    graph: ThreadGraph, question: LineageQuestion, form: Format
) -> Truncation | None:
    """Write a whole lineage; answers where the depth cut it off, if it did.

    ``StoreUnavailable`` where the tree changes meanwhile: what was written is then of no use.
    """
    truncation = None
    with form:
        async for page in pages_of(graph, question):
            form.page(page)
            truncation = page.truncated
        form.end()
    return truncation


async def pages_of(graph: ThreadGraph, question: LineageQuestion) -> AsyncIterator[LineageGraph]:
    """The pages of a lineage, all of one version of its tree."""
    version = None
    while True:
        page = await graph.lineage(question)
        version = version or page.version
        if page.version != version:
            raise StoreUnavailable("The tree has changed while it was read. Try again.")
        yield page
        if page.truncated is None or page.truncated.reason is not TruncationReason.NODES:
            return
        question = replace(question, after=page.end)


class Json(Format):
    """One object with the nodes and edges, all fields of each; the edges come last."""

    def __init__(self, sink: Sink) -> None:
        """Write to *sink*."""
        self._sink = sink
        self._edges = SpooledTemporaryFile(max_size=MEMORY)  # noqa: SIM115 - closed on leaving
        self._begun = {"nodes": False, "edges": False}

    def page(self, lineage: LineageGraph) -> None:
        for node in lineage.nodes:
            self._sink.write(self._before("nodes") + msgspec.json.encode(node).decode())
        for edge in lineage.edges:
            told = msgspec.json.encode({"id": edge.edge_id, **msgspec.to_builtins(edge)})
            self._edges.write(self._before("edges").encode() + told)

    def end(self) -> None:
        if not self._begun["nodes"]:
            self._sink.write('{"nodes":[')
        self._sink.write("]," + ("" if self._begun["edges"] else '\n"edges":['))
        self._edges.seek(0)
        for line in self._edges:
            self._sink.write(line.decode())
        self._sink.write("]}\n")

    def __exit__(self, *_: object) -> None:
        self._edges.close()

    def _before(self, name: str) -> str:
        if self._begun[name]:
            return ",\n"
        self._begun[name] = True
        return '{"nodes":[\n' if name == "nodes" else '\n"edges":[\n'


@dataclass(slots=True)
class Mermaid(Format):
    """A flowchart from the top down, with a short label for each thread."""

    sink: Sink
    names: dict[ThreadId, str] = field(default_factory=dict["ThreadId", str])

    def page(self, lineage: LineageGraph) -> None:
        for thread in lineage.nodes:
            if not self.names:
                self.sink.write("flowchart TD\n")
            name = self.names[thread.thread_id] = f"t{len(self.names)}"
            self.sink.write(f'  {name}["{_label(thread)}"]\n')
        for edge in lineage.edges:
            self.sink.write(f"  {self._edge(edge)}\n")

    def end(self) -> None:
        """Nothing comes last."""

    def __exit__(self, *_: object) -> None:
        """Nothing is held."""

    def _edge(self, edge: LineageEdge) -> str:
        ends = self.names[edge.from_thread_id], self.names[edge.to_thread_id]
        return f"{ends[0]} {ARROWS[edge.kind]} {ends[1]}"


def _label(thread: Thread) -> str:
    """The thread's name and the beginning of its id, as Mermaid shows it letter by letter."""
    named = thread.name or thread.title or thread.agent_path or thread.agent_nickname
    words = " ".join((named or thread.preview or "").split())
    if not thread.recorded:
        words = "not imported"
    if len(words) > LABEL_WIDTH:
        words = words[: LABEL_WIDTH - 1] + "…"
    shown = "".join(ESCAPED.get(at, at) for at in words if at.isprintable())
    thread_id = "".join(ESCAPED.get(at, at) for at in thread.thread_id if at.isprintable())
    return f"{shown}<br>{thread_id}" if shown else thread_id
