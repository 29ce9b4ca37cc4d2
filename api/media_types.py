"""Which media type an answer has, by what the client accepts."""

from collections.abc import Sequence

GRAPHQL_RESPONSE = "application/graphql-response+json"
JSON = "application/json"
HTML = "text/html"


def best_of(accepted: str | None, offered: Sequence[str]) -> str | None:
    """The media type of *offered* that an ``Accept`` header likes best, ``None`` for none.

    Equally liked, one that the header names wins over one that it only covers; of several named
    ones the earlier in *offered*, of several covered ones, and without a header, the later.
    """
    if accepted is None or not accepted.strip():
        return offered[-1]
    ranges = [_range_of(part) for part in accepted.split(",") if part.strip()]
    best, best_rank = None, (0.0, False, 0)
    for place, media_type in enumerate(offered):
        quality, named = _quality(media_type, ranges)
        rank = (quality, named, -place if named else place)
        if quality > 0 and (best is None or rank > best_rank):
            best, best_rank = media_type, rank
    return best


def _range_of(text: str) -> tuple[str, float]:
    name, *parameters = (part.strip().lower() for part in text.split(";"))
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "q":
            try:
                return name, min(max(float(value), 0.0), 1.0)
            except ValueError:
                return name, 0.0
    return name, 1.0


def _quality(media_type: str, ranges: Sequence[tuple[str, float]]) -> tuple[float, bool]:
    """The quality of the narrowest range that covers a media type, and whether it names it."""
    for covering in (media_type, media_type.partition("/")[0] + "/*", "*/*"):
        qualities = [quality for name, quality in ranges if name == covering]
        if qualities:
            return max(qualities), covering == media_type
    return 0.0, False
