"""An outcome is what happened after the last step. What began and was not seen to end is unknown."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest

import assay
from assay import Assay, AsyncAssay
from assay.answers import Reply

steps: list[str] = []


@pytest.fixture(autouse=True)
def fresh() -> None:
    steps.clear()


@pytest.fixture
def order() -> str:
    return f"A-{uuid4().hex[:8]}"


def find_states(person: Any, order: str) -> list[str]:
    rows = person.read("/api/v1/traces?limit=50")
    found = next(row for row in rows if order in str(row["outputDecision"]))
    return [row["state"] for row in person.read(f"/api/v1/traces/{found['traceId']}/executions")]


def find_review(person: Any, order: str) -> str:
    rows = person.read("/api/v1/traces?limit=50")
    found = next(row for row in rows if order in str(row["outputDecision"]))
    return person.read(f"/api/v1/traces/{found['traceId']}")["review"]["status"]


def await_states(person: Any, order: str, expected: list[str]) -> None:
    """An outcome of what was left is reported in the background."""
    deadline = time.monotonic() + 20
    while find_states(person, order) != expected and time.monotonic() < deadline:
        time.sleep(0.05)
    assert find_states(person, order) == expected


async def pay_later(order: str) -> str:
    steps.append("began")
    await asyncio.sleep(0)
    if order.endswith("fail"):
        raise KeyError("no money")
    steps.append("ended")
    return order


def list_parts(order: str) -> Any:
    for part in ("one", "two"):
        steps.append(part)
        yield part
    if order.endswith("fail"):
        raise KeyError("no money")
    return "all"


async def stream_parts(order: str) -> Any:
    for part in list_parts(order):
        await asyncio.sleep(0)
        yield part


@pytest.mark.parametrize("kind", [Assay, AsyncAssay])
@pytest.mark.parametrize("end", ["", "fail"])
@pytest.mark.parametrize("hides", [False, True])
def test_a_coroutine_is_recorded_when_it_has_ended(options: Any, person: Any, order: str, kind: Any, end: str, hides: bool) -> None:
    order += end
    # A plain function that returns a coroutine looks like any other.
    run: Callable[..., Any] = (lambda order: pay_later(order)) if hides else pay_later
    guarded = kind(**options).guard(run, tool="ship")

    async def main() -> Any:
        return await guarded(order)

    if end:
        with pytest.raises(KeyError):
            asyncio.run(main())
    else:
        assert asyncio.run(main()) == order
    assert find_states(person, order) == ["failed" if end else "succeeded"]


@pytest.mark.parametrize("end", ["", "fail"])
def test_a_generator_asks_at_its_first_step_and_is_recorded_after_its_last(options: Any, person: Any, order: str, end: str) -> None:
    order += end
    items = Assay(**options).guard(list_parts, tool="ship")(order)
    assert steps == []
    assert next(items) == "one"
    assert find_states(person, order) == ["claimed"]
    if end:
        with pytest.raises(KeyError):
            list(items)
    else:
        assert list(items) == ["two"]
    assert find_states(person, order) == ["failed" if end else "succeeded"]


def test_a_blocked_generator_yields_nothing(options: Any) -> None:
    with pytest.raises(assay.Blocked):
        next(Assay(**options).guard(list_parts, tool="wire")("A-1"))
    assert steps == []


def test_a_generator_that_is_left_is_unknown(options: Any, person: Any, order: str) -> None:
    items = Assay(**options).guard(list_parts, tool="ship")(order)
    next(items)
    items.close()
    await_states(person, order, ["unknown"])


@pytest.mark.parametrize("run", [list_parts, stream_parts, lambda order: stream_parts(order)])
@pytest.mark.parametrize("end", ["", "fail", "leave"])
def test_a_stream_is_recorded_as_it_ends(options: Any, person: Any, order: str, run: Any, end: str) -> None:
    order += end
    client = AsyncAssay(**options)
    guarded = client.guard(run, tool="ship")

    async def main() -> None:
        items = guarded(order)
        if asyncio.iscoroutine(items):
            items = await items
        seen = [await anext(items)]
        if end == "leave":
            await items.aclose()
            await client.close()
            return
        async for item in items:
            seen.append(item)
        assert seen == ["one", "two"]

    if end == "fail":
        with pytest.raises(KeyError):
            asyncio.run(main())
    else:
        asyncio.run(main())
    await_states(person, order, [{"": "succeeded", "fail": "failed", "leave": "unknown"}[end]])


def test_a_call_that_is_cancelled_while_it_runs_is_unknown(options: Any, person: Any, order: str) -> None:
    async def hang(order: str) -> None:
        steps.append("began")
        await asyncio.sleep(60)

    async def main() -> None:
        client = AsyncAssay(**options)
        running = asyncio.create_task(client.guard(hang, tool="ship")(order))
        while not steps:
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await client.close()

    asyncio.run(main())
    assert find_states(person, order) == ["unknown"]



def fail_by(error: Exception, cause: Exception | None = None) -> Callable[[], None]:
    def fail() -> None:
        raise error from cause

    return fail


FAILURES: dict[str, tuple[Callable[[], Any], str]] = {
    "a time-out": (fail_by(TimeoutError()), "unknown"),
    "a time-out of a loop": (fail_by(asyncio.TimeoutError()), "unknown"),
    "a time-out of a request": (fail_by(httpx.ReadTimeout("late")), "unknown"),
    "a time-out that the tool calls otherwise": (fail_by(KeyError("no money"), httpx.ReadTimeout("late")), "unknown"),
    "a connection that was cut": (fail_by(ConnectionResetError()), "unknown"),
    "an answer that was cut": (fail_by(httpx.RemoteProtocolError("Server disconnected")), "unknown"),
    "an answer that is no JSON": (lambda: json.loads("<p>"), "unknown"),
    "no connection at all": (fail_by(ConnectionRefusedError()), "failed"),
    "no connection of a request": (fail_by(httpx.ConnectError("refused")), "failed"),
    "an error of its own": (fail_by(KeyError("no money")), "failed"),
}


@pytest.mark.parametrize("kind", [Assay, AsyncAssay])
@pytest.mark.parametrize("name", FAILURES)
def test_an_end_that_was_not_seen_is_unknown(options: Any, person: Any, order: str, kind: Any, name: str) -> None:
    fail, expected = FAILURES[name]
    guarded = kind(**options).guard(lambda order: fail(), tool="ship")
    with pytest.raises(Exception):
        result = guarded(order)
        if kind is AsyncAssay:
            asyncio.run(result)
    assert find_states(person, order) == [expected]


def test_judge_error_knows_more(options: Any, person: Any, order: str) -> None:
    guarded = Assay(**options).guard(fail_by(KeyError("lost")), tool="ship", members={"order": order}, judge_error=lambda _: "unknown")
    with pytest.raises(KeyError):
        guarded()
    assert find_states(person, order) == ["unknown"]


def test_a_result_that_says_so_is_a_failure(options: Any, person: Any, order: str) -> None:
    assert Assay(**options).guard(lambda order: {"isError": True}, tool="ship")(order) == {"isError": True}
    assert find_states(person, order) == ["failed"]


def test_a_wait_that_is_cancelled_withdraws_what_it_asked_for(options: Any, person: Any, order: str) -> None:
    async def main() -> None:
        client = AsyncAssay(**options)
        running = asyncio.create_task(client.guard(pay_later, tool="issue_refund")(order))
        while True:
            items = await asyncio.to_thread(person.read, "/api/v1/review-queue?status=pending")
            if order in str(items):
                break
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    assert find_review(person, order) == "withdrawn"
    assert steps == []



def test_a_call_that_is_cancelled_while_it_asks_withdraws_the_hold_that_came_of_it(options: Any, person: Any, order: str) -> None:
    async def main() -> None:
        client = AsyncAssay(**options)
        request = client._driver._request
        asked = asyncio.Event()

        async def answer_late(step: Any) -> Any:
            reply = await request(step)
            if step.path == "/api/v1/traces" and not asked.is_set():
                # It has arrived, and its answer is on its way.
                asked.set()
                await asyncio.sleep(30)
            return reply

        client._driver._request = answer_late
        running = asyncio.create_task(client.guard(pay_later, tool="issue_refund")(order))
        await asked.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    assert find_review(person, order) == "withdrawn"
    assert steps == []


def test_a_wait_that_ends_without_an_answer_withdraws(options: Any, person: Any, order: str) -> None:
    client = Assay(**options, wait=3.0, timeout=1.0)
    request = client._request

    def hide_verdicts(step: Any) -> Any:
        # A gateway signs people in, and lets the rest pass.
        return Reply(200, {"content-type": "text/html"}) if step.method == "GET" else request(step)

    client._request = hide_verdicts
    with pytest.raises(assay.Unavailable):
        client.guard(lambda order: steps.append(order), tool="issue_refund")(order)
    assert find_review(person, order) == "withdrawn"
    assert steps == []


def test_one_foreign_answer_does_not_end_a_wait(options: Any, person: Any, order: str) -> None:
    client = Assay(**options)
    request = client._request
    foreign = [
        Reply(200, {"content-type": "text/html"}),
        Reply(200, {}, {"success": True, "data": {"traceId": "trc_other", "review": {"status": "approved"}}}),
    ]
    client._request = lambda step: foreign.pop() if step.method == "GET" and foreign else request(step)
    running = threading.Thread(target=client.guard(lambda order: steps.append(order), tool="issue_refund"), args=(order,))
    running.start()
    person.decide({"decision": "approve"}, order)
    running.join(30)
    assert (steps, foreign, find_states(person, order)) == ([order], [], ["succeeded"])


def test_a_named_call_runs_once_though_no_person_had_to_decide(options: Any, person: Any, order: str) -> None:
    guarded = Assay(**options).guard(lambda order: steps.append(order), tool="look_up")
    with assay.run(run_id=order, call_id="call_0"):
        guarded(order)
        for _ in range(3):
            with pytest.raises(assay.AlreadyExecuted):
                guarded(order)
    assert (steps, find_states(person, order)) == ([order], ["succeeded"])


def test_what_a_tool_asks_for_is_a_child_of_its_decision(options: Any, person: Any, order: str) -> None:
    client = Assay(**options)
    inner = client.guard(lambda order: order, tool="look_up_part")

    def outer(order: str) -> None:
        inner(f"{order}-part")

    client.guard(outer, tool="look_up")(order)
    rows = person.read("/api/v1/traces?limit=20")
    child = next(row for row in rows if f"{order}-part" in str(row["outputDecision"]))
    parent = next(row for row in rows if order in str(row["outputDecision"]) and row is not child)
    assert child["parentTraceId"] == parent["traceId"]


def test_an_edit_of_a_type_of_ones_own_is_what_runs(options: Any, person: Any, order: str) -> None:
    from decimal import Decimal

    def issue_refund(order: str, amount: Decimal, *notes: str) -> None:
        steps.append(repr((amount, notes)))

    running = threading.Thread(target=Assay(**options).guard(issue_refund), args=(order, Decimal("900.00"), "broken"))
    running.start()
    person.decide({"decision": "approve", "edits": {"arguments": {"amount": "50.00"}}}, order)
    running.join(30)
    assert steps == [repr((Decimal("50.00"), ("broken",)))]


def test_an_edit_that_the_function_cannot_take_claims_nothing(options: Any, person: Any, order: str) -> None:
    failures: list[BaseException] = []

    def call() -> None:
        try:
            Assay(**options).guard(lambda order, amount: steps.append(order), tool="issue_refund")(order, 900)
        except assay.AssayError as error:
            failures.append(error)

    running = threading.Thread(target=call)
    running.start()
    trace_id = person.decide({"decision": "approve", "edits": {"arguments": {"amount": None}}}, order)
    running.join(30)
    assert (type(failures[0]), steps) == (assay.ActionChanged, [])
    assert person.read(f"/api/v1/traces/{trace_id}/executions") == []
