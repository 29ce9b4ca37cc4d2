"""Threads that are asked for together with their nearest relatives: one question to the graph.

What a selection wants of parents, roots and children is seen before it is executed. The answers
wait where the fields' own functions look for them; what is not among them is asked as ever.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from api.context import Info
from api.limits import ABSENT, given, page_size
from api.loaders import Loaders, Place, place_of
from api.selections import Choice, Selected
from api.walks import kinds_written, refuse_status_of_other_kinds, walked_kinds
from graph.errors import LineageError
from graph.model import Thread, ThreadId
from graph.questions import MAX_FAMILY_LEVELS, ChildrenQuestion, FamilyLevel, FamilyQuestion
from graph.store import ThreadGraph

MOST_OWNERS = 10_000
"""So many threads at most may stand above a level that is asked together with the others."""


async def threads_with_relatives(
    asked: "AskedThreads", thread_ids: list[ThreadId]
) -> Mapping[ThreadId, Thread]:
    """The threads that are known, asked together with the relatives that are selected of them."""
    selected, choice = asked.selected, asked.choice
    if selected is None or choice is None:
        return await asked.graph.threads_by_id(thread_ids)
    ahead = _Ahead.of(asked, selected, choice, len(thread_ids))
    if not ahead.parents and not ahead.roots and not ahead.levels:
        narrow = choice.graph_for(asked.graph, selected, "Thread")
        return await narrow.threads_by_id(thread_ids)
    family = await asked.graph.family(thread_ids, ahead.question)
    for place in ahead.parents:
        asked.loaders.prime(place, family.parents)
    for place in ahead.roots:
        asked.loaders.prime(place, family.roots)
    for place, pages in zip(ahead.levels, family.levels, strict=True):
        asked.loaders.prime(place, pages, "page")
    return family.threads


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedThreads:
    """A field that answers threads: what is selected there, and where in the answer it stands.

    *place* is the path of the answer from the field up, without list positions.
    """

    graph: ThreadGraph
    loaders: Loaders
    choice: Choice | None
    selected: Selected | None
    variables: Mapping[str, Any]
    place: Place

    @staticmethod
    def at(info: Info) -> "AskedThreads":
        """The field that is being answered."""
        context = info.context
        return AskedThreads(
            graph=context.graph,
            loaders=context.loaders,
            choice=context.selections.choice,
            selected=context.selections.at(info.path),
            variables=info.variable_values,
            place=place_of(info)[1:],
        )


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What is asked together, and the place of each part in the answer."""

    question: FamilyQuestion
    parents: list[Place]
    roots: list[Place]
    levels: list[Place]

    @staticmethod
    def of(asked: AskedThreads, selected: Selected, choice: Choice, owners: int) -> "_Ahead":
        def fields_of(type_name: str, *some: Selected) -> frozenset[str]:
            every = frozenset(Thread.__struct_fields__)
            known = [choice.fields_of(one, type_name).get(Thread, every) for one in some]
            return frozenset[str]().union(*known)

        own, place = selected.fields("Thread"), asked.place
        parents = [field for field in own.values() if field.name == "parent"]
        roots = [field for field in own.values() if field.name == "root"]
        levels, places = list[FamilyLevel](), list[Place]()
        for field, question, above in _levels(asked, selected, owners):
            levels.append(
                FamilyLevel(children=question, fields=fields_of("ThreadConnection", field))
            )
            places.append(("children", field.key, *above))
        return _Ahead(
            FamilyQuestion(
                fields=fields_of("Thread", selected),
                parent=fields_of("Thread", *parents) if parents else None,
                root=fields_of("Thread", *roots) if roots else None,
                levels=levels,
            ),
            [("parent", field.key, *place) for field in parents],
            [("root", field.key, *place) for field in roots],
            places,
        )


def _levels(
    asked: AskedThreads, selected: Selected, owners: int
) -> Iterator[tuple[Selected, ChildrenQuestion, Place]]:
    """The children of each level below a selection of threads, as far as they can go together."""
    spots = [(selected, asked.place)]
    for _ in range(MAX_FAMILY_LEVELS):
        below = [
            (field, question, above)
            for spot, above in spots
            for field in spot.fields("Thread").values()
            if field.name == "children"
            and (question := _question(field, asked.variables)) is not None
        ]
        found = max(below, key=lambda one: _generations(one[0]), default=None)
        if found is None or owners > MOST_OWNERS:
            return
        yield found
        connection, question, above = found
        owners *= question.first
        spots = _nodes(connection, above)


def _generations(connection: Selected) -> int:
    """How many levels of children are selected below the rows of a connection."""
    below = [
        _generations(field)
        for node, _ in _nodes(connection, ())
        for field in node.fields("Thread").values()
        if field.name == "children"
    ]
    return 1 + max(below, default=0)


def _nodes(connection: Selected, above: Place) -> list[tuple[Selected, Place]]:
    """The nodes of a connection of threads, and their places in the answer."""
    return [
        (node, (node.key, edges.key, connection.key, *above))
        for edges in connection.fields("ThreadConnection").values()
        if edges.name == "edges"
        for node in edges.fields("ThreadEdge").values()
        if node.name == "node"
    ]


def _question(field: Selected, variables: Mapping[str, Any]) -> ChildrenQuestion | None:
    """How a level is asked; ``None`` where it must be asked by its own function."""
    arguments: Mapping[str, Any] = field.arguments(variables)
    names = {part.name for part in field.fields("ThreadConnection").values()}
    if arguments.get("after") is not None or names.isdisjoint({"edges", "pageInfo"}):
        return None
    try:
        kinds, status = walked_kinds(kinds_written(arguments)), arguments.get("spawnStatus")
        refuse_status_of_other_kinds(status, kinds)
        first = page_size(given(arguments.get("first", ABSENT)))
    except LineageError:
        return None
    return ChildrenQuestion(kinds=kinds, spawn_status=status, first=first)
