"""How values of Python are written in an action, and how an edited text becomes such a value again."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import math
import os
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from .errors import Invalid
from .values import Json, canonicalize

INTEGER_MAX = 2**53 - 1
DEPTH_MAX = 100


def to_json(value: Any, name: str = "arguments") -> Json:
    """Returns the JSON of a value, the same each time. Raises ``Invalid`` that names what has none.

    Text: Decimal, UUID, dates and times (ISO 8601), paths, integers beyond 2^53. List: tuple, and set in a fixed order.
    Object: mapping, dataclass and pydantic model. An Enum is its value.
    """
    return _write(value, name, DEPTH_MAX)


def restore(original: Any, edited: Json) -> Any:
    """Returns an edited value in the type of the original. Parts that are unchanged stay the objects that they were.

    Raises whatever the type's constructor raises.
    """
    if _is_same(original, edited):
        return original
    if isinstance(original, enum.Enum):
        return type(original)(edited)
    if isinstance(original, decimal.Decimal | uuid.UUID | os.PathLike) and isinstance(edited, str):
        return type(original)(edited)  # type: ignore[call-arg, arg-type]
    if isinstance(original, datetime.date | datetime.time) and isinstance(edited, str):
        return type(original).fromisoformat(edited)
    if isinstance(original, int) and not isinstance(original, bool) and isinstance(edited, str):
        return int(edited)
    if isinstance(original, tuple | set | frozenset) and isinstance(edited, list):
        return _restore_items(original, edited)
    if isinstance(original, list) and isinstance(edited, list) and len(original) == len(edited):
        return [restore(*pair) for pair in zip(original, edited, strict=True)]
    if isinstance(edited, dict):
        return _restore_object(original, edited)
    return edited


def _write(value: Any, name: str, depth: int) -> Json:
    if depth == 0:
        raise Invalid(f"{name} is nested too deeply, or in itself")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, enum.Enum):
        return _write(value.value, name, depth - 1)
    if isinstance(value, str):
        return _write_text(value, name)
    if isinstance(value, int):
        return int(value) if -INTEGER_MAX <= value <= INTEGER_MAX else str(int(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Invalid(f"{name} is {value}, which JSON cannot represent")
        return float(value)
    if isinstance(value, decimal.Decimal | uuid.UUID):
        return str(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return _write(os.fspath(value), name, depth - 1)
    if isinstance(value, list | tuple):
        return [_write(item, f"{name}[{index}]", depth - 1) for index, item in enumerate(value)]
    if isinstance(value, set | frozenset):
        return sorted((_write(item, f"an item of {name}", depth - 1) for item in value), key=canonicalize)
    members = _read_members(value)
    if members is None:
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise Invalid(f"{name} is a {kind}, which JSON cannot represent: pass its values, or leave it out (leave_out)")
    return _write_object(members, name, depth)


def _write_text(value: str, name: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Invalid(f"{name} has a lone surrogate, which JSON cannot represent") from error
    return str(value)


def _write_object(members: Mapping[Any, Any], name: str, depth: int) -> dict[str, Json]:
    written: dict[str, Json] = {}
    for key, item in members.items():
        text = key.value if isinstance(key, enum.Enum) else key
        if not isinstance(text, str):
            raise Invalid(f"{name} has the key {key!r}: keys are texts")
        if text in written:
            raise Invalid(f"{name} has two keys that are written {text!r}")
        written[_write_text(text, f"a key of {name}")] = _write(item, f"{name}.{text}", depth - 1)
    return written


def _read_members(value: Any) -> Mapping[Any, Any] | None:
    if isinstance(value, Mapping):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
    fields = getattr(type(value), "model_fields", None)
    if isinstance(fields, Mapping):
        return {key: getattr(value, key) for key in fields} | (getattr(value, "model_extra", None) or {})
    return None


def _restore_items(original: Any, edited: list[Json]) -> Any:
    if isinstance(original, tuple) and len(original) == len(edited):
        items = [restore(*pair) for pair in zip(original, edited, strict=True)]
        return type(original)(*items) if hasattr(original, "_fields") else tuple(items)
    known = {canonicalize(to_json(item)): item for item in original}
    return type(original)(known.get(canonicalize(item), item) for item in edited)


def _restore_object(original: Any, edited: dict[str, Json]) -> Any:
    members = _read_members(original)
    if members is None:
        return edited
    restored = {key: restore(members[key], item) if key in members else item for key, item in edited.items()}
    if isinstance(original, Mapping):
        return restored
    make: Callable[..., Any] = getattr(type(original), "model_validate", None) or (lambda given: type(original)(**given))
    return make(restored)


def _is_same(original: Any, edited: Json) -> bool:
    return canonicalize(to_json(original)) == canonicalize(edited)
