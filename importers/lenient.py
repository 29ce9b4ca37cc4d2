"""Objects whose fields have other types than those that are known: what fits is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

Shape = TypeVar("Shape", bound=msgspec.Struct)


def as_far_as_known(shape: type[Shape], told: Mapping[str, object]) -> Shape:
    """The shape with each field that fits; the others have what stands for nothing.

    Every field of the shape, and of the shapes in it, must have a default.
    """
    fitting: dict[str, Any] = {}
    for field in msgspec.structs.fields(shape):
        if field.encode_name in told:
            fits, value = _fit(field.type, told[field.encode_name])
            if fits:
                fitting[field.name] = value
    return shape(**fitting)


def _fit(kind: object, value: object) -> tuple[bool, object]:
    if kind is msgspec.Raw:
        return True, msgspec.Raw(msgspec.json.encode(value))
    try:
        return True, msgspec.convert(value, cast("type[object]", kind))
    except msgspec.ValidationError:
        inner = _shape_in(kind)
        if inner is None or not isinstance(value, dict):
            return False, None
        return True, as_far_as_known(inner, cast("dict[str, object]", value))


def _shape_in(kind: object) -> type[msgspec.Struct] | None:
    """The shape that a field's type is, or may be."""
    for one in (kind, *get_args(kind)):
        if isinstance(one, type) and issubclass(one, msgspec.Struct):
            return one
    return None
