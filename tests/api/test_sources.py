"""What is declared of fields agrees: their functions, the columns they read, and their plans."""

from api.compiled.sources import ROWS, SOURCES, Derived, Made, Many, One, Pages, SameRow, Worded
from api.field_columns import READ_BY_FUNCTIONS, reads_of
from api.schema import build_schema

SCHEMA = build_schema()


def test_plans_read_what_fields_are_said_to_read() -> None:
    """A statement reads only that."""
    reads = {
        (kind, name): columns
        for kind, of in READ_BY_FUNCTIONS.items()
        for name, columns in of.items()
    }

    assert [
        place
        for place, source in SOURCES.items()
        if not set(_read_by(source)) <= set(reads[place])
    ] == []


def test_what_fields_read_are_fields_of_their_rows() -> None:
    """A wrong name would be found only when it is asked for."""
    wrong = [
        (type_name, column)
        for type_name, fields in reads_of(SCHEMA.types.plain).items()
        if type_name in ROWS
        for columns in fields.values()
        for column in columns
        if column not in ROWS[type_name].__annotations__
    ]

    assert wrong == []


def test_no_extension_waits_for_the_fields_of_plans() -> None:
    """``resolve`` is never called for them."""
    extensions = [type(one) for one in SCHEMA.get_extensions()]

    assert [one for one in extensions if "resolve" in vars(one)] == []


def _read_by(source: object) -> tuple[str, ...]:
    match source:
        case Worded() | SameRow() | Derived():
            return source.columns
        case Made():
            return (source.column,)
        case One() | Many() | Pages():
            return (source.key,)
        case _:
            raise AssertionError(source)
