"""Strands Agents: a plugin that asks before each tool of an agent runs.

``Agent(tools=[...], plugins=[assay.strands.guard_plugin()])``
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from strands import Agent
from strands.middleware import ExecuteToolStage
from strands.plugins import Plugin
from strands.types.events import ToolResultEvent
from strands.types.tools import AgentTool

from .action_names import name_call
from .client import Assay, AsyncAssay
from .errors import AssayError, Withdrawn, explain

#: Seconds between two looks at whether the agent was cancelled.
LOOK = 0.2


class ToolFailed(Exception):
    """The tool's own failure, which its result has told already."""


class AssayPlugin(Plugin):
    """Asks for every call at the moment it would run. A refusal is an error result that the model reads."""

    def __init__(self, client: Assay | AsyncAssay | None = None, *, read_only: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self._client = (client or AsyncAssay()).for_coroutines()
        self._read_only = read_only

    @property
    def name(self) -> str:
        return "assay"

    def init_agent(self, agent: Agent) -> None:
        async def put_guard(context: Any, proceed: Any) -> AsyncGenerator[Any, None]:
            tool = context.tool
            # The model's final output is a call only by its form.
            is_act = tool is not None and tool.tool_type != "structured_output"
            async for event in proceed(context.replace(tool=self._guard(tool)) if is_act else context):
                yield event

        agent.add_middleware(ExecuteToolStage, put_guard)

    def _guard(self, tool: AgentTool) -> Any:
        """Returns the same tool, which asks first. It stands innermost: what hooks make of the arguments is asked for."""

        async def stream(tool_use: Any, state: dict[str, Any], **more: Any) -> AsyncGenerator[Any, None]:
            async def run(arguments: Any) -> AsyncGenerator[Any, None]:
                event: Any = None
                use: Any = {**tool_use, "input": arguments}
                async for event in tool.stream(use, state, **more):
                    yield event
                result = event.tool_result if isinstance(event, ToolResultEvent) else event
                if not isinstance(result, dict) or result.get("status") != "success":
                    raise ToolFailed from getattr(event, "exception", None)

            result: ToolResultEvent | None = None
            try:
                context = _describe(tool_use, state)
                options: dict[str, Any] = {"context": context, "read_only": tool.tool_name in self._read_only, "read_result": _read_result}
                call = self._client.call(tool.tool_name, tool_use["input"], run, **options)
                within = more.get("_tool_context") or state["agent"]
                async with aclosing(await _await_unless(call, within.cancel_signal)) as events:
                    async for event in events:
                        # The framework leaves at the result: it is told once the outcome is recorded.
                        if isinstance(event, ToolResultEvent):
                            result = event
                        else:
                            yield event
            except ToolFailed:
                pass
            except AssayError as error:
                content: Any = [{"text": explain(error)}]
                result = ToolResultEvent({"toolUseId": tool_use["toolUseId"], "status": "error", "content": content})
            if result is not None:
                yield result

        guarded: Any = copy.copy(tool)
        guarded.stream = stream
        return guarded


def guard_plugin(client: Assay | AsyncAssay | None = None, **options: Any) -> AssayPlugin:
    """Returns the plugin for ``Agent``."""
    return AssayPlugin(client, **options)


def _read_result(events: Any) -> Any:
    """What the model reads: texts, and values of JSON."""
    results = [event.tool_result for event in events if isinstance(event, ToolResultEvent)] if isinstance(events, list) else []
    blocks = [block.get("json", block.get("text")) for result in results for block in result["content"]]
    return blocks[0] if len(blocks) == 1 else blocks


def _describe(tool_use: Any, state: dict[str, Any]) -> dict[str, Any]:
    """A call that a hook makes again, within a cycle of the agent, is the same decision."""
    cycle = state.get("event_loop_cycle_id")
    said = [block["text"] for message in state["messages"] if message["role"] == "user" for block in message["content"] if "text" in block]
    context: dict[str, Any] = {"prompt": said[-1], "prompts": said} if said else {}
    if cycle is not None:
        context.update(run_id=str(cycle), call_id=name_call(tool_use["toolUseId"], tool_use["input"], 0))
    return context


async def _await_unless(call: Any, cancelled: Any) -> Any:
    """Waits for a call to begin. An agent that is cancelled meanwhile waits no more: the request is withdrawn."""
    asked = asyncio.ensure_future(call)
    try:
        while not asked.done():
            await asyncio.wait({asked}, timeout=LOOK)
            if cancelled.is_set() and asked.cancel():
                await asyncio.wait({asked})
    except asyncio.CancelledError:
        asked.cancel()
        await asyncio.wait({asked})
        raise
    if asked.cancelled():
        raise Withdrawn("The agent was cancelled", code="CANCELLED")
    return asked.result()
