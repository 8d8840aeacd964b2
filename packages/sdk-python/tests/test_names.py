"""The same call posts the same action through every adapter, as the shared table of names says."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from agents import FunctionTool
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import ToolMessage

from assay import AsyncAssay
from assay.claude import guard_hooks
from assay.langchain import guard_middleware
from assay.mcp import guard_session
from assay.openai_agents import guard_tool

NAMES = json.loads((Path(__file__).parents[3] / "test/vectors/sdk/names.json").read_text(encoding="utf-8"))["names"]


async def call_mcp(client: AsyncAssay, case: Any) -> None:
    async def call_tool(name: str, arguments: Any) -> Any:
        return SimpleNamespace(is_error=False)

    session = SimpleNamespace(call_tool=call_tool, server_info=SimpleNamespace(name=case.get("server")))
    guarded = guard_session(session, client)  # type: ignore[arg-type]
    await guarded.call_tool(case["name"], case["input"])


async def call_claude(client: AsyncAssay, case: Any) -> None:
    use_id = uuid4().hex
    event = {"hook_event_name": "PreToolUse", "session_id": use_id, "tool_name": case["name"], "tool_input": case["input"]}
    hooks: Any = guard_hooks(client, wait=0.05)
    await hooks["PreToolUse"][0].hooks[0]({**event, "cwd": case.get("cwd")}, use_id, {"signal": None})
    done = {**event, "hook_event_name": "PostToolUse", "tool_response": "done"}
    await hooks["PostToolUse"][0].hooks[0](done, use_id, {"signal": None})


async def call_langchain(client: AsyncAssay, case: Any) -> None:
    async def handle(request: ToolCallRequest) -> Any:
        return ToolMessage("done", tool_call_id=request.tool_call["id"])

    call: Any = {"type": "tool_call", "id": uuid4().hex, "name": case["name"], "args": case["input"]}
    request = ToolCallRequest(tool_call=call, tool=None, state={"messages": []}, runtime=SimpleNamespace(config={}))  # type: ignore[arg-type]
    await guard_middleware(client).awrap_tool_call(request, handle)


async def call_openai(client: AsyncAssay, case: Any) -> None:
    async def invoke(_context: Any, _text: str) -> str:
        return "done"

    tool = FunctionTool(name=case["name"], description="", params_json_schema={}, on_invoke_tool=invoke)
    context: Any = SimpleNamespace(turn_input=[], tool_call_id=uuid4().hex)
    await guard_tool(tool, client).on_invoke_tool(context, json.dumps(case["input"]))


ADAPTERS = [
    ("mcp", call_mcp),
    ("claude-agent-sdk", call_claude),
    ("framework", call_langchain),
    ("framework", call_openai),
]
# The adapters of frameworks know no server.
CASES = [
    pytest.param(call, case, id=f"{call.__name__}-{at}")
    for way, call in ADAPTERS
    for at, case in enumerate(NAMES)
    if case["from"] == way and (way == "mcp" or "server" not in case)
]


@pytest.mark.parametrize(("call", "case"), CASES)
def test_a_call_is_named_alike(options: Any, person: Any, call: Any, case: Any) -> None:
    asyncio.run(call(AsyncAssay(**options, wait=0.0), case))
    [row] = person.read("/api/v1/traces?limit=1")
    assert person.read(f"/api/v1/traces/{row['traceId']}")["outputDecision"]["action"] == case["action"]
