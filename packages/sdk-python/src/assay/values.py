"""JSON values, their canonical text and digests, merge patches, and large texts in an action."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import rfc8785

from .errors import Invalid

Json = Any

#: The service's limit for an action, in bytes of JSON.
ACTION_BYTES_MAX = 10_240
TEXT_BYTES_MIN = 2_048
HEAD_CHARACTERS = 200


def to_json(value: Any) -> Json:
    """Returns the JSON that a value stands for. Raises ``Invalid`` for what JSON cannot represent."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"The arguments are no JSON: {error}") from error


def canonicalize(value: Json) -> bytes:
    """Returns the RFC 8785 text of a value. Raises ``Invalid`` for lone surrogates and integers beyond 2^53."""
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise Invalid(f"The arguments have no canonical text: {error}") from error


def hash_json(value: Json) -> str:
    """Returns the SHA-256 of the canonical text of a value, in hexadecimal."""
    return hashlib.sha256(canonicalize(value)).hexdigest()


def compute_commitment(salt: str, raw_action_digest: str) -> str:
    """Returns the chain's commitment to a raw action: SHA-256 of ``["<salt>","rawAction","<digest>"]``."""
    return hash_json([salt, "rawAction", raw_action_digest])


def merge_patch(target: Json, patch: Json) -> Json:
    """Applies a JSON Merge Patch (RFC 7396) and returns the result; the target stays as it is."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def shorten_action(action: dict[str, Json]) -> dict[str, Json]:
    """Replaces large texts by digest, length and beginning until the action fits. The digests bind the texts."""
    if _count_bytes(action) <= ACTION_BYTES_MAX:
        return action
    short = copy.deepcopy(action)
    # By length in UTF-16, as the other packages count.
    found = sorted(_list_texts(short), key=lambda item: -len(item[2].encode("utf-16-le")))
    for parent, key, text in found:
        if _count_bytes(short) <= ACTION_BYTES_MAX:
            break
        data = text.encode()
        if len(data) <= TEXT_BYTES_MIN:
            break
        head = text[:HEAD_CHARACTERS]
        parent[key] = {"$sha256": hashlib.sha256(data).hexdigest(), "$bytes": len(data), "$head": head}
    return short


def _count_bytes(value: Json) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def _list_texts(value: Json) -> list[tuple[Any, Any, str]]:
    if isinstance(value, dict):
        items: Any = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return []
    found: list[tuple[Any, Any, str]] = []
    for key, item in items:
        found.extend([(value, key, item)] if isinstance(item, str) else _list_texts(item))
    return found
