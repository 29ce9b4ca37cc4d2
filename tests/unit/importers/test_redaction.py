"""Secrets in texts are replaced by what kind they were."""

from __future__ import annotations

import pytest

from importers.redaction import redacted, unchanged

KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("id AKIAIOSFODNN7EXAMPLE.", "id [redacted:AWS Access Key]."),
    ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted:GitHub Token]"),
    (
        "https://me:hunter2pass@example.com/x",
        "https[redacted:Basic Auth Credentials]example.com/x",
    ),
    (f"before\n{KEY}\nafter", "before\n[redacted:Private Key]\nafter"),
    ("-----BEGIN PRIVATE KEY-----\ncut off", "[redacted:Private Key]"),
    ('password = "hunter2hunter2"', 'password = "[redacted:Secret Keyword]"'),
    (
        "secret: 'one1one1' and api_key: 'two2two2'",
        "secret: '[redacted:Secret Keyword]' and api_key: '[redacted:Secret Keyword]'",
    ),
]


@pytest.mark.parametrize(("text", "clean"), SECRETS)
def test_a_secret_is_replaced_by_its_kind(text: str, clean: str) -> None:
    """What stands around it stays."""
    assert redacted(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "the key point is that the password was wrong",
        "01a22c1b-3c70-7923-9903-9ae8952e0f3e at 10.0.0.1 and 8.8.8.8",
        "",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """Hashes, ids, addresses and prose are not blackened."""
    assert redacted(text) == text


def test_redacting_twice_changes_nothing_more() -> None:
    """A mark is no secret."""
    once = redacted("\n".join(text for text, _ in SECRETS))

    assert redacted(once) == once


def test_where_nothing_is_redacted_a_text_is_unchanged() -> None:
    """The other choice."""
    assert unchanged(KEY) == KEY
