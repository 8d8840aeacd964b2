"""The vectors that every SDK runs: canonical texts, bindings, merge patches and keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.protocol import derive_key
from assay.values import canonicalize, compute_commitment, hash_json, merge_patch, shorten_action

VECTORS = json.loads((Path(__file__).parents[3] / "test/vectors/sdk/sdk.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", VECTORS["canonical"])
def test_canonical_texts(case: Any) -> None:
    assert canonicalize(case["value"]).decode() == case["text"]
    assert hash_json(case["value"]) == case["sha256"]


@pytest.mark.parametrize("case", VECTORS["bindings"])
def test_bindings(case: Any) -> None:
    assert hash_json(case["action"]) == case["rawActionDigest"]
    assert compute_commitment(case["salt"], case["rawActionDigest"]) == case["commitment"]


@pytest.mark.parametrize("case", VECTORS["patches"])
def test_merge_patches(case: Any) -> None:
    assert merge_patch(case["target"], case["patch"]) == case["result"]


@pytest.mark.parametrize("case", VECTORS["keys"])
def test_keys(case: Any) -> None:
    context: Any = {"run_id": case["runId"], "call_id": case["callId"]}
    assert derive_key(context, {"agent": case["agent"]}) == case["key"]


@pytest.mark.parametrize("case", VECTORS["shortened"])
def test_shortened_actions(case: Any) -> None:
    action = {"tool": "write", "arguments": {name: text * count for name, (text, count) in case["texts"].items()}}
    assert hash_json(shorten_action(action)) == case["sha256"]
