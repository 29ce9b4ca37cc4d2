"""That a rule keeps a command from being carried out: an answer, not a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.commands import RefusalCode


class Refused(Exception):
    """A command is refused by a rule; nothing is written but its receipt.

    *code* is for programs, *message* a sentence for people. *details* are what a caller may need
    beside, by the names of the API.
    """

    def __init__(self, code: RefusalCode, message: str, **details: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details
