"""Every subcommand of ``lineage``, and what they have in common."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from cli import database
from cli.append import append
from cli.complete import complete
from cli.delta import delta
from cli.doctor import doctor
from cli.export import export
from cli.fork import fork
from cli.importing import import_
from cli.integrity import integrity
from cli.merge_back import merge_back
from cli.path import path
from cli.put_away import archive, delete, restore, unarchive
from cli.record_checkpoint import record_checkpoint
from cli.record_run import record_run, update_run
from cli.record_thread import record_thread
from cli.resolve import resolve
from cli.rollback import rollback
from cli.schema import schema
from cli.search import search
from cli.serve import serve
from cli.settle import confirm, fail
from cli.show import show
from cli.spawn import spawn
from cli.switch import switch
from cli.terminal import ANSWERS
from cli.transfers import transfers
from cli.tree import tree

DEBUG = "--debug"

HELP = """
Where agent conversations came from, what they spawned and what came back.

Import the transcripts that your agents already wrote, then ask:

    lineage import                  # your tools' folders are found by themselves
    lineage tree 01a22c1b-3c70      # the beginning of an id is enough
    lineage fork 01a22c1b-3c70      # and go on from there, in whatever tool
    lineage serve                   # the same and more over GraphQL

A Neo4j to keep the graph in is started when it is needed and ends when nobody uses it;
NEO4J_URI takes another. `lineage doctor` says what works and what to do about what does not.

Exit codes: 0 done, also when some lines had to be skipped; 1 it could not be done,
or `integrity` found a fault;
2 the command or a setting can't be right; 3 a rule refuses the command, and standard
error says which; 130 interrupted.
"""

app = typer.Typer(
    name="lineage",
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - Typer's callback
    if wanted:
        ANSWERS.print(version("thread-lineage"))
        raise typer.Exit


@app.callback()
def common(
    *,
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Say the version."),
    ] = False,
    debug: Annotated[
        bool, typer.Option(DEBUG, help="Show where in the program an error came from.")
    ] = False,
) -> None:
    """Take the options that every command has."""


app.command("serve")(serve)
app.command("import")(import_)
app.command("tree")(tree)
app.command("show")(show)
app.command("path")(path)
app.command("search")(search)
app.command("export")(export)
app.command("integrity")(integrity)
app.command("doctor")(doctor)
app.command("schema")(schema)

MOVING = "Hand context over"
app.command("fork", rich_help_panel=MOVING)(fork)
app.command("resolve", rich_help_panel=MOVING)(resolve)
app.command("confirm", rich_help_panel=MOVING)(confirm)
app.command("fail", rich_help_panel=MOVING)(fail)
app.command("switch", rich_help_panel=MOVING)(switch)
app.command("delta", rich_help_panel=MOVING)(delta)
app.command("merge-back", rich_help_panel=MOVING)(merge_back)
app.command("spawn", rich_help_panel=MOVING)(spawn)
app.command("complete", rich_help_panel=MOVING)(complete)
app.command("rollback", rich_help_panel=MOVING)(rollback)
app.command("transfers", rich_help_panel=MOVING)(transfers)

TELLING = "Tell what happens"
app.command("record-thread", rich_help_panel=TELLING)(record_thread)
app.command("record-run", rich_help_panel=TELLING)(record_run)
app.command("update-run", rich_help_panel=TELLING)(update_run)
app.command("append", rich_help_panel=TELLING)(append)
app.command("record-checkpoint", rich_help_panel=TELLING)(record_checkpoint)
app.command("archive", rich_help_panel=TELLING)(archive)
app.command("unarchive", rich_help_panel=TELLING)(unarchive)
app.command("delete", rich_help_panel=TELLING)(delete)
app.command("restore", rich_help_panel=TELLING)(restore)

app.add_typer(database.app, name="database")
