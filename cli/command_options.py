"""Options that several of the commands take that tell the graph something."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

CommandId: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--command-id",
        metavar="ID",
        help="Sent again with the same one, the command is done once; default: a fresh one.",
        show_default=False,
    ),
]
Driver: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--driver", metavar="TOOL", help="codex, claude, opencode, pi, …", show_default=False
    ),
]
Instance: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--instance",
        metavar="NAME",
        help="Which account of the tool; default: the tool's name.",
        show_default=False,
    ),
]
ContinuationKey: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--continuation-key",
        metavar="KEY",
        help="Accounts with the same one go on with each other's threads.",
        show_default=False,
    ),
]
Model: TypeAlias = Annotated[
    str | None, typer.Option("--model", help="The model.", show_default=False)
]
NativeThread: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--native-thread",
        metavar="ID",
        help="The provider's own id of its thread.",
        show_default=False,
    ),
]
NativeTurn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--native-turn",
        metavar="ID",
        help="The provider's own id of this turn.",
        show_default=False,
    ),
]
Weak: TypeAlias = Annotated[
    bool, typer.Option("--weak", help="The provider's ids may lead elsewhere later.")
]
NewId: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="ID", help="Its id; default: made of the command id.", show_default=False
    ),
]
Title: TypeAlias = Annotated[
    str | None, typer.Option("--title", help="Its title.", show_default=False)
]
RunWords: TypeAlias = Annotated[
    str, typer.Argument(metavar="RUN", help="The run's id, as `resolve` or `show --json` say it.")
]
OfRun: TypeAlias = Annotated[
    str | None,
    typer.Option("--run", metavar="RUN", help="The id of the run.", show_default=False),
]
CreatedBy: TypeAlias = Annotated[
    str | None,
    typer.Option("--created-by", help="user, agent or system.", show_default=False),
]
