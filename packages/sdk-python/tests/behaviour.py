"""What every adapter does, whatever its framework: the same tests for each, with real agents and a real service."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from middle import WRONG, Middle, write

from assay import AsyncAssay

NAMES = json.loads((Path(__file__).parents[3] / "test/vectors/sdk/names.json").read_text(encoding="utf-8"))["names"]
PROMPT = "Look after my order"


@dataclass
class Call:
    """A call that the fake model makes."""

    tool: str
    arguments: dict[str, Any]
    id: str = field(default_factory=lambda: f"call_{uuid4().hex[:8]}")


class Shop:
    """Tools as plain functions, and what they did. Policies hold refunds and loans, block wires, and let ships go once."""

    def __init__(self) -> None:
        self.ran: list[dict[str, Any]] = []

    def list_tools(self) -> list[Any]:
        ran = self.ran

        def issue_refund(order: str, amount: float) -> str:
            """Pays money back."""
            ran.append({"order": order, "amount": amount})
            return f"paid {amount}"

        async def lend(order: str) -> str:
            """Lends money. Its hold ends soon."""
            ran.append({"lent": order})
            return "lent"

        def wire(order: str) -> str:
            """Wires money."""
            ran.append({"wired": order})
            return "wired"

        async def ship(order: str) -> str:
            """Ships an order."""
            ran.append({"shipped": order})
            if order.endswith("lost"):
                raise TimeoutError("no answer")
            if order.endswith("bad"):
                raise ValueError("no such order")
            return "shipped"

        def look_up(order: str) -> str:
            """Looks an order up."""
            ran.append({"seen": order})
            return "found"

        return [issue_refund, lend, wire, ship, look_up]


class AdapterBehaviour:
    """A class of tests for each framework: ``run_agent`` is what differs."""

    #: The client that the adapter takes.
    kind: Any = AsyncAssay

    async def run_agent(self, client: Any, tools: list[Any], turns: list[list[Call]]) -> list[str]:
        """Runs an agent whose model makes these calls, turn by turn. Returns what it read from its tools, in order."""
        raise NotImplementedError

    @pytest.fixture
    def shop(self) -> Shop:
        return Shop()

    @pytest.fixture
    def order(self) -> str:
        return f"A-{uuid4().hex[:8]}"

    def run(self, options: Any, shop: Shop, *turns: list[Call], meanwhile: Any = None, **more: Any) -> Any:
        """Runs the agent, and something beside it in a thread. Returns what both gave, or what the agent gave."""

        async def main() -> Any:
            client = self.kind(**{**options, **more})
            running = asyncio.ensure_future(self.run_agent(client, shop.list_tools(), list(turns)))
            beside = None if meanwhile is None else await asyncio.to_thread(meanwhile)
            told = await running
            await client.for_coroutines().close()
            return told if meanwhile is None else (told, beside)

        return asyncio.run(main())

    def read_states(self, person: Any, trace_id: str) -> list[str]:
        return [row["state"] for row in person.read(f"/api/v1/traces/{trace_id}/executions")]

    def find_trace(self, person: Any, order: str) -> Any:
        rows = person.read("/api/v1/traces?limit=50")
        found = next(row for row in rows if order in str(row["outputDecision"]))
        return person.read(f"/api/v1/traces/{found['traceId']}")

    def test_what_nothing_holds_runs_at_once(self, options: Any, shop: Shop, order: str) -> None:
        told = self.run(options, shop, [Call("look_up", {"order": order})])
        assert (told, shop.ran) == (["found"], [{"seen": order}])

    def test_a_blocked_call_does_not_run_and_the_model_reads_why(self, options: Any, shop: Shop, order: str) -> None:
        [told] = self.run(options, shop, [Call("wire", {"order": order})])
        assert "The call did not run: " in told and "No wires" in told
        assert shop.ran == []

    def test_a_held_call_waits_and_runs_once(self, options: Any, person: Any, shop: Shop, order: str) -> None:
        call = Call("issue_refund", {"order": order, "amount": 90.0})
        told, trace_id = self.run(options, shop, [call], meanwhile=lambda: person.decide({"decision": "approve"}, order))
        assert (told, shop.ran) == (["paid 90.0"], [{"order": order, "amount": 90.0}])
        assert self.read_states(person, trace_id) == ["succeeded"]
        assert person.read(f"/api/v1/traces/{trace_id}")["inputContext"]["prompt"] == PROMPT

    def test_what_a_person_edited_runs(self, options: Any, person: Any, shop: Shop, order: str) -> None:
        call = Call("issue_refund", {"order": order, "amount": 90.0})
        verdict = {"decision": "approve", "edits": {"arguments": {"amount": 45.5}}}
        told, trace_id = self.run(options, shop, [call], meanwhile=lambda: person.decide(verdict, order))
        assert (told, shop.ran) == (["paid 45.5"], [{"order": order, "amount": 45.5}])
        assert self.read_states(person, trace_id) == ["succeeded"]

    def test_a_rejected_call_does_not_run_and_the_model_reads_why(
        self, options: Any, person: Any, shop: Shop, order: str
    ) -> None:
        call = Call("issue_refund", {"order": order, "amount": 90.0})
        verdict = {"decision": "reject", "reason": "it was delivered"}
        [told], _ = self.run(options, shop, [call], meanwhile=lambda: person.decide(verdict, order))
        assert "it was delivered" in told and "APPROVAL_REJECTED" in told
        assert shop.ran == []

    def test_a_hold_that_expires_is_no_denial(self, options: Any, person: Any, shop: Shop, order: str) -> None:
        def let_time_pass() -> str:
            held = person.await_held(order)
            httpx.post(os.environ["ASSAY_TEST_TIME"]).raise_for_status()
            return held["traceId"]

        [told], trace_id = self.run(options, shop, [Call("lend", {"order": order})], meanwhile=let_time_pass)
        assert "APPROVAL_EXPIRED" in told
        assert shop.ran == []
        assert person.read(f"/api/v1/traces/{trace_id}")["review"]["status"] == "expired"

    def test_a_wait_that_ends_withdraws(self, options: Any, person: Any, shop: Shop, order: str) -> None:
        [told] = self.run(options, shop, [Call("issue_refund", {"order": order, "amount": 90.0})], wait=1.0)
        assert "No person has decided yet; the request is withdrawn" in told
        assert shop.ran == []
        assert self.find_trace(person, order)["review"]["status"] == "withdrawn"

    def test_a_run_that_is_cancelled_while_it_waits_withdraws(
        self, options: Any, person: Any, shop: Shop, order: str
    ) -> None:
        async def main() -> Any:
            calls = [Call("issue_refund", {"order": order, "amount": 90.0})]
            running = asyncio.ensure_future(self.run_agent(self.kind(**options), shop.list_tools(), [calls]))
            held = await asyncio.to_thread(person.await_held, order)
            running.cancel()
            await asyncio.wait({running}, timeout=10)
            assert running.done()
            # A person who decides all the same reaches nothing.
            await asyncio.to_thread(person.answer, held, {"decision": "approve"})
            await asyncio.sleep(1)
            return held["traceId"]

        trace_id = asyncio.run(main())
        assert shop.ran == []
        assert person.read(f"/api/v1/traces/{trace_id}")["review"]["status"] == "withdrawn"
        assert self.read_states(person, trace_id) == []

    @pytest.mark.parametrize(("end", "state"), [("bad", "failed"), ("lost", "unknown"), ("well", "succeeded")])
    def test_how_a_call_ended_is_recorded(
        self, options: Any, person: Any, shop: Shop, order: str, end: str, state: str
    ) -> None:
        try:
            self.run(options, shop, [Call("ship", {"order": f"{order}-{end}"})])
        except (ValueError, TimeoutError):
            pass  # Some frameworks end the run.
        assert shop.ran == [{"shipped": f"{order}-{end}"}]
        assert self.read_states(person, self.find_trace(person, order)["traceId"]) == [state]

    def test_parallel_calls_have_a_verdict_each(self, options: Any, person: Any, shop: Shop, order: str) -> None:
        calls = [Call("issue_refund", {"order": f"{order}-{each}", "amount": 90.0}) for each in (1, 2, 3)]

        def decide() -> None:
            person.decide({"decision": "reject"}, f"{order}-2")
            person.decide({"decision": "approve"}, f"{order}-3")
            person.decide({"decision": "approve", "edits": {"arguments": {"amount": 1.5}}}, f"{order}-1")

        told, _ = self.run(options, shop, calls, meanwhile=decide)
        assert sorted(shop.ran, key=str) == [
            {"order": f"{order}-1", "amount": 1.5},
            {"order": f"{order}-3", "amount": 90.0},
        ]
        assert [("paid" in each, "REJECTED" in each) for each in told] == [(True, False), (False, True), (True, False)]

    def test_a_call_that_is_made_again_is_asked_for_again(self, options: Any, person: Any, shop: Shop, order: str) -> None:
        """Also under the same id, as some servers name the calls of each answer ``call_0``."""
        turns = [[Call("issue_refund", {"order": order, "amount": 90.0}, "call_0")] for _ in range(2)]

        def decide() -> Any:
            return person.decide({"decision": "reject"}, order), person.decide({"decision": "approve"}, order)

        told, (first, second) = self.run(options, shop, *turns, meanwhile=decide)
        assert first != second
        assert [each.startswith("paid") for each in told] == [False, True]
        assert len(shop.ran) == 1

    @pytest.mark.parametrize("case", WRONG, ids=lambda case: case["name"])
    def test_no_other_answer_lets_a_call_run(self, options: Any, shop: Shop, order: str, case: Any) -> None:
        middle = Middle()
        middle.answer = lambda peer: peer.sendall(write(case["answer"]))
        [told] = self.run({**options, "url": middle.url, "timeout": 0.6}, shop, [Call("look_up", {"order": order})])
        middle.close()
        assert "The call did not run: " in told
        assert shop.ran == []

    def test_without_the_service_nothing_runs(self, options: Any, shop: Shop, order: str) -> None:
        [told] = self.run({**options, "url": "http://127.0.0.1:9", "timeout": 0.5}, shop, [Call("look_up", {"order": order})])
        assert "does not answer" in told
        assert shop.ran == []

    @pytest.mark.parametrize("case", [case for case in NAMES if case["from"] == "framework" and "server" not in case])
    def test_a_call_is_named_as_everywhere(self, options: Any, person: Any, case: Any) -> None:
        ran: list[Any] = []
        parameters = ", ".join(f"{name}: str" for name in case["input"])
        scope: dict[str, Any] = {"ran": ran}
        exec(f'def {case["name"]}({parameters}) -> str:\n    """A tool."""\n    ran.append(1)\n    return "done"', scope)

        async def main() -> None:
            client = self.kind(**options, wait=0.0)
            await self.run_agent(client, [scope[case["name"]]], [[Call(case["name"], case["input"])]])

        asyncio.run(main())
        [row] = person.read("/api/v1/traces?limit=1")
        assert person.read(f"/api/v1/traces/{row['traceId']}")["outputDecision"]["action"] == case["action"]
