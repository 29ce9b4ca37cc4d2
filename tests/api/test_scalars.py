"""Times and whole numbers on their way in and out."""

import pytest

from api.scalars import big_int_of, exact_json_of, timestamp_of
from graph.errors import BadInput


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2026-11-30T12:40:56Z", "2026-11-30T12:40:56.000000Z"),
        ("2026-11-30T12:40:56.335766Z", "2026-11-30T12:40:56.335766Z"),
        ("2026-11-30t12:40:56.3z", "2026-11-30T12:40:56.300000Z"),
        ("2026-11-30T12:40:56.3357669Z", "2026-11-30T12:40:56.335766Z"),
        ("2026-11-30T13:40:56+01:00", "2026-11-30T12:40:56.000000Z"),
        ("2026-11-30T23:59:59-05:30", "2026-12-01T05:29:59.000000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
    ],
)
def test_a_time_is_stored_in_one_form(given: str, stored: str) -> None:
    """Any RFC 3339 time with a zone becomes UTC text with microseconds."""
    assert timestamp_of(given) == stored


@pytest.mark.parametrize(
    "given",
    [
        "",
        "today",
        "2026-11-30",
        "2026-11-30T12:40Z",
        "2026-11-30T12:40:56",
        "20261130T124056Z",
        "2026-W49-1T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-11-30T24:00:01Z",
        "2026-11-30T12:40:56+25:00",
        "2026-11-30T12:40:56.Z",
        "2026-11-30T12:40:56Z ",
        "٢٠٢٦-11-30T12:40:56Z",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        1_764_500_000,
        None,
        True,
    ],
)
def test_what_is_no_time_is_refused(given: object) -> None:
    """A time without a zone, too: none is guessed."""
    with pytest.raises(BadInput):
        timestamp_of(given)


@pytest.mark.parametrize("number", [0, -1, 2**53 - 1, -(2**53) + 1])
def test_a_number_that_every_client_reads_exactly_stays_one(number: int) -> None:
    """JavaScript knows whole numbers up to 2^53 - 1."""
    assert exact_json_of(number) == number
    assert big_int_of(number) == number


@pytest.mark.parametrize("number", [2**53, -(2**53), 2**63, 10**30])
def test_a_larger_number_leaves_as_its_digits(number: int) -> None:
    """Rounded silently it would be another number."""
    assert exact_json_of(number) == str(number)
    assert big_int_of(str(number)) == number


@pytest.mark.parametrize("given", [True, 1.5, "1.0", "", " 1", "0x1", "٣", "1" * 41, None])
def test_what_is_no_whole_number_is_refused(given: object) -> None:
    """Neither truth values nor fractions are numbers here."""
    with pytest.raises(BadInput):
        big_int_of(given)
