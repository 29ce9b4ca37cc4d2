"""What a user sees when something can't be done: words that say what to do, and an exit code."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.text import Text

from cli.remedies import remedy_of
from cli.terminal import REMARKS
from graph.errors import BadInput, LineageError

if TYPE_CHECKING:
    from collections.abc import Generator

NOT_DONE = 1
WRONG_INPUT = 2
REFUSED = 3
INTERRUPTED = 130


@contextmanager
def plain_errors() -> Generator[None]:
    """Turn an error into a paragraph on standard error and an exit code."""
    try:
        yield
    except Exception as error:
        say_error(_words(error))
        raise SystemExit(WRONG_INPUT if isinstance(error, BadInput) else NOT_DONE) from error


def say_error(words: str) -> None:
    """Print an error; it may hold anything, such as brackets or a path."""
    REMARKS.print(Text.assemble(("Error: ", "bold red"), words), soft_wrap=True)


def _words(error: Exception) -> str:
    match error:
        case LineageError():
            remedy = remedy_of(error)
            return str(error) if remedy is None else f"{error}\n{remedy}"
        case OSError(strerror=str(reason), filename=str(path)):
            return f"{path}: {reason}."
        case OSError():
            return f"{error}."
        case _:
            return (
                f"{type(error).__name__}: {error}\n"
                "That is a fault of thread-lineage. Please report it with what "
                "`lineage --debug …` prints."
            )
