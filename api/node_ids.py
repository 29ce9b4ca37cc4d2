"""Opaque ids: what ``node`` and ``nodes`` are asked with. They hold a type and a key."""

import re
from base64 import urlsafe_b64decode
from binascii import b2a_base64
from collections.abc import Iterable
from dataclasses import dataclass

import strawberry

from graph.errors import BadInput

URL_SAFE = bytes.maketrans(b"+/", b"-_")

WRITTEN = re.compile(r"([A-Z][A-Za-z]*):(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NodeId:
    """The type of a node and its key within the type."""

    type_name: str
    key: str


def write_node_id(type_name: str, key: str) -> strawberry.ID:
    """The opaque id of a node; the same for ever."""
    return strawberry.ID(write_node_ids(type_name, (key,))[0])


def write_node_ids(type_name: str, keys: Iterable[str]) -> list[str]:
    """The opaque ids of many nodes of one type."""
    return [
        b2a_base64(f"{type_name}:{key}".encode(), newline=False)
        .translate(URL_SAFE)
        .rstrip(b"=")
        .decode()
        for key in keys
    ]


def read_node_id(text: str) -> NodeId:
    """The type and key in an opaque id; ``BadInput`` where this service can't have made it."""
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        match = WRITTEN.fullmatch(urlsafe_b64decode(padded).decode())
    except ValueError:
        match = None
    if match is None or write_node_id(match[1], match[2]) != text:
        raise BadInput(f"{text[:80]!r} is no id of this service.")
    return NodeId(type_name=match[1], key=match[2])
