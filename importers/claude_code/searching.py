"""Which files hold a message: asked for the few sessions that begin in the middle of another."""

from __future__ import annotations

import mmap
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from importers.claude_code.context import TranscriptFile

_ID = re.compile(rb'"uuid":\s?"([^"\\]{1,128})"')


@dataclass(slots=True)
class Searches:
    """Looks through files for messages, through those that did not change only once.

    It forgets everything when it is sent to another process.
    """

    _known: dict[str, tuple[TranscriptFile, dict[str, bool]]] = field(
        default_factory=dict[str, tuple["TranscriptFile", dict[str, bool]]]
    )

    def __reduce__(self) -> tuple[type[Searches], tuple[()]]:
        return Searches, ()

    def holds(self, file: TranscriptFile, uuid: str, wanted: Collection[str]) -> bool:
        """Whether a message stands in a file; *wanted* will be asked for, too."""
        known = self._known.get(file.path)
        if known is None or known[0] != file:
            known = (file, dict[str, bool]())
            self._known[file.path] = known
        if uuid not in known[1]:
            missing = {*wanted, uuid} - known[1].keys()
            found = _found(file.path, {name.encode("utf-8", "replace") for name in missing})
            known[1].update({name: name.encode("utf-8", "replace") in found for name in missing})
        return known[1][uuid]


def _found(path: str, wanted: Collection[bytes]) -> set[bytes]:
    try:
        with (
            open(path, "rb") as file,  # noqa: PTH123 - a descriptor is what a map is made of
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            return {match[1] for match in _ID.finditer(content) if match[1] in wanted}
    except (OSError, ValueError):
        return set()
