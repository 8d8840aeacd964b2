"""A guarded function asks first, waits for a person, runs once, and says what became of it."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

import assay
from assay import Assay, AsyncAssay

ran: list[dict[str, Any]] = []


def issue_refund(order: str, to: str = "jo.doe@example.com", amount: float = 90.0) -> dict[str, Any]:
    ran.append({"order": order, "to": to, "amount": amount})
    return {"paid": amount}


@pytest.fixture(autouse=True)
def fresh() -> None:
    ran.clear()


@pytest.fixture
def order() -> str:
    return f"A-{uuid4().hex[:8]}"


def start(call: Any, *args: Any) -> Future[Any]:
    pool = ThreadPoolExecutor(1)
    running = pool.submit(call, *args)
    pool.shutdown(wait=False)
    return running


def test_what_no_policy_holds_runs_at_once(options: Any) -> None:
    @Assay(**options).guard
    def look_up(order: str) -> str:
        return f"looked up {order}"

    assert look_up("A-17") == "looked up A-17"
    assert look_up.__name__ == "look_up"


def test_a_run_that_no_one_asked_for_says_what_began_it(options: Any, person: Any, order: str) -> None:
    guarded = Assay(**options, on_hold="suspend").guard(issue_refund)
    trigger = {"kind": "schedule", "at": "03:00"}
    with assay.run(trigger=trigger), pytest.raises(assay.Held) as caught:
        guarded(order)
    decision = person.read(f"/api/v1/traces/{caught.value.held['traceId']}")
    assert decision["inputContext"] == {"trigger": trigger}


def test_what_a_policy_blocks_never_runs(options: Any) -> None:
    with pytest.raises(assay.Blocked) as caught:
        Assay(**options).guard(issue_refund, tool="wire")("A-17")
    assert (caught.value.status, caught.value.policy, ran) == (403, "Wires", [])


def test_a_halted_agent_runs_nothing_and_its_code_reads_why(options: Any, person: Any) -> None:
    guarded = Assay(**options).guard(issue_refund, tool="look_up")
    with person.halting():
        with pytest.raises(assay.Halted) as caught:
            guarded("A-17")
        error = caught.value
        assert isinstance(error, assay.Blocked)
        assert (error.status, error.code, error.reason) == (403, "SVC_BLOCKED_BY_POLICY", "It pays twice")
        assert (error.halt["scope"], error.halt["state"], ran) == ("agent", "halted", [])
        assert "It pays twice" in error.message
    assert guarded("A-17") == {"paid": 90.0}


def test_what_was_approved_before_a_halt_runs_once_after_it(options: Any, person: Any, order: str) -> None:
    client = Assay(**options, on_hold="suspend")
    with pytest.raises(assay.Held) as caught:
        client.guard(issue_refund)(order)
    held = caught.value.held
    person.decide({"decision": "approve"}, order)
    with person.halting():
        with pytest.raises(assay.Halted) as halted:
            client.resume(held, issue_refund)
        assert (halted.value.code, halted.value.trace_id) == ("HALTED", held["traceId"])
        assert (halted.value.halt["scope"], ran) == ("agent", [])
    assert client.resume(held, issue_refund) == {"paid": 90.0}
    assert len(ran) == 1


def test_an_approved_call_runs_once_with_personal_data_and_a_float(options: Any, person: Any, order: str) -> None:
    running = start(Assay(**options).guard(issue_refund), order)
    trace_id = person.decide({"decision": "approve"}, order)
    assert running.result(30) == {"paid": 90.0}
    assert ran == [{"order": order, "to": "jo.doe@example.com", "amount": 90.0}]
    assert [row["state"] for row in person.read(f"/api/v1/traces/{trace_id}/executions")] == ["succeeded"]


def test_a_claim_that_a_policy_asks_for_is_made_without_a_hold(options: Any, person: Any, order: str) -> None:
    client = Assay(**options, on_hold="suspend")
    assert client.guard(issue_refund, tool="ship")(order) == {"paid": 90.0}
    rows = person.read("/api/v1/traces?limit=50")
    shipped = next(row for row in rows if order in str(row["outputDecision"]))
    executions = person.read(f"/api/v1/traces/{shipped['traceId']}/executions")
    assert [row["state"] for row in executions] == ["succeeded"]


def test_a_rejected_call_never_runs(options: Any, person: Any, order: str) -> None:
    running = start(Assay(**options).guard(issue_refund), order)
    person.decide({"decision": "reject"}, order)
    with pytest.raises(assay.Rejected):
        running.result(30)
    assert ran == []


def test_an_edit_is_applied_to_the_raw_arguments(options: Any, person: Any, order: str) -> None:
    running = start(Assay(**options).guard(issue_refund), order)
    person.decide({"decision": "approve", "edits": {"arguments": {"amount": 45}}}, order)
    assert running.result(30) == {"paid": 45}
    assert ran[0]["to"] == "jo.doe@example.com"


def test_arguments_that_change_during_the_wait_do_not_run(options: Any, person: Any, order: str) -> None:
    given = {"order": order, "amount": 90}

    def issue(refund: dict[str, Any]) -> None:
        ran.append(refund)

    running = start(Assay(**options).guard(issue, tool="issue_refund"), given)
    held = person.await_held(order)
    given["amount"] = 820_000
    assert person.answer(held, {"decision": "approve"}).status_code == 200
    with pytest.raises(assay.ActionChanged):
        running.result(30)
    assert ran == []


def test_a_wait_that_ends_withdraws_the_request(options: Any, person: Any, order: str) -> None:
    with pytest.raises(assay.NotDecided) as caught:
        Assay(**options, wait=1.0).guard(issue_refund)(order)
    assert person.read(f"/api/v1/traces/{caught.value.trace_id}")["review"]["status"] == "withdrawn"


def test_a_suspended_call_is_resumed_once(options: Any, person: Any, order: str) -> None:
    with pytest.raises(assay.Held) as caught:
        Assay(**options, on_hold="suspend").guard(issue_refund)(order)
    held = json.loads(json.dumps(caught.value.held))
    other = Assay(**options)
    with pytest.raises(assay.NotDecided):
        other.resume(held, issue_refund)
    person.decide({"decision": "approve"}, order)
    assert other.resume(held, issue_refund) == {"paid": 90.0}
    with pytest.raises(assay.AlreadyExecuted):
        other.resume(held, issue_refund)
    assert len(ran) == 1


def test_what_the_function_raises_passes_through(options: Any, person: Any, order: str) -> None:
    failure = KeyError("no money left")

    def issue(order: str) -> None:
        raise failure

    running = start(Assay(**options).guard(issue, tool="issue_refund"), order)
    trace_id = person.decide({"decision": "approve"}, order)
    assert running.exception(30) is failure
    assert [row["state"] for row in person.read(f"/api/v1/traces/{trace_id}/executions")] == ["failed"]


def test_coroutines_are_guarded_alike(options: Any, person: Any, order: str) -> None:
    async def issue(order: str) -> str:
        await asyncio.sleep(0)
        return order

    async def main() -> str:
        client = AsyncAssay(**options)
        running = asyncio.create_task(client.guard(issue, tool="issue_refund")(order))
        await asyncio.to_thread(person.decide, {"decision": "approve"}, order)
        result = await running
        await client.close()
        return result

    assert asyncio.run(main()) == order


def test_the_same_call_of_the_same_run_is_one_decision(options: Any, order: str) -> None:
    guarded = Assay(**options, on_hold="suspend").guard(issue_refund)

    def ask(call_id: str) -> str:
        with assay.run(run_id="run-1", call_id=f"{call_id}-{order}"), pytest.raises(assay.Held) as caught:
            guarded(order)
        return caught.value.held["traceId"]

    first, again, other = ask("call-1"), ask("call-1"), ask("call-2")
    assert first == again != other


def test_a_suspended_call_goes_on_under_its_name_once_it_is_decided(options: Any, person: Any, order: str) -> None:
    guarded = Assay(**options, on_hold="suspend").guard(issue_refund)
    with assay.run(run_id="run-2", call_id=order):
        with pytest.raises(assay.Held):
            guarded(order)
        person.decide({"decision": "approve"}, order)
        assert guarded(order) == {"paid": 90.0}
        with pytest.raises(assay.AlreadyExecuted):
            guarded(order)


def test_a_name_that_comes_back_with_other_arguments_runs_nothing(options: Any, order: str) -> None:
    guarded = Assay(**options).guard(issue_refund, tool="look_up")
    with assay.run(run_id="run-3", call_id=order):
        assert guarded(order) == {"paid": 90.0}
        with pytest.raises(assay.ActionChanged):
            guarded(f"{order}-other")


def test_without_the_service_nothing_runs_but_what_reads_on_the_record(tmp_path: Any, options: Any) -> None:
    away = {**options, "url": "http://127.0.0.1:9", "timeout": 0.3}
    with pytest.raises(assay.Unavailable):
        Assay(**away).guard(issue_refund)("A-17")
    assert ran == []
    path = tmp_path / "journal.ndjson"
    client = Assay(**away, on_unavailable="allow-read-only", journal=assay.FileJournal(path))
    with pytest.raises(assay.Unavailable):
        client.guard(issue_refund)("A-17")
    assert client.guard(issue_refund, tool="look_up", read_only=True)("A-17") == {"paid": 90.0}
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert Assay(**options, journal=assay.FileJournal(path)).send_journal() == 1
    assert not path.exists()


@pytest.mark.parametrize("value", [float("nan"), object(), {1: "a"}, "\ud800", [[float("inf")]]])
def test_what_is_no_json_is_refused_by_name_before_anything_is_asked(options: Any, value: Any) -> None:
    with pytest.raises(assay.Invalid, match="amount"):
        Assay(**options).guard(issue_refund)("A-17", amount=value)
    assert ran == []
