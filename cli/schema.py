"""``lineage schema``: the GraphQL schema as text."""

from __future__ import annotations


def schema() -> None:
    """Print the GraphQL schema.

    Code generators and editors take it. It is the same for every graph.

    Example:

        lineage schema > schema.graphql
    """
    # Building the schema takes a moment that no other command should wait for.
    from api.schema import build_schema  # noqa: PLC0415

    print(build_schema().as_str())  # noqa: T201 - exactly this text
