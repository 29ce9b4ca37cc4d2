"""The page to ask questions in. Nothing in it comes from another host."""

from pathlib import Path

from starlette.responses import FileResponse, Response

HERE = Path(__file__).parent
STATIC = HERE / "static"

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


def graphiql_page() -> Response:
    """The page, which may load and ask only what this service serves."""
    return FileResponse(
        HERE / "index.html",
        headers={
            "cache-control": "no-cache",
            "content-security-policy": CONTENT_SECURITY_POLICY,
            "referrer-policy": "no-referrer",
            "vary": "Accept",
            "x-content-type-options": "nosniff",
        },
    )
