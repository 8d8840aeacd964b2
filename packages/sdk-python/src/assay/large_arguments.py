"""What is large in an action: replaced by its digest, length and beginning until the action fits."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import dataclass
from typing import Any

from .values import Json, canonicalize

#: The service's limit for an action, in bytes of JSON.
ACTION_BYTES_MAX = 10_240
#: What takes up to this many bytes stays.
PART_BYTES_MIN = 2_048
HEAD_CHARACTERS = 200
#: What a reference counts for when a part is chosen.
REFERENCE_BYTES = 1_024


@dataclass(eq=False)
class _Part:
    holder: Any
    key: Any
    #: The value as it was given.
    whole: Json
    #: Its bytes of JSON now.
    size: int
    around: _Part | None
    is_replaced: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it is large, and in no reference."""
        at: _Part | None = self
        while at:
            if at.is_replaced:
                return False
            at = at.around
        return self.size > PART_BYTES_MIN


def shorten_action(action: dict[str, Json]) -> dict[str, Json]:
    """Returns the action as it is posted; the digests in it bind what they stand for. One that fits is returned as it is.

    Texts go first, the longest first; then lists and objects, the smallest that is enough, or else the largest; at last
    all arguments.
    """
    if count_bytes(action) <= ACTION_BYTES_MAX:
        return action
    holder = [copy.deepcopy(action)]
    root, *parts = _list_parts(holder, 0, action, None)
    texts = [part for part in parts if isinstance(part.whole, str) and len(part.whole.encode()) > PART_BYTES_MIN]
    for part in sorted(texts, key=lambda part: -len(part.whole.encode())):
        if root.size > ACTION_BYTES_MAX:
            _replace(part)
    last = next(part for part in parts if part.around is root and part.key == "arguments")
    nested = [part for part in parts if isinstance(part.whole, list | dict) and part is not last]
    while root.size > ACTION_BYTES_MAX:
        part = _choose([part for part in nested if part.is_open], root.size - ACTION_BYTES_MAX) or last
        if part.is_replaced:
            break
        _replace(part)
    return holder[0]


def count_bytes(value: Json) -> int:
    return len(canonicalize(value))


def _list_parts(holder: Any, key: Any, whole: Json, around: _Part | None) -> list[_Part]:
    """A value and all that is in it, in the order of its canonical text."""
    part = _Part(holder, key, whole, 0, around)
    if not isinstance(whole, list | dict):
        part.size = count_bytes(whole)
        return [part]
    parts = [part]
    # The canonical order is that of UTF-16.
    keys: Any = range(len(whole)) if isinstance(whole, list) else sorted(whole, key=lambda name: name.encode("utf-16-be"))
    part.size = 2 + max(0, len(whole) - 1)
    for inner in keys:
        within = _list_parts(holder[key], inner, whole[inner], part)
        part.size += within[0].size + (count_bytes(inner) + 1 if isinstance(inner, str) else 0)
        parts.extend(within)
    return parts


def _choose(parts: list[_Part], excess: int) -> _Part | None:
    """The first of equal ones."""
    enough = [part for part in parts if part.size >= excess + REFERENCE_BYTES]
    if enough:
        return min(enough, key=lambda part: part.size)
    return max(parts, key=lambda part: part.size, default=None)


def _replace(part: _Part) -> None:
    data = part.whole.encode() if isinstance(part.whole, str) else canonicalize(part.whole)
    head = data.decode()[:HEAD_CHARACTERS]
    reference = {"$sha256": hashlib.sha256(data).hexdigest(), "$bytes": len(data), "$head": head}
    gain = part.size - count_bytes(reference)
    at: _Part | None = part
    while at:
        at.size -= gain
        at = at.around
    part.holder[part.key] = reference
    part.is_replaced = True
