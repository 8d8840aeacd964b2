"""The vectors that every SDK runs: canonical texts, bindings, merge patches and keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay import answers, errors
from assay.action_names import name_action
from assay.answers import Reply, parse_body
from assay.arguments import describe_value
from assay.protocol import Call, Pause, Protocol, derive_key
from assay.large_arguments import shorten_action
from assay.values import canonicalize, compute_commitment, hash_json, merge_patch


def read(name: str) -> Any:
    return json.loads((Path(__file__).parents[3] / "test/vectors/sdk" / name).read_text(encoding="utf-8"))


VECTORS, ANSWERS, NAMES = read("sdk.json"), read("answers.json"), read("names.json")["names"]


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
    call = Call("pay", describe_value({}), {}, context)
    assert derive_key(call, {"agent": case["agent"]}) == case["key"]


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
            # A slow service has twice the time at each further attempt.
            assert step.timeout == 3.0 * 2 ** (len(keys) - 1)
            claimed = {"success": True, "data": {"traceId": "trc_1", "executionId": "1"}}
            body = {"success": False, "code": answer["code"]} if "code" in answer else claimed
            reply = Reply(answer.get("status", 0), {}, body)
    except StopIteration as done:
        assert done.value.execution_id == "1"
    except errors.AssayError as error:
        end = type(error).__name__
    assert end == case["end"]
    assert len(keys) == case["attempts"]
    assert len(set(keys)) == 1 and keys[0]


def to_reply(answer: Any) -> Reply:
    if answer.get("lost"):
        return Reply(0)
    if answer.get("cut"):
        return Reply(answer["status"], answer["headers"], is_cut=True)
    text = json.dumps(answer["body"]) if "body" in answer else answer.get("text", "")
    return Reply(answer["status"], answer["headers"], parse_body(answer["headers"].get("content-type", ""), text.encode()))


def ask(kind: str, answer: Any) -> str:
    """Sends the request that is answered, each time alike, and says what the answer was taken for."""
    settings = {"timeout": 10.0, "agent": "till", "url": "http://127.0.0.1", "on_error": lambda error: None}
    protocol, action = Protocol(settings), ANSWERS["action"]
    body = {"outputDecision": {"action": action}}
    proposed = protocol.send("POST", "/api/v1/traces", body, idempotency_key="1")
    steps = {
        "proposals": proposed,
        "verdicts": protocol.await_verdict("trc_1", 0),
        "claims": protocol._claim("trc_1", {}),
        "outcomes": protocol.send("PATCH", "/api/v1/traces/trc_1/executions/exe_1", {}),
        "withdrawals": protocol.withdraw("trc_1"),
    }[kind]
    reply = None
    try:
        while True:
            step = steps.send(reply)
            reply = None if isinstance(step, Pause) else to_reply(answer)
    except StopIteration as end:
        done = end.value
    if kind == "proposals":
        return "held" if answers.read_proposal(done, hash_json(action), "http://127.0.0.1").is_held else "approved"
    if kind == "outcomes":
        answers.assert_recorded(done, "exe_1")
        return "recorded"
    if kind == "withdrawals":
        return "withdrawn" if done else "decided"
    return "claimed" if kind == "claims" else str(done.status)


@pytest.mark.parametrize(
    ("kind", "case"),
    [
        pytest.param(kind, case, id=f"{kind}: {case['name']}")
        for kind in ("proposals", "verdicts", "claims", "outcomes", "withdrawals")
        for case in ANSWERS[kind]
    ],
)
def test_answers(kind: str, case: Any) -> None:
    try:
        assert ask(kind, case["answer"]) == case["end"]
    except errors.AssayError as error:
        assert (type(error).__name__, error.code) == (case["end"], case["code"])
        assert isinstance(error, errors.Unavailable) is (case["end"] == "Unavailable")
        if isinstance(error, errors.Unavailable):
            assert error.is_away is case["isAway"]


@pytest.mark.parametrize("case", NAMES, ids=lambda case: f"{case['from']} {case['name']}")
def test_names(case: Any) -> None:
    action = name_action(case["from"], case["name"], case["input"], server=case.get("server"), cwd=case.get("cwd"))
    assert action == case["action"]


def expand(value: Any) -> Any:
    """Large values are short in the file: ``{"repeat": value, "times": n}`` is a list, or a text that is repeated."""
    if isinstance(value, list):
        return [expand(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"repeat", "times"}:
        repeated = expand(value["repeat"])
        return repeated * value["times"] if isinstance(repeated, str) else [repeated] * value["times"]
    return {key: expand(item) for key, item in value.items()}


@pytest.mark.parametrize("case", VECTORS["references"], ids=lambda case: case["name"])
def test_references(case: Any) -> None:
    short = shorten_action({"tool": "write", "arguments": expand(case["arguments"])})
    if "shortened" in case:
        assert short == case["shortened"]
    assert hash_json(short) == case["sha256"]
