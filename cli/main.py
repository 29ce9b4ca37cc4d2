"""The ``lineage`` command."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors become words unless ``--debug`` stands anywhere in it."""
    # Loading the commands takes a moment, in which Ctrl-C has nothing to tell but that it ends.
    interrupting = signal.signal(signal.SIGINT, signal.SIG_DFL)
    import typer  # noqa: PLC0415

    from cli.commands import DEBUG, app  # noqa: PLC0415
    from cli.plain_errors import plain_errors  # noqa: PLC0415

    signal.signal(signal.SIGINT, interrupting)
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = typer.main.get_command(app)
    if DEBUG in given:
        given.remove(DEBUG)
        command.main(given, "lineage")
    with plain_errors():
        command.main(given, "lineage")


if __name__ == "__main__":
    run()
