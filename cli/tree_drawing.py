"""A lineage as lines of text: what hangs below what, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from cli.terminal import first_line, status_style
from graph.model import EdgeKind, LineageEdge, Relationship, Thread, ThreadId, TransferType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from graph.questions import LineageGraph

NAME_WIDTH = 60
LEAST_WIDTH_OF_A_LINE = 60
"""Where the guides leave less than this, the rest of a branch is named and not drawn."""

GUIDE = 3
KINDS_BY_WEIGHT = (EdgeKind.SPAWN, EdgeKind.PARENT, EdgeKind.FORK)


@dataclass(frozen=True, slots=True)
class _Line:
    thread: Thread
    edge: LineageEdge | None
    guides: str
    depth: int


def draw_tree(lineage: LineageGraph, asked: ThreadId, *, width: int) -> Iterator[Text]:
    """A line a thread, parents before children, siblings by creation; *asked* is marked.

    A thread stands below its browsing parent, else below another end of its edges; its further
    edges are named on its line. A thread of another tree stands below the one that it is
    connected with by a hand-off. What is too deep for *width* is counted on one line.
    """
    drawing = _Drawing(lineage, asked)
    yield from drawing.lines(max_depth=max(1, (width - LEAST_WIDTH_OF_A_LINE) // GUIDE))


class _Drawing:
    def __init__(self, lineage: LineageGraph, asked: ThreadId) -> None:
        self._asked = asked
        self._threads = {thread.thread_id: thread for thread in lineage.nodes}
        self._edges = _edges_by_child(lineage.edges)
        self._places = _places(lineage.nodes, self._edges)
        self._drawn = {edge.edge_id for edge in self._places.values()}
        self._children: dict[ThreadId | None, list[Thread]] = {}
        for thread in sorted(lineage.nodes, key=lambda t: (t.created_at or "~", t.thread_id)):
            edge = self._places.get(thread.thread_id)
            above = _above(thread.thread_id, edge) if edge is not None else None
            self._children.setdefault(above, []).append(thread)

    def lines(self, max_depth: int) -> Iterator[Text]:
        waiting = [_Line(thread, None, "", 0) for thread in reversed(self._children.get(None, []))]
        while waiting:
            line = waiting.pop()
            yield self._draw(line)
            children = self._children.get(line.thread.thread_id, [])
            if children and line.depth == max_depth:
                yield self._fold(line)
                continue
            for position, child in enumerate(reversed(children)):
                guides = line.guides + ("└─ " if position == 0 else "├─ ")
                waiting.append(_Line(child, self._places[child.thread_id], guides, line.depth + 1))

    def _draw(self, line: _Line) -> Text:
        thread = line.thread
        text = Text.assemble((_continued(line.guides), "faint"), no_wrap=True)
        text.append_text(_relation(thread, line.edge))
        text.append_text(_name(thread, asked=thread.thread_id == self._asked))
        if thread.status is not None:
            text.append(f"  {thread.status}", status_style(thread.status))
        if thread.run_count:
            text.append(f"  {thread.run_count} run{'s' if thread.run_count > 1 else ''}", "faint")
        if thread.archived_at is not None:
            text.append("  archived", "faint")
        if thread.deleted_at is not None:
            text.append("  deleted", "failed")
        for edge in self._edges.get(thread.thread_id, ()):
            if edge.edge_id not in self._drawn and _is_told(edge):
                text.append(f"  {_further(edge, line.edge)}", "faint")
        text.append(f"  {thread.thread_id}", "faint")
        return text

    def _fold(self, line: _Line) -> Text:
        below = self._count_below(line.thread.thread_id)
        guides = _continued(line.guides + "└─ ")
        words = f"{below} more below: lineage tree {line.thread.thread_id} --below"
        return Text.assemble((guides, "faint"), (words, "faint"), no_wrap=True)

    def _count_below(self, thread_id: ThreadId) -> int:
        count, waiting = 0, [thread_id]
        while waiting:
            children = self._children.get(waiting.pop(), [])
            count += len(children)
            waiting.extend(child.thread_id for child in children)
        return count


def _edges_by_child(edges: Sequence[LineageEdge]) -> Mapping[ThreadId, list[LineageEdge]]:
    by_child: dict[ThreadId, list[LineageEdge]] = {}
    for edge in edges:
        by_child.setdefault(edge.to_thread_id, []).append(edge)
    return by_child


def _places(
    nodes: Sequence[Thread], edges: Mapping[ThreadId, Sequence[LineageEdge]]
) -> dict[ThreadId, LineageEdge]:
    """The edge that each thread but the first is drawn below, so that the first is above all."""
    order = {thread.thread_id: position for position, thread in enumerate(nodes)}
    ends = {
        thread.thread_id: [
            edge
            for kind in KINDS_BY_WEIGHT
            for edge in edges.get(thread.thread_id, ())
            if edge.kind is kind and edge.from_thread_id in order
        ]
        or _hand_offs(thread.thread_id, edges, order)
        for thread in nodes[1:]
    }
    places = {
        thread.thread_id: next(
            (e for e in ends[thread.thread_id] if e.from_thread_id == thread.parent_thread_id),
            ends[thread.thread_id][0],
        )
        for thread in nodes[1:]
    }
    while (lost := _first_lost(nodes, places)) is not None:
        # On a cycle. The lineage comes in breadth: some edge leads to an earlier thread.
        places[lost] = next(e for e in ends[lost] if order[_above(lost, e)] < order[lost])
    return places


def _hand_offs(
    thread_id: ThreadId,
    edges: Mapping[ThreadId, Sequence[LineageEdge]],
    order: Mapping[ThreadId, int],
) -> list[LineageEdge]:
    """The hand-offs that connect a thread of another tree with earlier threads."""
    return [
        edge
        for told in edges.values()
        for edge in told
        if edge.kind is EdgeKind.TRANSFER
        and thread_id in {edge.from_thread_id, edge.to_thread_id}
        and order[_above(thread_id, edge)] < order[thread_id]
    ]


def _above(thread_id: ThreadId, edge: LineageEdge) -> ThreadId:
    """The other end of an edge that a thread is drawn below."""
    return edge.to_thread_id if edge.from_thread_id == thread_id else edge.from_thread_id


def _is_told(edge: LineageEdge) -> bool:
    """Whether an edge is named on a thread's line: not what became of a child, nor of itself."""
    if edge.kind is EdgeKind.TRANSFER:
        is_result = edge.transfer_type is TransferType.SUBAGENT_RESULT
        return not is_result and edge.from_thread_id != edge.to_thread_id
    return edge.kind in KINDS_BY_WEIGHT


