"""Google's Agent Development Kit in its released version, with a model that says what a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from behaviour import PROMPT, AdapterBehaviour, Call, Shop
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from assay import Assay, AsyncAssay
from assay.google_adk import guard_tools


class FakeModel(BaseLlm):
    turns: Any

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        calls = next(self.turns, [])
        parts = [
            types.Part(function_call=types.FunctionCall(id=call.id, name=call.tool, args=call.arguments)) for call in calls
        ]
        content = types.Content(role="model", parts=parts or [types.Part(text="done")])
        yield LlmResponse(content=content)


def make_runner(tools: list[Any], turns: list[list[Call]], **more: Any) -> InMemoryRunner:
    model = FakeModel(model="fake", turns=iter(turns))
    return InMemoryRunner(LlmAgent(name="till", model=model, tools=tools, **more), app_name="shop")


async def read_responses(runner: InMemoryRunner) -> list[str]:
    session = await runner.session_service.create_session(app_name="shop", user_id="ada")
    said = types.Content(role="user", parts=[types.Part(text=PROMPT)])
    told: list[str] = []
    async for event in runner.run_async(user_id="ada", session_id=session.id, new_message=said):
        answers = event.get_function_responses()
        told.extend(str(answer.response.get("result", answer.response.get("error"))) for answer in answers)
    return told


class TestGoogleAdk(AdapterBehaviour):
    async def run_agent(self, client: AsyncAssay, tools: list[Any], turns: list[list[Call]]) -> list[str]:
        return await read_responses(make_runner(guard_tools(tools, client), turns))


def test_the_framework_s_callbacks_stand_before_the_question(options: Any, person: Any) -> None:
    def change(tool: BaseTool, args: dict[str, Any], tool_context: Any) -> dict[str, Any] | None:
        if args["order"] == "stop":
            return {"result": "stopped by the application"}
        args["order"] = f"{args['order']}-changed"
        return None

    shop = Shop()
    order = f"A-{uuid4().hex[:8]}"
    calls = [Call("look_up", {"order": order}), Call("look_up", {"order": "stop"})]
    tools = guard_tools(shop.list_tools(), Assay(**options))
    told = asyncio.run(read_responses(make_runner(tools, [calls], before_tool_callback=change)))
    assert told == ["found", "stopped by the application"]
    [row] = person.read("/api/v1/traces?limit=1")
    assert row["outputDecision"]["action"]["arguments"] == {"order": f"{order}-changed"}
    assert shop.ran == [{"seen": f"{order}-changed"}]


def test_arguments_that_are_missing_are_a_failure(options: Any, person: Any) -> None:
    shop = Shop()
    [told] = asyncio.run(read_responses(make_runner(guard_tools(shop.list_tools(), Assay(**options)), [[Call("ship", {})]])))
    assert "mandatory input parameters" in told
    [row] = person.read("/api/v1/traces?limit=1")
    assert [each["state"] for each in person.read(f"/api/v1/traces/{row['traceId']}/executions")] == ["failed"]


def test_tools_of_a_toolset_ask_under_the_names_that_the_model_knows(options: Any, person: Any) -> None:
    shop = Shop()

    class Toolset(BaseToolset):
        async def get_tools(self, readonly_context: Any = None) -> list[BaseTool]:
            return [FunctionTool(tool) for tool in shop.list_tools()]

    order = f"A-{uuid4().hex[:8]}"
    tools = guard_tools([Toolset(tool_name_prefix="shop")], Assay(**options))
    assert asyncio.run(read_responses(make_runner(tools, [[Call("shop_look_up", {"order": order})]]))) == ["found"]
    [row] = person.read("/api/v1/traces?limit=1")
    assert row["outputDecision"]["action"] == {"tool": "shop_look_up", "arguments": {"order": order}}


def test_what_cannot_be_asked_for_is_refused(options: Any) -> None:
    async def watch(order: str) -> AsyncIterator[str]:
        """Tells of an order."""
        yield order

    for tool in (watch, FunctionTool(watch), make_runner([], []).agent, "a name"):
        with pytest.raises(TypeError, match="functions, tools and toolsets"):
            guard_tools([tool], AsyncAssay(**options))  # type: ignore[list-item]


def test_a_confirmation_of_the_framework_comes_first_and_does_not_stand_for_an_approval(options: Any, person: Any) -> None:
    shop = Shop()
    wire = shop.list_tools()[2]
    order = f"A-{uuid4().hex[:8]}"
    tools = guard_tools([FunctionTool(wire, require_confirmation=True)], Assay(**options))
    runner = make_runner(tools, [[Call("wire", {"order": order})]])

    def list_asked() -> list[Any]:
        return [row for row in person.read("/api/v1/traces?limit=5") if order in str(row["outputDecision"])]

    async def main() -> list[str]:
        session = await runner.session_service.create_session(app_name="shop", user_id="ada")

        async def say(part: types.Part) -> list[Any]:
            message = types.Content(role="user", parts=[part])
            return [event async for event in runner.run_async(user_id="ada", session_id=session.id, new_message=message)]

        events = await say(types.Part(text=PROMPT))
        [asked] = [call for event in events for call in event.get_function_calls() if "confirmation" in call.name]
        assert list_asked() == []
        answer = types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": True})
        events = await say(types.Part(function_response=answer))
        return [str(response.response) for event in events for response in event.get_function_responses()]

    told = asyncio.run(main())
    assert len(list_asked()) == 1
    assert any("No wires" in each for each in told)
    assert shop.ran == []
