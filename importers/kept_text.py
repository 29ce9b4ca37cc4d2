"""How much of an item's text is kept, and how much there was."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from importers.contract import MAX_TEXT_BYTES, PREVIEW_CHARACTERS, Content
from importers.redaction import redacted, unchanged

if TYPE_CHECKING:
    from importers.contract import ReadOptions

_MARGIN = 8 * 1024
"""A little more than is kept is looked at, so that a secret at the cut is seen whole."""


class KeptText(NamedTuple):
    """A text as it is kept, the bytes that it had before it was cut, and whether it was."""

    text: str | None
    size: int
    truncated: bool


_BLANKS = re.compile(r"\s+")

NO_TEXT = KeptText(None, 0, truncated=False)


@dataclass(frozen=True, slots=True)
class TextKeeper:
    """Keeps texts as the user chose: in full, a preview, or none; redacted or not."""

    options: ReadOptions

    def clean(self, text: str) -> str:
        """The text without its secrets, where these are to be left out."""
        return redacted(text) if self.options.redact else unchanged(text)

    def keep(self, text: str | None) -> KeptText:
        """What is kept of an item's text."""
        if text is None:
            return NO_TEXT
        size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
        if self.options.content is Content.NONE:
            return KeptText(None, size, truncated=False)
        if self.options.content is Content.PREVIEW:
            start = self.clean(text[: PREVIEW_CHARACTERS + _MARGIN])[:PREVIEW_CHARACTERS]
            return KeptText(start, size, truncated=len(text) > PREVIEW_CHARACTERS)
        if size <= MAX_TEXT_BYTES and not self.options.redact:
            return KeptText(text, size, truncated=False)
        kept = self.clean(text[: MAX_TEXT_BYTES + _MARGIN])
        whole = kept.encode("utf-8", "replace")
        if size <= MAX_TEXT_BYTES and len(whole) <= MAX_TEXT_BYTES:
            return KeptText(whole.decode(), size, truncated=False)
        return KeptText(whole[:MAX_TEXT_BYTES].decode("utf-8", "ignore"), size, truncated=True)


def one_line(text: str, most: int) -> str:
    """A text on one line, of at most so many characters."""
    line = _BLANKS.sub(" ", text[: most * 4]).strip()
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
