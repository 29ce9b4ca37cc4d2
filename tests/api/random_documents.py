"""Random valid documents over the schema: what a client could ask, and much that none would."""

import json
import re
from dataclasses import dataclass, field
from random import Random
from typing import Any, cast

from graphql import (
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    is_leaf_type,
)

IDS = ["root", "fork", "helper", "deeper", "unseen", "nobody"]
KINDS = ["null", "FORK", "[SPAWN]", "[FORK, SPAWN, PARENT]", "[]", "$kinds"]
SIZES = ["1", "2", "7", "null", "$size", "0"]
CONDITIONS = ["true", "false", "$yes", "$no"]
VARIABLES = {
    "yes": "Boolean! = true",
    "no": "Boolean! = false",
    "size": "Int = 3",
    "kinds": "[EdgeKind!]",
    "id": 'String! = "root"',
}
DEEPEST = 6


@dataclass(slots=True)
class RandomDocument:
    """A random query; the same names in it always mean the same field and arguments."""

    schema: GraphQLSchema
    random: Random
    fragments: dict[str, str] = field(default_factory=dict[str, str])
    arguments: dict[str, str] = field(default_factory=dict[str, str])
    budget: int = 45

    def text(self) -> str:
        """The document."""
        roots = [self._root() for _ in range(self.random.choice((1, 1, 2)))]
        text = " ".join(["{", *roots, "}", *self.fragments.values()])
        used = [f"${name}: {kind}" for name, kind in VARIABLES.items() if f"${name}" in text]
        return f"query Q({', '.join(used)}) {text}" if used else text

    def _root(self) -> str:
        thread_id = self.random.choice(IDS)
        number = len(self.arguments)
        asked, type_name = self.random.choice(
            [
                (f'thread(threadId: "{thread_id}")', "Thread"),
                ("thread(threadId: $id)", "Thread"),
                ("threads(first: 4)", "ThreadConnection"),
                ('path(fromThreadId: "deeper", toThreadId: "fork")', "LineagePath"),
                ('nearestCommonAncestor(threadIds: ["deeper", "fork"])', "Thread"),
                (f'lineage(threadId: "{thread_id}")', "LineageGraph"),
                ("lineage(threadId: $id, direction: DESCENDANTS, maxNodes: 2)", "LineageGraph"),
                ('node(id: "VGhyZWFkOnJvb3Q")', "Node"),
                ('nodes(ids: ["VGhyZWFkOnJvb3Q", "UnVuOnJvb3QvdHVybi0x", "VGhyZWFkOng"])', "Node"),
            ]
        )
        self.arguments[f"root{number}"] = ""
        answered = self._type(type_name)
        return f"root{number}: {asked} {self._decided()} {{ {self._selection(answered, 1)} }}"

    def _type(self, name: str) -> GraphQLObjectType | GraphQLInterfaceType:
        found = self.schema.get_type(name)
        assert isinstance(found, GraphQLObjectType | GraphQLInterfaceType)
        return found

    def _selection(self, answered: GraphQLObjectType | GraphQLInterfaceType, depth: int) -> str:
        parts: list[str] = []
        for _ in range(self.random.randint(1, 6)):
            chance = self.random.random()
            if chance < 0.08:
                parts.append(f"__typename {self._decided()}")
            elif chance < 0.16:
                condition = self.random.choice([f"on {answered.name}", ""])
                inner = self._selection(answered, depth)
                parts.append(f"... {condition} {self._decided()} {{ {inner} }}")
            elif chance < 0.22:
                parts.append(f"...{self._fragment(answered, depth)} {self._decided()}")
            elif isinstance(answered, GraphQLInterfaceType) and chance < 0.8:
                concrete = self._type(self.random.choice(["Thread", "Run"]))
                parts.append(f"... on {concrete.name} {{ {self._selection(concrete, depth)} }}")
            else:
                parts.append(self._field(answered, depth))
        if not any(part.strip() for part in parts):
            return "__typename"
        return " ".join(part for part in parts if part.strip())

    def _fragment(self, answered: GraphQLObjectType | GraphQLInterfaceType, depth: int) -> str:
        name = f"F{len(self.fragments)}{answered.name}"
        self.fragments[name] = ""  # keeps its number while the inner ones are made
        inner = self._selection(answered, depth)
        self.fragments[name] = f"fragment {name} on {answered.name} {{ {inner} }}"
        return name

    def _field(self, answered: GraphQLObjectType | GraphQLInterfaceType, depth: int) -> str:
        fields = list(answered.fields.items())
        if depth >= DEEPEST or self.budget <= 0:
            fields = [(name, one) for name, one in fields if is_leaf_type(_named(one))]
        likely = [one for one in fields if not is_leaf_type(_named(one[1]))]
        if not fields:
            return "__typename"
        name, one = self.random.choice(likely if likely and self.random.random() < 0.4 else fields)
        self.budget -= 1
        variant = self.random.choice(("", "", "", "A", "B"))
        key, known = f"{name}{variant}", f"{answered.name}.{name}{variant}"
        if answered.name in {"Thread", "Run"} and name in {"status", "threadId"}:
            # Two types have such a field, with two types that can't stand under one name.
            key = f"{answered.name}_{key}"
        if known not in self.arguments:
            self.arguments[known] = self._arguments(one)
        alias = "" if key == name else f"{key}: "
        written = f"{alias}{name}{self.arguments[known]} {self._decided()}"
        named = _named(one)
        if is_leaf_type(named):
            return written
        inner = cast("GraphQLObjectType | GraphQLInterfaceType", named)
        return f"{written} {{ {self._selection(inner, depth + 1)} }}"

    def _arguments(self, one: GraphQLField) -> str:
        chosen: list[str] = []
        for name in one.args:
            if self.random.random() < 0.6:
                continue
            match name:
                case "first":
                    chosen.append(f"first: {self.random.choice(SIZES)}")
                case "kinds":
                    chosen.append(f"kinds: {self.random.choice(KINDS)}")
                case "includeRolledBack":
                    chosen.append(f"includeRolledBack: {self.random.choice(CONDITIONS)}")
                case "maxDepth":
                    chosen.append("maxDepth: 2")
                case "spawnStatus" | "status":
                    chosen.append(f'{name}: "open"')
                case "after":
                    if self.random.random() < 0.1:
                        chosen.append('after: "nonsense"')
                case _:
                    pass
        return f"({', '.join(chosen)})" if chosen else ""

    def _decided(self) -> str:
        if self.random.random() > 0.15:
            return ""
        word = self.random.choice(("skip", "include"))
        return f"@{word}(if: {self.random.choice(CONDITIONS)})"


def _named(one: GraphQLField) -> GraphQLNamedType:
    return get_named_type(one.type)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] - untyped there


def comparable(answer: bytes) -> object:
    """The answer as it is; with errors, without what GraphQL leaves open.

    Their order and the correlation ids are open, and which of the errors below a null is told
    that one of them alone made: the first one ends the others.
    """
    if b'"errors"' not in answer:
        return answer
    parts = json.loads(re.sub(rb'"correlationId":"[^"]*"', b'"correlationId":""', answer))
    data = parts.get("data")
    certain = [
        json.dumps(error)
        for error in parts.pop("errors")
        if "path" not in error or _stands(data, error["path"][:-1])
    ]
    return sorted(certain), json.dumps(parts)


def _stands(data: Any, path: list[str | int]) -> bool:  # noqa: ANN401 - JSON
    """Whether the place of an answer is not null."""
    for key in path:
        if data is None:
            return False
        data = data[key]
    return data is not None
