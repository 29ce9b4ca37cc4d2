"""Secrets in texts, replaced by what kind they were.

The patterns are those of detect-secrets. Left out are the detectors that guess by entropy (they
would blacken hashes and ids) and the one for public addresses, which are no secrets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?P<of>[A-Z ]*)PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END (?P=of)PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_QUOTES = ('"', "'", "`")
_MOST_ON_A_LINE = 20


@dataclass(frozen=True, slots=True)
class _Form:
    """A kind of secret that is known by its form."""

    mark: str
    patterns: Sequence[re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class _Keyword:
    """Secrets that are known by the word before them: ``password = "…"``."""

    mark: str
    word: re.Pattern[str]
    secrets: Callable[[str], Iterable[str]]


def redacted(text: str) -> str:
    """The text with each secret replaced by ``[redacted:<kind>]``."""
    forms, keyword = _detectors()
    # The library's own pattern sees only the first line of a key.
    text = _PRIVATE_KEY.sub("[redacted:Private Key]", text)
    for form in forms:
        for pattern in form.patterns:
            text = pattern.sub(form.mark, text)
    if keyword.word.search(text) is None:
        return text
    return "".join(_without_keywords(line, keyword) for line in text.splitlines(keepends=True))


def unchanged(text: str) -> str:
    """The text as it is: what is used where nothing is to be redacted."""
    return text


def _without_keywords(line: str, keyword: _Keyword) -> str:
    if not any(quote in line for quote in _QUOTES) or keyword.word.search(line) is None:
        return line
    # The detector tells the first secret of each pattern: it is asked again until it is done.
    for _ in range(_MOST_ON_A_LINE):
        secrets = [secret for secret in keyword.secrets(line) if keyword.mark not in secret]
        if not secrets:
            break
        for secret in secrets:
            line = line.replace(secret, keyword.mark)
    return line


@cache
def _detectors() -> tuple[Sequence[_Form], _Keyword]:
    """The patterns by form, and the detector that looks at the word before a value.

    Imported here, for the library takes a while to import and few imports redact.
    """
    from detect_secrets.core.plugins.util import (  # noqa: PLC0415
        get_mapping_from_secret_type_to_class,
    )
    from detect_secrets.plugins.base import RegexBasedDetector  # noqa: PLC0415
    from detect_secrets.plugins.keyword import DENYLIST, KeywordDetector  # noqa: PLC0415

    forms = [
        _Form(
            f"[redacted:{kind}]",
            list(cast("Iterable[re.Pattern[str]]", detector().denylist)),  # pyright: ignore[reportUnknownMemberType] - the library's patterns have no type argument
        )
        for kind, detector in sorted(get_mapping_from_secret_type_to_class().items())
        if issubclass(detector, RegexBasedDetector) and "Public IP" not in kind
    ]
    keyword = _Keyword(
        f"[redacted:{KeywordDetector.secret_type}]",
        re.compile("|".join(DENYLIST), re.IGNORECASE),
        cast("Callable[[str], Iterable[str]]", KeywordDetector().analyze_string),  # pyright: ignore[reportUnknownMemberType] - as above
    )
    return forms, keyword
