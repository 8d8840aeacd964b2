"""The OpenAI Agents SDK in its released version, with a model that says what a test wants."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest
from agents import Agent, FunctionTool, Model, ModelResponse, Runner, RunState, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from assay import AsyncAssay
from assay.openai_agents import guard_tool, settle

set_tracing_disabled(True)
ran: list[dict[str, Any]] = []


@function_tool
def issue_refund(order: str, amount: float) -> str:
    """Pays money back."""
    ran.append({"order": order, "amount": amount})
    return f"paid {amount}"


class FakeModel(Model):
    def __init__(self, order: str, call_id: str | None = None) -> None:
        arguments = json.dumps({"order": order, "amount": 90.0})
        call = ResponseFunctionToolCall(
            arguments=arguments, call_id=call_id or f"call-{order}", name="issue_refund", type="function_call"
        )
        text = ResponseOutputText(annotations=[], text="done", type="output_text")
        said = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        self._answers = [call, said]

    async def get_response(self, *args: Any, **more: Any) -> ModelResponse:
        return ModelResponse(output=[self._answers.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **more: Any) -> Any:
        raise NotImplementedError


@pytest.fixture(autouse=True)
def fresh() -> None:
    ran.clear()


@pytest.fixture
def order() -> str:
    return f"A-{uuid4().hex[:8]}"


def read_output(result: Any) -> str:
    return next(str(item.output) for item in result.new_items if item.type == "tool_call_output_item")


def make_agent(order: str, tool: FunctionTool) -> Agent[Any]:
    return Agent("till", model=FakeModel(order), tools=[tool])


def test_a_held_call_waits_and_runs_once(options: Any, person: Any, order: str) -> None:
    async def main() -> Any:
        agent = make_agent(order, guard_tool(issue_refund, AsyncAssay(**options)))
        running = asyncio.create_task(Runner.run(agent, "refund"))
        trace_id = await asyncio.to_thread(person.decide, {"decision": "approve"}, order)
        return trace_id, await running

    trace_id, result = asyncio.run(main())
    assert (read_output(result), len(ran)) == ("paid 90.0", 1)
    assert [row["state"] for row in person.read(f"/api/v1/traces/{trace_id}/executions")] == ["succeeded"]


def test_a_rejected_call_is_an_output_that_says_so(options: Any, person: Any, order: str) -> None:
    async def main() -> Any:
        running = asyncio.create_task(Runner.run(make_agent(order, guard_tool(issue_refund, AsyncAssay(**options))), "x"))
        await asyncio.to_thread(person.decide, {"decision": "reject"}, order)
        return await running

    assert "APPROVAL_REJECTED" in read_output(asyncio.run(main()))
    assert ran == []


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_a_run_is_suspended_kept_and_resumed(options: Any, person: Any, order: str, decision: str) -> None:
    async def main() -> Any:
        client = AsyncAssay(**options)
        agent = make_agent(order, guard_tool(issue_refund, client, on_hold="suspend"))
        stopped = await Runner.run(agent, "refund")
        kept = stopped.to_state().to_string()
        state = await RunState.from_string(agent, kept)
        assert len(await settle(state, state.get_interruptions(), client)) == 1
        await asyncio.to_thread(person.decide, {"decision": decision}, order)
        assert await settle(state, state.get_interruptions(), client) == []
        return await Runner.run(agent, state)

    output = read_output(asyncio.run(main()))
    assert ("paid" in output) == (decision == "approve")
    assert len(ran) == (1 if decision == "approve" else 0)


def test_a_state_that_was_approved_by_hand_does_not_run(options: Any, person: Any, order: str) -> None:
    async def main() -> Any:
        agent = make_agent(order, guard_tool(issue_refund, AsyncAssay(**options), on_hold="suspend"))
        state = (await Runner.run(agent, "refund")).to_state()
        for item in state.get_interruptions():
            state.approve(item)
        return await Runner.run(agent, state)

    assert "[HELD]" in read_output(asyncio.run(main()))
    assert ran == []


def test_an_id_that_comes_back_is_asked_for_again(options: Any, person: Any, order: str) -> None:
    """As some servers name their calls: ``call_0`` in each answer."""

    async def main() -> list[str]:
        client = AsyncAssay(**options)
        asked = []
        for _ in range(2):
            agent = Agent("till", model=FakeModel(order, "call_0"), tools=[guard_tool(issue_refund, client)])
            running = asyncio.create_task(Runner.run(agent, "refund"))
            asked.append(await asyncio.to_thread(person.decide, {"decision": "approve"}, order))
            await running
        return asked

    asked = asyncio.run(main())
    assert (len(set(asked)), len(ran)) == (2, 2)


def test_a_suspended_call_of_an_id_that_came_before_does_not_run_without_its_own_decision(
    options: Any, person: Any, order: str
) -> None:
    async def main() -> list[str]:
        client = AsyncAssay(**options)
        outputs = []
        for prompt in ("refund", "refund once more"):
            tool = guard_tool(issue_refund, client, on_hold="suspend")
            agent = Agent("till", model=FakeModel(order, "call_0"), tools=[tool])
            state = (await Runner.run(agent, prompt)).to_state()
            await asyncio.to_thread(person.decide, {"decision": "approve"}, order)
            assert await settle(state, state.get_interruptions(), client) == []
            outputs.append(read_output(await Runner.run(agent, state)))
        return outputs

    assert asyncio.run(main()) == ["paid 90.0", "paid 90.0"]
    rows = [row for row in person.read("/api/v1/traces?limit=50") if order in str(row["outputDecision"])]
    assert (len(rows), len(ran)) == (2, 2)
