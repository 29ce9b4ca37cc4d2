"""Answers in fewer bytes."""

import gzip
import json

import pytest
import zstandard

from api.compression import SMALLEST, compressed, encoding_of
from tests.api.asking import Client

pytestmark = pytest.mark.anyio

TYPES = {"query": "{ __schema { types { name description fields { name description } } } }"}


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate", "gzip"),
        ("zstd;q=0.5, gzip", "gzip"),
        ("zstd;q=0, *", "gzip"),
        ("*", "zstd"),
        ("GZIP;Q=0.3", "gzip"),
        ("gzip;q=nonsense", None),
        ("identity", None),
        ("gzip;q=0", None),
        ("br", None),
        ("", None),
    ],
)
def test_the_encoding_is_what_the_client_likes_best(accepted: str, encoding: str | None) -> None:
    """Liked alike, the cheaper one."""
    assert encoding_of(accepted) == encoding


@pytest.mark.parametrize("size", [SMALLEST, 300_000])
async def test_a_compressed_answer_is_the_same_answer(size: int) -> None:
    """In a thread or not."""
    body = (b'{"threadId":"a"}' * size)[:size]

    by_zstd, by_gzip = await compressed(body, "zstd"), await compressed(body, "gzip")

    assert zstandard.ZstdDecompressor().decompress(by_zstd[0]) == body
    assert gzip.decompress(by_gzip[0]) == body
    assert len(by_zstd[0]) < size / 10


async def test_small_answers_stay_as_they_are() -> None:
    """They fit into one packet."""
    assert await compressed(b"{}", "zstd, gzip") == (b"{}", None)


async def test_a_client_gets_what_it_accepts(client: Client) -> None:
    """And caches are told that it depends."""
    plain = await client.post("/graphql", json=TYPES, headers={"accept-encoding": "identity"})
    zipped = await client.post("/graphql", json=TYPES, headers={"accept-encoding": "gzip"})

    assert "content-encoding" not in plain.headers
    assert zipped.headers["content-encoding"] == "gzip"
    assert "accept-encoding" in zipped.headers["vary"].lower()
    assert int(zipped.headers["content-length"]) < len(plain.content) / 3
    assert json.loads(zipped.content) == json.loads(plain.content)
