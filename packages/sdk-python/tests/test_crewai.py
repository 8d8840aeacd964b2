"""CrewAI in its released version, with a model that says what a test wants."""

from __future__ import annotations

import _thread
import asyncio
import json
import os
import threading
from typing import Any
from uuid import uuid4

import pytest

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false", OTEL_SDK_DISABLED="true")

from behaviour import PROMPT, AdapterBehaviour, Call, Shop
from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from crewai.tools import BaseTool, tool
from crewai.utilities.string_utils import sanitize_tool_name

import assay
from assay import Assay
from assay.crewai import guard_tools


class FakeModel(BaseLLM):
    """Calls tools as providers do, or in words, as models do that cannot call."""

    turns: Any
    in_words: bool = False
    read: list[str] = []

    def supports_function_calling(self) -> bool:
        return not self.in_words

    def call(self, messages: Any, *args: Any, **more: Any) -> Any:
        self.read = [str(said["content"]) for said in messages if said["role"] == "tool"]
        calls = next(self.turns, [])
        if not calls:
            return "Thought: I know it\nFinal Answer: done" if self.in_words else "done"
        if self.in_words:
            [call] = calls
            return f"Thought: go\nAction: {call.tool}\nAction Input: {json.dumps(call.arguments)}"
        named = [(call, {"name": sanitize_tool_name(call.tool), "arguments": json.dumps(call.arguments)}) for call in calls]
        return [{"id": call.id, "type": "function", "function": function} for call, function in named]


def make_crew(tools: list[BaseTool], turns: list[list[Call]], **more: Any) -> tuple[Crew, FakeModel]:
    model = FakeModel(model="fake", turns=iter(turns), **more)
    agent = Agent(role="till", goal="g", backstory="b", llm=model, tools=tools, cache=True)
    return Crew(agents=[agent], tasks=[Task(description=PROMPT, expected_output="done", agent=agent)]), model


class TestCrewAi(AdapterBehaviour):
    kind = Assay

    async def run_agent(self, client: Assay, tools: list[Any], turns: list[list[Call]]) -> list[str]:
        crew, model = make_crew(guard_tools([tool(each) for each in tools], client), turns)
        with assay.run(prompt=PROMPT):
            await crew.kickoff_async()
        return model.read

    def test_a_run_that_is_cancelled_while_it_waits_withdraws(
        self, options: Any, person: Any, shop: Shop, order: str
    ) -> None:
        """CrewAI runs tools in threads, which nothing can cancel: a run that is interrupted ends with their waits."""
        call = Call("issue_refund", {"order": order, "amount": 90.0})
        tools = guard_tools([tool(each) for each in shop.list_tools()], Assay(**options, wait=2.0))
        crew, _ = make_crew(tools, [[call]])
        held: list[Any] = []

        def interrupt() -> None:
            held.append(person.await_held(order))
            _thread.interrupt_main()

        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            crew.kickoff()
        assert shop.ran == []
        assert person.read(f"/api/v1/traces/{held[0]['traceId']}")["review"]["status"] == "withdrawn"


@pytest.mark.parametrize("in_words", [True, False])
def test_an_error_is_not_tried_again_by_the_framework(options: Any, person: Any, in_words: bool) -> None:
    shop = Shop()
    order = f"A-{uuid4().hex[:8]}-lost"
    tools = guard_tools([tool(each) for each in shop.list_tools()], Assay(**options))
    make_crew(tools, [[Call("ship", {"order": order})]], in_words=in_words)[0].kickoff()
    assert shop.ran == [{"shipped": order}]
    [row] = [row for row in person.read("/api/v1/traces?limit=20") if order in str(row["outputDecision"])]
    assert [each["state"] for each in person.read(f"/api/v1/traces/{row['traceId']}/executions")] == ["unknown"]


def test_a_refusal_is_not_kept_for_the_next_call(options: Any, person: Any) -> None:
    shop = Shop()
    order = f"A-{uuid4().hex[:8]}"
    call = {"order": order, "amount": 90.0}
    tools = guard_tools([tool(each) for each in shop.list_tools()], Assay(**options))
    between = Call("look_up", {"order": order})
    crew, _ = make_crew(tools, [[Call("issue_refund", call)], [between], [Call("issue_refund", call)]])

    def decide() -> None:
        person.decide({"decision": "reject"}, order)
        person.decide({"decision": "approve"}, order)

    deciding = threading.Thread(target=decide)
    deciding.start()
    crew.kickoff()
    deciding.join()
    assert shop.ran == [{"seen": order}, call]


def test_a_tool_that_is_a_class_keeps_its_types_and_is_called_in_both_ways(options: Any, person: Any) -> None:
    ran: list[Any] = []

    class Ship(BaseTool):
        name: str = "Ship an order"
        description: str = "Ships"

        def _run(self, order: str, count: int = 1) -> str:
            ran.append((order, count))
            return "shipped"

        async def _arun(self, order: str, count: int = 1) -> str:
            return self._run(order, count)

    [guarded] = guard_tools([Ship()], Assay(**options))
    assert guarded.run(order="A-1") == "shipped"
    assert asyncio.run(guarded.arun(order="A-2", count=2)) == "shipped"
    assert ran == [("A-1", 1), ("A-2", 2)]
    rows = person.read("/api/v1/traces?limit=2")
    assert [row["outputDecision"]["action"]["tool"] for row in rows] == ["Ship an order", "Ship an order"]
    with pytest.raises(TypeError, match="tools of CrewAI"):
        guard_tools([len], Assay(**options))  # type: ignore[list-item]
