"""Answers in fewer bytes, as the client accepts them.

Zstandard costs a sixth of gzip's time and gives fewer bytes, so it comes first; its package reads
compressed transcripts as well. Both run at their quickest level: the next ones cost several
times as much for a few bytes in a hundred.
"""

import gzip
from collections.abc import Callable, Mapping
from functools import lru_cache

import anyio.to_thread
import zstandard

SMALLEST = 1_400
"""An answer of fewer bytes fits into one packet as it is."""

ON_THE_LOOP = 256 << 10
"""More bytes than these are compressed in a thread, so that others are answered meanwhile."""


async def compressed(body: bytes, accepted: str | None) -> tuple[bytes, str | None]:
    """The bytes to send for *body* and their ``Content-Encoding``, ``None`` for as they are."""
    if len(body) < SMALLEST or accepted is None:
        return body, None
    encoding = encoding_of(accepted)
    if encoding is None:
        return body, None
    compress = COMPRESSIONS[encoding]
    if len(body) > ON_THE_LOOP:
        return await anyio.to_thread.run_sync(compress, body), encoding
    return compress(body), encoding


@lru_cache(maxsize=256)
def encoding_of(accepted: str) -> str | None:
    """The encoding that an ``Accept-Encoding`` header likes best; ``None`` for none of ours."""
    qualities: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, *parameters = (text.strip() for text in part.split(";"))
        qualities[name] = 1.0
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip() == "q":
                try:
                    qualities[name] = float(value)
                except ValueError:
                    qualities[name] = 0.0
    liked = {name: qualities.get(name, qualities.get("*", 0.0)) for name in COMPRESSIONS}
    best = max(liked, key=lambda name: liked[name])
    return best if liked[best] > 0 else None


def _zstd(body: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=1).compress(body)


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, compresslevel=1, mtime=0)


COMPRESSIONS: Mapping[str, Callable[[bytes], bytes]] = {"zstd": _zstd, "gzip": _gzip}
"""By the name in ``Accept-Encoding``, the preferred first."""
