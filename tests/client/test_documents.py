"""The documents of the client and the schema of the service."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLNamedType,
    GraphQLObjectType,
    build_schema,
    get_named_type,
    is_leaf_type,
    parse,
    validate,
)

from api.errors import Code
from lineage_client import model
from lineage_client.decoding import camel
from lineage_client.documents import DOCUMENTS
from lineage_client.errors import KINDS

ROOT = Path(__file__).parents[2]
SCHEMA = build_schema((ROOT / "api" / "schema.graphql").read_text("utf-8"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.split()[1])
def test_a_document_fits_the_schema(document: str) -> None:
    """Nothing is asked that the service does not have."""
    assert validate(SCHEMA, parse(document)) == []


@pytest.mark.parametrize("conditions", [model.ThreadFilter, model.TransferFilter])
def test_every_condition_of_a_list_can_be_given(conditions: type[object]) -> None:
    """The filter of the client is that of the service."""
    asked = SCHEMA.get_type(conditions.__name__)

    assert isinstance(asked, GraphQLInputObjectType)
    assert {camel(name) for name in conditions.__annotations__} == set(asked.fields)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("EdgeKind", model.EdgeKind),
        ("LineageDirection", model.Direction),
        ("ThreadOrder", model.ThreadOrder),
        ("TransferType", model.TransferType),
        ("TransferStatus", model.TransferStatus),
        ("Direction", model.TransferEnd),
    ],
)
def test_words_are_those_of_the_service(name: str, words: object) -> None:
    """A word that the service does not know can't be written."""
    asked = SCHEMA.get_type(name)

    assert isinstance(asked, GraphQLEnumType)
    assert set(get_args(words)) == set(asked.values)


def test_every_code_of_the_service_has_a_class() -> None:
    """A program can tell what went wrong without reading messages."""
    assert set(KINDS) == set(Code)


@pytest.mark.parametrize(
    "kind",
    [
        *(model.Thread, model.Run, model.Item, model.LineageEdge, model.Transfer),
        *(model.Handoff, model.MergeBackDelta, model.SourcePoint, model.NativeRef),
        *(model.Provider, model.Resolution, model.TransferStep, model.IntegrityFinding),
    ],
)
def test_every_fact_of_a_row_is_told(kind: type[model.Thread]) -> None:
    """What the service says of a row itself, the client has; opaque ids aside."""
    told = SCHEMA.type_map[kind.__name__]

    assert isinstance(told, GraphQLObjectType)
    facts = {name for name, field in told.fields.items() if is_leaf_type(answered(field))}
    assert facts - {"id"} <= {camel(field.name) for field in fields(kind)}


def answered(field: GraphQLField) -> GraphQLNamedType:
    """The type that a field answers, or a list of which."""
    named: GraphQLNamedType = get_named_type(field.type)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] - recursive types
    return named
