"""Google's Agent Development Kit: tools that ask before they run.

``Agent(..., tools=assay.google_adk.guard_tools([issue_refund, McpToolset(...)]))``
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext

from .action_names import name_call
from .client import Assay, AsyncAssay
from .endings import Outcome, judge_result
from .errors import AssayError, explain

Tool = Callable[..., Any] | BaseTool | BaseToolset


def guard_tools(
    tools: Iterable[Tool], client: Assay | AsyncAssay | None = None, *, read_only: frozenset[str] = frozenset()
) -> list[Any]:
    """Returns the same tools and toolsets, which ask at the moment they would run, after all callbacks of the framework.

    A refusal is a response with an ``error`` that the model reads. Raises ``TypeError`` for what is run in a way that
    cannot be asked for: asynchronous generators, and nodes of workflows. Give those a guarded function.
    """
    assay = (client or AsyncAssay()).for_coroutines()

    def guard(tool: Any) -> Any:
        if isinstance(tool, BaseToolset):
            return _guard_toolset(tool, guard)
        if inspect.isroutine(tool):
            tool = FunctionTool(tool)
        if not isinstance(tool, BaseTool) or inspect.isasyncgenfunction(getattr(tool, "func", None)):
            raise TypeError(f"guard_tools takes functions, tools and toolsets: {tool!r}")
        return _guard_tool(tool, assay, tool.name in read_only)

    return [guard(tool) for tool in tools]


def _guard_toolset(toolset: BaseToolset, guard: Callable[[BaseTool], Any]) -> Any:
    async def get_tools_with_prefix(*args: Any, **more: Any) -> list[Any]:
        return [guard(tool) for tool in await toolset.get_tools_with_prefix(*args, **more)]

    guarded: Any = copy.copy(toolset)
    guarded.get_tools_with_prefix = get_tools_with_prefix
    return guarded


def _guard_tool(tool: BaseTool, assay: AsyncAssay, read_only: bool) -> Any:
    async def run_async(*, args: dict[str, Any], tool_context: ToolContext) -> Any:
        async def run(arguments: Any) -> Any:
            return await tool.run_async(args=arguments, tool_context=tool_context)

        try:
            options: dict[str, Any] = {"context": _describe(tool_context, args), "read_only": read_only}
            return await assay.call(tool.name, args, run, judge_result=_judge_result, **options)
        except AssayError as error:
            return {"error": explain(error)}

    guarded: Any = copy.copy(tool)
    guarded.run_async = run_async
    return guarded


def _describe(tool_context: ToolContext, arguments: dict[str, Any]) -> dict[str, Any]:
    """A call of a run that is resumed is the same decision. Some models use the same ids in each answer."""
    run_id, call_id, session = tool_context.invocation_id, tool_context.function_call_id, tool_context.session
    context: dict[str, Any] = {"conversation_id": session.id}
    parts = (tool_context.user_content and tool_context.user_content.parts) or []
    said = "\n".join(part.text for part in parts if part.text)
    if said:
        context["prompt"] = said
    contents = [event.content for event in session.events if event.author == "user"]
    texts = [part.text for content in contents for part in ((content and content.parts) or []) if part.text]
    context["prompts"] = [*texts, said]
    if call_id:
        events = [event for event in session.events if event.invocation_id == run_id]
        earlier = sum(answer.id == call_id for event in events for answer in event.get_function_responses())
        context.update(run_id=run_id, call_id=name_call(call_id, arguments, earlier))
    return context


def _judge_result(result: Any) -> Outcome:
    """The framework tells the model of wrong arguments, and of servers that failed, by a member ``error``."""
    return "failed" if isinstance(result, dict) and result.get("error") else judge_result(result)
