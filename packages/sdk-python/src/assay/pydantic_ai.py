"""Pydantic AI: a capability that asks before each tool of an agent runs.

``Agent(model, tools=[...], capabilities=[assay.pydantic_ai.guard_capability()])``
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic_ai import ApprovalRequired, ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from .action_names import name_call
from .client import Assay, AsyncAssay
from .endings import Outcome, judge
from .errors import AssayError, Held, explain


class AssayCapability(AbstractCapability[Any]):
    """Asks for every call at the moment it would run. A refusal is a failed result that the model reads.

    It covers functions, toolsets and tools of MCP servers. Tools that the provider runs, and functions that make the
    final output, are not called by the framework.

    ``on_hold="suspend"`` ends the run with ``DeferredToolRequests`` while a person decides. Go on with its results
    approved: the verdict is read from Assay, and what is still open ends the run once more.
    """

    def __init__(
        self,
        client: Assay | AsyncAssay | None = None,
        *,
        on_hold: Literal["wait", "suspend"] = "wait",
        read_only: frozenset[str] = frozenset(),
    ) -> None:
        self._client = (client or AsyncAssay()).for_coroutines()
        self._on_hold = on_hold
        self._read_only = read_only

    def get_ordering(self) -> CapabilityOrdering:
        """What other capabilities make of the arguments is asked for as well."""
        return CapabilityOrdering(position="innermost")

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        client, on_hold, read_only = self._client, self._on_hold, self._read_only

        class Guarded(WrapperToolset[Any]):
            async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> Any:
                async def run(arguments: Any) -> Any:
                    return await self.wrapped.call_tool(name, arguments, ctx, tool)

                options: dict[str, Any] = {"on_hold": on_hold, "read_only": name in read_only, "judge_error": _judge_error}
                try:
                    # Another run goes on with what is suspended, in the same conversation.
                    run_id = ctx.run_id if on_hold == "wait" else ctx.conversation_id
                    context = _describe(ctx, tool_args, run_id)
                    return await client.call(name, tool_args, run, context=context, **options)
                except Held as error:
                    raise ApprovalRequired({"assay": error.held["traceId"], "review": error.held["review"]}) from error
                except AssayError as error:
                    raise ToolFailed(explain(error)) from error

        return Guarded(toolset)


def guard_capability(client: Assay | AsyncAssay | None = None, **options: Any) -> AssayCapability:
    """Returns the capability for ``Agent``."""
    return AssayCapability(client, **options)


def _describe(ctx: RunContext[Any], arguments: dict[str, Any], run_id: str | None) -> dict[str, Any]:
    context: dict[str, Any] = {"prompt": ctx.prompt} if isinstance(ctx.prompt, str) and ctx.prompt else {}
    parts = [part for message in ctx.messages if isinstance(message, ModelRequest) for part in message.parts]
    said = [part.content for part in parts if isinstance(part, UserPromptPart)]
    context["prompts"] = [text for content in said for text in ([content] if isinstance(content, str) else content) if isinstance(text, str)]
    if ctx.conversation_id is not None:
        context["conversation_id"] = ctx.conversation_id
    if run_id is not None and ctx.tool_call_id is not None:
        # A call that is carried out again, as by a durable run, is the same decision.
        earlier = sum(getattr(part, "tool_call_id", None) == ctx.tool_call_id for part in parts)
        context.update(run_id=run_id, call_id=name_call(ctx.tool_call_id, arguments, earlier))
    return context


def _judge_error(error: Exception) -> Outcome:
    """The framework's time-out of a tool asks the model to try again, and hides what it was raised from."""
    hidden = error.__context__
    return judge(hidden) if isinstance(error, ModelRetry) and hidden is not None else "failed"
