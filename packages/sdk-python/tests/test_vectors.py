"""The vectors that every SDK runs: canonical texts, bindings, merge patches and keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay import errors
from assay.protocol import Pause, Protocol, Reply, derive_key
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


@pytest.mark.parametrize("case", VECTORS["claims"])
def test_claims(case: Any) -> None:
    steps = Protocol({"timeout": 10.0, "agent": "till"})._claim("trc_1", {"rawActionDigest": "x"})
    keys: list[str | None] = []
    end, reply = "claimed", None
    try:
        while True:
            step = steps.send(reply)
            reply = None
            if isinstance(step, Pause):
                continue
            answer = case["answers"][len(keys)]
            keys.append(step.idempotency_key)
            assert step.timeout <= 3.0
            body = {"code": answer["code"]} if "code" in answer else {"data": {"executionId": "1"}}
            reply = Reply(answer.get("status", 0), {}, body)
    except StopIteration as claimed:
        assert claimed.value["executionId"] == "1"
    except errors.AssayError as error:
        end = type(error).__name__
    assert end == case["end"]
    assert len(keys) == case["attempts"]
    assert len(set(keys)) == 1 and keys[0]
