"""Settings: where they come from, and what a wrong one says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import SecretStr

from cli.settings import Settings, read_settings
from graph.errors import BadInput

TABLE = Path(__file__).parents[2] / "docs" / "settings.md"


@pytest.fixture(autouse=True)
def _empty_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def test_without_anything_set_the_service_is_local_and_on_loopback() -> None:
    """No setting is needed."""
    settings = read_settings()

    assert settings.neo4j_uri is None
    assert settings.lineage_host == "127.0.0.1"
    assert settings.serves_loopback_only


def test_a_flag_wins_over_the_environment_and_that_over_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The nearer source wins."""
    (tmp_path / ".env").write_text("LINEAGE_PORT=1\nLINEAGE_HOST=::1\nNEO4J_USER=file\n")
    monkeypatch.setenv("LINEAGE_PORT", "2")
    monkeypatch.setenv("LINEAGE_HOST", "localhost")

    settings = read_settings({"lineage_port": 3, "lineage_host": None})

    assert (settings.lineage_port, settings.lineage_host, settings.neo4j_user) == (
        3,
        "localhost",
        "file",
    )


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        ({}, ("localhost", "127.0.0.1", "[::1]", "127.0.0.1")),
        ({"lineage_host": "::1"}, ("localhost", "127.0.0.1", "[::1]", "[::1]")),
        ({"lineage_host": "0.0.0.0"}, ("*",)),  # noqa: S104 - nothing listens
        ({"lineage_allowed_hosts": "graph.example, localhost,"}, ("graph.example", "localhost")),
    ],
)
def test_a_service_for_this_machine_is_asked_by_its_own_names(
    flags: dict[str, str], names: tuple[str, ...]
) -> None:
    """A web page whose name is made to lead here is kept out; other names can be allowed."""
    assert read_settings(flags).allowed_hosts == names


def test_an_empty_value_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """``NEO4J_URI=`` is how a shell unsets it for one command."""
    monkeypatch.setenv("NEO4J_URI", "")

    assert read_settings().neo4j_uri is None


def test_every_wrong_value_is_one_line_with_its_name_and_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A person can mend all of them at once."""
    monkeypatch.setenv("LINEAGE_PORT", "70000")
    monkeypatch.setenv("NEO4J_URI", "http://localhost:7474")

    with pytest.raises(BadInput) as raised:
        read_settings()

    assert str(raised.value).splitlines() == [
        (
            "NEO4J_URI is 'http://localhost:7474': it should look like neo4j://host:7687 "
            "(or bolt://, neo4j+s://, bolt+s://)."
        ),
        "LINEAGE_PORT is '70000': input should be less than or equal to 65535.",
    ]


def test_an_environment_file_that_is_not_text_is_one_clear_line(tmp_path: Path) -> None:
    """A garbled file is not a crash."""
    (tmp_path / ".env").write_bytes(b"LINEAGE_PORT=\xff\xfe")

    with pytest.raises(BadInput) as raised:
        read_settings()

    assert str(raised.value) == "The file .env in this folder is not UTF-8 text."


def test_a_password_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings can be printed."""
    monkeypatch.setenv("NEO4J_PASSWORD", "very secret")

    assert "very secret" not in repr(read_settings())


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - the address that must be refused
        ("::", False),
        ("192.168.1.4", False),
        ("graph.example", False),
    ],
)
def test_only_loopback_addresses_count_as_loopback(host: str, loopback: bool) -> None:  # noqa: FBT001 - a table
    """A name that only resolves to loopback can't be relied on."""
    assert read_settings({"lineage_host": host}).serves_loopback_only is loopback


def test_the_table_in_the_docs_is_the_settings_class() -> None:
    """Every setting with its default and description, in the class's order; none that is not."""
    row = re.compile(r"^\| `([A-Z0-9_]+)` \| .+? \| (.+?) \| (.+) \|$", re.MULTILINE)

    rows = row.findall(TABLE.read_text())

    expected = [
        (name.upper(), _shown(field.default), field.description)
        for name, field in Settings.model_fields.items()
    ]
    assert rows == expected


def _shown(default: object) -> str:
    match default:
        case bool():
            return f"`{str(default).lower()}`"
        case str() | int():
            return f"`{default}`"
        case SecretStr():
            return "empty"
        case _:
            return "—"
