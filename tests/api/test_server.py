"""What only a real web server and a real connection can show."""

import httpx
import pytest

from tests.api.listening import listening

pytestmark = pytest.mark.anyio

JSON = {"content-type": "application/json"}
MEBIBYTE = 1 << 20


@pytest.mark.parametrize(
    ("headers", "status"), [(JSON, 413), ({"content-type": "text/plain"}, 415)]
)
async def test_a_client_that_still_writes_gets_its_refusal(
    headers: dict[str, str], status: int
) -> None:
    """The rest of a body is read and forgotten, so that the answer is not lost on the way."""
    async with listening() as address, httpx.AsyncClient() as client:
        statuses = [
            (
                await client.post(
                    f"{address}/graphql", content=b" " * (20 * MEBIBYTE), headers=headers
                )
            ).status_code
            for _ in range(5)
        ]

    assert statuses == [status] * 5


async def test_a_question_is_answered_over_a_real_connection() -> None:
    """Lifespan, route and answer, as a client meets them."""
    async with listening() as address, httpx.AsyncClient() as client:
        answer = await client.post(f"{address}/graphql", json={"query": "{ access { canWrite } }"})
        ready = await client.get(f"{address}/health/ready")

    assert answer.json() == {"data": {"access": {"canWrite": False}}}
    assert ready.json() == {"status": "ready"}
