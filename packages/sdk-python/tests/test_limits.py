"""What an agent's code meets at a limit of a policy: which one, what is left of it, and what was used in fact."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from middle import Middle, write

import assay
from assay import Assay, AsyncAssay

LIMIT = {"of": "action.totalAmount", "per": "agent", "window": "24h", "most": 100}
SAID = {**LIMIT, "policy": "a" * 24, "at": 0, "type": "block", "left": 0, "freesAt": "2026-11-29T12:00:00.000Z"}


@pytest.fixture
def tool() -> str:
    return f"pay_{uuid4().hex[:8]}"


def pay(order: str, amount: Any = 60) -> dict[str, Any]:
    return {"order": order, "paid": amount / 2}


def find_execution(person: Any, order: str) -> Any:
    found = next(row for row in person.read("/api/v1/traces?limit=50") if order in str(row["outputDecision"]))
    [execution] = person.read(f"/api/v1/traces/{found['traceId']}/executions")
    return execution


def test_what_passes_a_limit_is_blocked_and_the_code_reads_what_is_left(options: Any, person: Any, tool: str) -> None:
    person.limit(tool, 100)
    guarded = Assay(**options).guard(pay, tool=tool)
    guarded("A-17", 70)
    with pytest.raises(assay.Blocked) as caught:
        guarded("A-18", 40)
    assert "The limit is 100 (action.totalAmount)" in caught.value.message
    [limit] = caught.value.limits
    assert {**limit, "policy": "", "freesAt": ""} == {**SAID, "left": 30, "policy": "", "freesAt": ""}
    assert guarded("A-19", 30)["paid"] == 15
    with pytest.raises(assay.Blocked) as unreadable:
        guarded("A-20", "much")
    assert [(each["left"], each["freesAt"]) for each in unreadable.value.limits] == [(None, None)]


def test_what_is_held_because_of_a_limit_says_which(options: Any, person: Any, tool: str) -> None:
    person.limit(tool, 10, "flag_for_review")
    client = Assay(**options, on_hold="suspend")
    with pytest.raises(assay.Held) as caught:
        client.guard(pay, tool=tool)("A-17", 40)
    assert [(each["type"], each["most"], each["left"]) for each in caught.value.limits] == [("flag_for_review", 10, 10)]
    assert "limits" not in caught.value.held
    client.withdraw(caught.value.held["traceId"])


def test_other_refusals_name_no_limit(options: Any) -> None:
    with pytest.raises(assay.Blocked) as caught:
        Assay(**options).guard(pay, tool="wire")("A-17")
    assert caught.value.limits == []


WRONG: dict[str, Any] = {
    "no list": {**SAID},
    "a text": "none",
    "null": None,
    "nothing": [None, 1, "x", [], {}],
    "no policy": [{name: value for name, value in SAID.items() if name != "policy"}],
    "an empty name": [{**SAID, "per": ""}],
    "a number for a name": [{**SAID, "window": 24}],
    "a place below the first": [{**SAID, "at": -1}],
    "a limit in words": [{**SAID, "most": "100"}],
    "a limit that is true": [{**SAID, "most": True}],
    "an endless limit": [{**SAID, "most": "1e999"}],
    "less than nothing left": [{**SAID, "left": -5}],
    "nothing of what is left": [{name: value for name, value in SAID.items() if name != "left"}],
    "a number for the time": [{**SAID, "freesAt": 1}],
}


def read_limits(options: Any, limits: Any) -> Any:
    """Returns what an error has of the limits in an answer."""
    middle = Middle()
    data = {"traceId": "trc_1", "status": "blocked", "limits": limits}
    body = {"success": False, "code": "SVC_BLOCKED_BY_POLICY", "error": "No", "data": data}
    text = write({"status": 403, "headers": {"content-type": "application/json"}, "body": body})
    # The number has no quotes, and the content keeps its length.
    middle.answer = lambda peer: peer.sendall(text.replace(b'"1e999"', b"1e99999"))
    try:
        with pytest.raises(assay.Blocked) as caught:
            Assay(**{**options, "url": middle.url}).guard(pay)("A-17")
    finally:
        middle.close()
    return caught.value.limits


@pytest.mark.parametrize("limits", WRONG.values(), ids=WRONG.keys())
def test_what_has_not_the_form_of_a_limit_is_none(options: Any, limits: Any) -> None:
    assert read_limits(options, limits) == []


def test_a_limit_is_kept_without_what_is_no_part_of_it(options: Any) -> None:
    assert read_limits(options, [{**SAID, "more": "x"}, None]) == [SAID]
    assert read_limits(options, [{**SAID, "left": None, "freesAt": None}])[0]["left"] is None


@pytest.mark.parametrize("kind", [Assay, AsyncAssay])
def test_what_was_used_settles_what_was_reserved(options: Any, person: Any, tool: str, kind: Any) -> None:
    person.limit(tool, 100)

    def call(order: str, **more: Any) -> Any:
        guarded = kind(**options).guard(pay, tool=tool, claim="always", **more)
        return asyncio.run(guarded(order)) if kind is AsyncAssay else guarded(order)

    call(tool, used=lambda result: {"amount": result["paid"], "tokens": 12})
    assert find_execution(person, tool)["used"] == {"amount": 30, "tokens": 12}
    # Without that 60 of 100 were spent.
    call("A-18")
    with pytest.raises(assay.Blocked) as caught:
        call("A-19")
    assert [each["left"] for each in caught.value.limits] == [10]


def fail(_: Any) -> Any:
    raise KeyError("no bill")


UNREADABLE: dict[str, Callable[[Any], Any]] = {
    "raises": fail,
    "is negative": lambda _: {"amount": -1},
    "is endless": lambda _: {"tokens": math.inf},
    "is no number": lambda _: {"amount": math.nan, "tokens": 5},
    "is in words": lambda _: {"amount": "5"},
    "is true": lambda _: {"amount": True},
    "is no dict": lambda _: 5,
    "is refused by the service": lambda _: {"amount": 1e20},
}


@pytest.mark.parametrize("used", UNREADABLE.values(), ids=UNREADABLE.keys())
@pytest.mark.parametrize("complains", [False, True])
def test_what_cannot_be_read_loses_no_outcome(options: Any, person: Any, tool: str, used: Any, complains: bool) -> None:
    complaints: list[Any] = []

    def note(error: Exception) -> None:
        complaints.append(error)
        if complains:
            raise OSError("the log is full")

    guarded = Assay(**options, on_error=note).guard(pay, tool=tool, claim="always", used=used)
    assert guarded(tool) == {"order": tool, "paid": 30}
    execution = find_execution(person, tool)
    assert (execution["state"], execution["used"], len(complaints)) == ("succeeded", None, 1)
    assert execution["resultDigest"] is not None


@pytest.mark.parametrize("said", [None, {}, {"cost": 5}, {"amount": None}])
def test_without_words_what_was_reserved_counts(options: Any, person: Any, tool: str, said: Any) -> None:
    complaints: list[Any] = []
    client = Assay(**options, on_error=complaints.append)
    client.guard(pay, tool=tool, claim="always", used=lambda _: said)(tool)
    assert (find_execution(person, tool)["used"], complaints) == (None, [])


def test_what_failed_is_not_asked(options: Any, person: Any, tool: str) -> None:
    asked: list[Any] = []
    client = Assay(**options)
    with pytest.raises(KeyError):
        client.guard(fail, tool=tool, claim="always", used=asked.append)(tool)
    assert (find_execution(person, tool)["state"], asked) == ("failed", [])
    other = f"{tool}-1"
    client.guard(lambda order: {"isError": True}, tool=tool, claim="always", used=asked.append)(other)
    assert (find_execution(person, other)["state"], asked) == ("failed", [])


def test_a_resumed_call_settles_too(options: Any, person: Any, tool: str) -> None:
    client = Assay(**options, on_hold="suspend")
    with pytest.raises(assay.Held) as caught:
        client.guard(pay, tool="issue_refund")(tool)
    person.decide({"decision": "approve"}, tool)
    client.resume(caught.value.held, pay, used=lambda result: {"amount": result["paid"]})
    assert find_execution(person, tool)["used"] == {"amount": 30}


def test_the_example_of_the_guide_says_what_was_used(options: Any, person: Any, tool: str) -> None:
    guide = (Path(__file__).parents[3] / "docs/guides/budgets.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)

    def issue_refund(order: str, amount: float) -> dict[str, Any]:
        return {"order": order, "paid": amount - 10}

    names: dict[str, Any] = {"assay": Assay(**options), "issue_refund": issue_refund}
    exec(example, names)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(names["refund"], tool, 60)
        person.decide({"decision": "approve"}, tool)
        assert running.result(30)["paid"] == 50
    assert find_execution(person, tool)["used"] == {"amount": 50}
