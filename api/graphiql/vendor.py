"""Fetch the files below ``static/vendor`` from npm, or check that they are what npm has.

    python -m api.graphiql.vendor            # write them
    python -m api.graphiql.vendor --check    # compare them

Each package is pinned by version and SHA-512. The fonts in the style sheet are left out: they are
seven times as large as the rest, and the fonts of the system do.
"""

import io
import re
import sys
import tarfile
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha512
from pathlib import Path

import httpx

VENDOR = Path(__file__).parent / "static" / "vendor"
REGISTRY = "https://registry.npmjs.org"
FONT_FACE = re.compile(rb"@font-face\s*\{[^}]*\}")


@dataclass(frozen=True, slots=True)
class Package:
    """A package of npm, its hash, and the files that are taken from it: path there, name here."""

    name: str
    version: str
    integrity: str
    files: dict[str, str]


PACKAGES = (
    Package(
        "graphiql",
        "3.9.0",
        "rJYFlHdBbug9+YbFSwRVvgfPjCayC7wHecZkx/qB4XLuQPFQZw/yB9pmHFtOJV6RiNBBHro3u1GdocKa3YcGRA==",
        {"graphiql.min.js": "graphiql.min.js", "graphiql.min.css": "graphiql.css"},
    ),
    Package(
        "react",
        "18.3.1",
        "wS+hAgJShR0KhEvPJArfuPVN1+Hz1t0Y6n5jLrGQbkb4urgPE/0Rve+1kMB1v/oWgHgm4WIcV+i7F2pTVj+2iQ==",
        {"umd/react.production.min.js": "react.production.min.js"},
    ),
    Package(
        "react-dom",
        "18.3.1",
        "5m4nQKp+rZRb09LNH59GM4BxTh9251/ylbKIbpe7TpGxfJ+9kv6BLkLBXIjjspbgbnIBNqlI23tRnTWT0snUIw==",
        {"umd/react-dom.production.min.js": "react-dom.production.min.js"},
    ),
)


def fetch(package: Package) -> dict[str, bytes]:
    """The files of a package by their names here; ``SystemExit`` where the hash differs."""
    address = f"{REGISTRY}/{package.name}/-/{package.name}-{package.version}.tgz"
    packed = httpx.get(address, timeout=60).raise_for_status().content
    if b64encode(sha512(packed).digest()).decode() != package.integrity:
        sys.exit(f"{address} is not the file that was pinned. Nothing was written.")
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for path, name in package.files.items():
            member = archive.extractfile(f"package/{path}")
            if member is None:
                sys.exit(f"{address} has no file {path}. Nothing was written.")
            files[name] = FONT_FACE.sub(b"", member.read())
    return files


def main(arguments: list[str]) -> None:
    """Write the files, or with ``--check`` say which differ."""
    files = {name: body for package in PACKAGES for name, body in fetch(package).items()}
    if "--check" in arguments:
        changed = [name for name, body in files.items() if (VENDOR / name).read_bytes() != body]
        sys.exit(f"These differ from npm: {', '.join(changed)}" if changed else 0)
    for name, body in files.items():
        (VENDOR / name).write_bytes(body)


if __name__ == "__main__":
    main(sys.argv[1:])
