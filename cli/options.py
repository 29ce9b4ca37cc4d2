"""Options and arguments that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

DataFolder: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="The folder of the local Neo4j's data, instead of LINEAGE_DATA.",
        show_default=False,
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]
ThreadWords: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="THREAD", help="A thread's id, or as much of its beginning as no other has."
    ),
]
