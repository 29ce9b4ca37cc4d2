"""The ids in Codex files: what they are, and which of two is the younger."""

from __future__ import annotations

import re

from graph.model import ThreadId

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_VERSION_DIGIT = 14
_TIME_DIGITS = 13


def thread_id(text: str) -> ThreadId:
    """A thread id as it is compared: uuids in lower case, anything else as it stands."""
    return ThreadId(text.lower() if _UUID.fullmatch(text) else text)


def is_time_ordered(text: str | None) -> bool:
    """Whether this is a uuid of version 7, whose first half is its time."""
    return text is not None and _UUID.fullmatch(text) is not None and text[_VERSION_DIGIT] == "7"


def is_older(text: str, than: str) -> bool:
    """Whether one time-ordered id was made in an earlier millisecond than the other."""
    return text[:_TIME_DIGITS].lower() < than[:_TIME_DIGITS].lower()


def window_id(text: object) -> str | None:
    """The id of a context window; what is not a uuid of version 7 names none."""
    return text if isinstance(text, str) and is_time_ordered(text) else None
