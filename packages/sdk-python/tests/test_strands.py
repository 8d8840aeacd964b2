"""Strands Agents in its released version, with a model that says what a test wants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from behaviour import PROMPT, AdapterBehaviour, Call, Shop
from strands import Agent, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent
from strands.models import Model

from assay import Assay, AsyncAssay
from assay.strands import guard_plugin


class FakeModel(Model):
    def __init__(self, turns: list[list[Call]]) -> None:
        self._turns = iter(turns)

    def update_config(self, **more: Any) -> None: ...

    def get_config(self) -> Any:
        return {}

    async def structured_output(self, *args: Any, **more: Any) -> Any:
        raise NotImplementedError
        yield

    async def stream(self, *args: Any, **more: Any) -> AsyncIterator[Any]:
        calls = next(self._turns, [])
        yield {"messageStart": {"role": "assistant"}}
        for call in calls:
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": call.id, "name": call.tool}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(call.arguments)}}}}
            yield {"contentBlockStop": {}}
        if not calls:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}


def make_agent(client: Any, tools: list[Any], turns: list[list[Call]], **more: Any) -> Agent:
    return Agent(FakeModel(turns), tools=[tool(each) for each in tools], plugins=[guard_plugin(client)], callback_handler=None, **more)


def read_results(agent: Agent) -> list[str]:
    blocks = [block for message in agent.messages for block in message["content"] if "toolResult" in block]
    return [block["toolResult"]["content"][0]["text"] for block in blocks]


class TestStrands(AdapterBehaviour):
    async def run_agent(self, client: AsyncAssay, tools: list[Any], turns: list[list[Call]]) -> list[str]:
        agent = make_agent(client, tools, turns)
        await agent.invoke_async(PROMPT)
        return read_results(agent)


def test_a_hook_that_has_a_tool_run_again_does_not_run_it_twice(options: Any, person: Any) -> None:
    shop = Shop()
    call = Call("ship", {"order": f"A-{uuid4().hex[:8]}-bad"})
    agent = make_agent(Assay(**options), shop.list_tools(), [[call]])
    tries: list[Any] = []

    def again(event: AfterToolCallEvent) -> None:
        tries.append(event.result)
        event.retry = len(tries) == 1

    agent.hooks.add_callback(AfterToolCallEvent, again)
    agent("ship")
    assert len(tries) == 2
    assert "The call did not run" in read_results(agent)[0]
    assert len(shop.ran) == 1


def test_what_a_hook_makes_of_the_arguments_is_asked_for(options: Any, person: Any) -> None:
    shop = Shop()
    agent = make_agent(Assay(**options), shop.list_tools(), [[Call("look_up", {"order": "A-3"})]])

    def change(event: BeforeToolCallEvent) -> None:
        event.tool_use["input"] = {"order": "A-3-changed"}

    agent.hooks.add_callback(BeforeToolCallEvent, change)
    agent("look")
    [row] = person.read("/api/v1/traces?limit=1")
    assert row["outputDecision"]["action"]["arguments"] == {"order": "A-3-changed"}
    assert shop.ran == [{"seen": "A-3-changed"}]


def test_an_agent_that_is_cancelled_withdraws(options: Any, person: Any) -> None:
    shop = Shop()
    call = Call("issue_refund", {"amount": 90.0})
    call.arguments["order"] = call.id
    agent = make_agent(Assay(**options), shop.list_tools(), [[call]])

    async def main() -> Any:
        running = asyncio.ensure_future(agent.invoke_async("refund"))
        held = await asyncio.to_thread(person.await_held, call.id)
        agent.cancel()
        result = await asyncio.wait_for(running, 10)
        return result.stop_reason, held["traceId"]

    stop_reason, trace_id = asyncio.run(main())
    assert (stop_reason, shop.ran) == ("cancelled", [])
    assert person.read(f"/api/v1/traces/{trace_id}")["review"]["status"] == "withdrawn"


def test_a_tool_that_the_application_calls_is_asked_for_too(options: Any) -> None:
    shop = Shop()
    agent = make_agent(Assay(**options), shop.list_tools(), [])
    result = agent.tool.wire(order="A-4")
    assert result["status"] == "error" and "No wires" in result["content"][0]["text"]
    assert agent.tool.look_up(order="A-4")["status"] == "success"
    assert shop.ran == [{"seen": "A-4"}]


@pytest.mark.parametrize(("last", "state"), [("done", "succeeded"), (None, "failed")])
def test_a_tool_that_streams_tells_what_it_does_meanwhile(options: Any, person: Any, last: str | None, state: str) -> None:
    async def ship(order: str) -> Any:
        """Ships an order."""
        yield "half way"
        if last is None:
            raise ValueError("it broke")
        yield last

    call = Call("ship", {})
    call.arguments["order"] = call.id
    told: list[Any] = []

    async def main() -> None:
        agent = make_agent(AsyncAssay(**options), [ship], [[call]])
        async for event in agent.stream_async("ship"):
            if "tool_stream_event" in event:
                told.append(event["tool_stream_event"]["data"])

    asyncio.run(main())
    assert told == ["half way", *([last] if last else [])]
    [row] = person.read("/api/v1/traces?limit=1")
    assert [each["state"] for each in person.read(f"/api/v1/traces/{row['traceId']}/executions")] == [state]