def handed_words(edge: LineageEdge) -> str:
    """What was done with context that went over a transfer's edge."""
    match edge.transfer_type:
        case TransferType.MERGE_BACK:
            return "merged back"
        case TransferType.SUBAGENT_RESULT:
            return "result"
        case _:
            return "handed over"


def _first_lost(
    nodes: Sequence[Thread], places: Mapping[ThreadId, LineageEdge]
) -> ThreadId | None:
    """The first thread that does not hang below the first one."""
    children: dict[ThreadId, list[ThreadId]] = {}
    for child, edge in places.items():
        children.setdefault(_above(child, edge), []).append(child)
    hanging: set[ThreadId] = set()
    waiting = [nodes[0].thread_id]
    while waiting:
        thread_id = waiting.pop()
        hanging.add(thread_id)
        waiting.extend(children.get(thread_id, ()))
    return next((t.thread_id for t in nodes if t.thread_id not in hanging), None)


def _continued(guides: str) -> str:
    """The guides with only the last branch as a branch; the ones before it go straight down."""
    cells = [guides[start : start + GUIDE] for start in range(0, len(guides), GUIDE)]
    straight = ["│  " if cell == "├─ " else "   " for cell in cells[:-1]]
    return "".join(straight + cells[-1:])


def _relation(thread: Thread, edge: LineageEdge | None) -> Text:
    if edge is None:
        return Text()
    match edge.kind:
        case EdgeKind.SPAWN:
            status = f" {edge.status}" if edge.status not in {None, "open"} else ""
            return Text(f"spawn{status}  ", "spawn")
        case EdgeKind.PARENT:
            return Text(f"{thread.agent_role or 'child'}  ", "child")
        case EdgeKind.TRANSFER:
            end = "to" if edge.to_thread_id == thread.thread_id else "from"
            return Text(f"{handed_words(edge)} {end}  ", "fork")
        case _:
            return Text(f"{_word(edge)}  ", "fork")


def _word(edge: LineageEdge) -> str:
    match edge.kind:
        case EdgeKind.FORK:
            return "copy of context" if edge.context_only else "fork"
        case EdgeKind.SPAWN:
            return "spawn"
        case _:
            return "child"


def _further(edge: LineageEdge, drawn: LineageEdge | None) -> str:
    """What else the thread is, besides what it is drawn as."""
    if edge.kind is EdgeKind.TRANSFER:
        return f"also {handed_words(edge)} from {edge.from_thread_id}"
    if drawn is not None and drawn.from_thread_id == edge.from_thread_id:
        return "with a copy of its context" if edge.context_only else f"and a {_word(edge)} of it"
    return f"also {_word(edge)} of {edge.from_thread_id}"


def _name(thread: Thread, *, asked: bool) -> Text:
    style = "asked" if asked else ""
    if not thread.recorded:
        return Text("not imported", style or "faint")
    words = first_line(thread.name or thread.title or thread.preview, NAME_WIDTH)
    nickname = thread.agent_path or thread.agent_nickname
    if not words:
        words = nickname or "no title"
    elif nickname is not None and thread.relationship_to_parent is Relationship.SUBAGENT:
        words = f"{nickname}: {words}"
    return Text(words, style)
