"""Compiles what is selected on a type into a plan; once for each document."""

from collections.abc import Mapping
from typing import assert_never

from graphql import GraphQLNamedType, GraphQLObjectType

from api.compiled.answer_types import AnswerType, AnswerTypes
from api.compiled.fetched_parts import ManyPart, OnePart, PagesPart
from api.compiled.leaves import leaf_of
from api.compiled.plans import (
    DerivedPart,
    LeafListPart,
    LeafPart,
    ListPart,
    MadePart,
    ObjectPart,
    ObjectPlan,
    Part,
    SameRowPart,
    TypeNamePart,
    WordedPart,
    answer_class,
)
from api.compiled.refusals import NotCompiled
from api.compiled.sources import (
    ROWS,
    SOURCES,
    Derived,
    Made,
    Many,
    ObjectSource,
    One,
    Pages,
    SameRow,
    Worded,
)
from api.selections import Selected


class Compiler:
    """Makes plans for the types of a schema."""

    def __init__(self, types: AnswerTypes) -> None:
        """Compile for these types."""
        self._types = types

    def answered(self, type_name: str, field_name: str) -> AnswerType:
        """The type of a field; ``NotCompiled`` where there is none."""
        return self._types.answered(type_name, field_name)

    def plan(self, selected: Selected, type_name: str) -> ObjectPlan:
        """The plan of what is selected on a type; ``NotCompiled`` where there can't be one."""
        known: ObjectPlan | NotCompiled | None = selected.kept.get(type_name)
        if known is None:
            try:
                known = self._object(selected.fields(type_name), type_name)
            except NotCompiled as error:
                known = error
            selected.kept[type_name] = known
        if isinstance(known, NotCompiled):
            raise known
        return known

    def _object(self, fields: Mapping[str, Selected], type_name: str) -> ObjectPlan:
        parts = [self._part(field, type_name) for field in fields.values()]
        return ObjectPlan(answer_class(tuple(fields)), parts)

    def _part(self, selected: Selected, type_name: str) -> Part:
        if not selected.plain:
            raise NotCompiled
        if selected.name == "__typename":
            return TypeNamePart(type_name)
        answer = self.answered(type_name, selected.name)
        if answer.nullable_items:
            raise NotCompiled
        source = SOURCES.get((type_name, selected.name))
        if isinstance(source, Worded):
            return WordedPart(source)
        if source is not None:
            return self._sourced(selected, source, answer)
        column = self._types.plain.get((type_name, selected.name))
        if column is not None:
            return self._plain(selected, column, answer)
        if selected.name in CONNECTION and type_name.endswith("Connection"):
            return self._plain(selected, CONNECTION[selected.name], answer)
        raise NotCompiled

    def _plain(self, selected: Selected, column: str, answer: AnswerType) -> Part:
        named = answer.named
        if isinstance(named, GraphQLObjectType):
            plan, key = self.plan(selected, named.name), selected.key
            if answer.is_list:
                return ListPart(key, column, _row_type(named), plan)
            return ObjectPart(key, column, _row_type(named), plan, answer.nullable)
        members = self._types.members(named)
        if answer.is_list:
            return LeafListPart(column, leaf_of(named, members, words=False, nullable=False))
        leaf, words = (
            leaf_of(named, members, words=words, nullable=answer.nullable)
            for words in (False, True)
        )
        return LeafPart(column, leaf, words)

    def _sourced(self, selected: Selected, source: ObjectSource, answer: AnswerType) -> Part:
        named = answer.named
        plan = self.plan(selected, named.name)
        match source:
            case SameRow():
                return SameRowPart(selected.key, source, plan)
            case Derived():
                return DerivedPart(selected.key, source, plan)
            case Made():
                return MadePart(selected.key, source, _row_type(named), plan)
            case One():
                return OnePart(
                    selected, named.name, source, _row_type(named), plan, answer.nullable
                )
            case Many():
                return ManyPart(selected, named.name, source, _row_type(named), plan)
            case Pages():
                edge = self.answered(named.name, "edges").named
                node = self.answered(edge.name, "node").named
                return PagesPart(
                    selected,
                    named.name,
                    source,
                    _row_type(node),
                    plan,
                    _wanted(selected, named, edge),
                )
            case _:
                assert_never(source)


CONNECTION = {"edges": "edges", "pageInfo": "page_info", "totalCount": "total_count"}
"""The fields of connections, which have functions of their own, as plans know them."""


def _row_type(named: GraphQLNamedType) -> type:
    if named.name.endswith("Edge") and named.name not in ROWS:
        return object  # edges are columns already
    row_type = ROWS.get(named.name)
    if row_type is None:
        raise NotCompiled
    return row_type


def _wanted(
    selected: Selected, connection: GraphQLNamedType, edge: GraphQLNamedType
) -> frozenset[str]:
    fields = selected.fields(connection.name).values()
    below = [field.fields(edge.name).values() for field in fields if field.name == "edges"]
    cursors = {"cursor" for edges in below for field in edges if field.name == "cursor"}
    return frozenset({field.name for field in fields} | cursors)
