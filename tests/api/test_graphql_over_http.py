"""What GraphQL over HTTP demands, judged by npm's ``graphql-http`` on a real connection."""

import json
from pathlib import Path

import anyio
import pytest

from tests.api.listening import listening
from tests.node_programs import installed

pytestmark = pytest.mark.anyio

FOLDER = Path(__file__).parent / "graphql_http"
DEMANDS = 61


async def test_graphql_over_http_is_kept_in_every_demand() -> None:
    """All 61 of `auditServer`: what MUST be, what SHOULD be and what MAY be."""
    node = await anyio.to_thread.run_sync(installed, FOLDER)

    async with listening() as address:
        judged = await anyio.run_process(
            [str(node), "audit.js", f"{address}/graphql"], cwd=FOLDER, stderr=None
        )

    results = json.loads(judged.stdout)
    assert [result for result in results if result["status"] != "ok"] == []
    assert len(results) == DEMANDS
