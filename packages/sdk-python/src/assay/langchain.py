"""LangChain and LangGraph: a middleware that asks for each call of a tool.

``create_agent(model, tools, middleware=[assay.langchain.guard_middleware()])``
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from langchain.agents.middleware import AgentMiddleware
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.types import Command, interrupt

from .action_names import name_call
from .answers import Verdict
from .client import Assay, AsyncAssay
from .context import get_context
from .endings import Outcome
from .errors import AssayError, Held, explain, is_explanation

Result = ToolMessage | Command[Any]


class AssayMiddleware(AgentMiddleware[Any, Any]):
    """Asks for every call at the moment it would run. A refusal becomes a message of the tool, with its reason.

    ``on_hold="interrupt"`` suspends the graph while a person decides. Resume it with any value: the verdict is read
    from Assay, so parallel calls cannot get each other's, and no caller can invent one.
    """

    def __init__(
        self,
        client: Assay | AsyncAssay | None = None,
        *,
        on_hold: Literal["wait", "interrupt"] = "wait",
        read_only: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self._client = client or Assay()
        self._on_hold = on_hold
        self._read_only = read_only

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        client = self._client
        if isinstance(client, AsyncAssay):
            raise TypeError("An AsyncAssay serves ainvoke and astream: give the middleware an Assay for invoke")

        def run(arguments: Any) -> Result:
            return handler(_replace(request, arguments))

        try:
            name, arguments, options = self._describe(request)
            try:
                return client.call(name, arguments, run, **options)
            except Held as error:
                held = error.held
            while client.wait(held["traceId"], 0).status == "pending":
                interrupt(_to_question(held))
            return client.resume_call(held, run, judge_result=_judge_result, read_result=_read_result)
        except AssayError as error:
            return _to_message(request, error)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        client = self._client.for_coroutines() if isinstance(self._client, Assay) else self._client

        async def run(arguments: Any) -> Result:
            return await handler(_replace(request, arguments))

        try:
            name, arguments, options = self._describe(request)
            try:
                return await client.call(name, arguments, run, **options)
            except Held as error:
                held = error.held
            verdict: Verdict = await client.wait(held["traceId"], 0)
            while verdict.status == "pending":
                interrupt(_to_question(held))
                verdict = await client.wait(held["traceId"], 0)
            return await client.resume_call(held, run, judge_result=_judge_result, read_result=_read_result)
        except AssayError as error:
            return _to_message(request, error)

    def _describe(self, request: ToolCallRequest) -> tuple[str, Any, dict[str, Any]]:
        call = request.tool_call
        name = call["name"]
        context: dict[str, Any] = {}
        thread = _find_thread(request)
        if thread is not None:
            context["conversation_id"] = thread
        if thread is not None and call.get("id"):
            # A node that runs again asks for the same decision.
            earlier = _count_results(request.state, call["id"])
            context.update(run_id=thread, call_id=name_call(call["id"], call["args"], earlier))
        said = [str(message.text) for message in _list_messages(request.state) if isinstance(message, HumanMessage)]
        if said:
            context["prompts"] = said
        tokens = _count_tokens(request)
        if tokens is not None:
            context["metadata"] = {"tokens": tokens, **get_context().get("metadata", {})}
        on_hold = "suspend" if self._on_hold == "interrupt" else "wait"
        options = {"on_hold": on_hold, "read_only": name in self._read_only, "context": context}
        return name, call["args"], {**options, "judge_result": _judge_result, "read_result": _read_result}


def guard_middleware(client: Assay | AsyncAssay | None = None, **options: Any) -> AssayMiddleware:
    """Returns the middleware for ``create_agent``."""
    return AssayMiddleware(client, **options)


def _find_thread(request: ToolCallRequest) -> str | None:
    config = getattr(request.runtime, "config", None) or {}
    thread = config.get("configurable", {}).get("thread_id")
    return None if thread is None else str(thread)


def _judge_result(result: Any) -> Outcome:
    """A message says itself that its tool failed."""
    return "failed" if isinstance(result, ToolMessage) and result.status == "error" else "succeeded"


def _read_result(result: Any) -> Any:
    """What the model reads of a message."""
    return result.content if isinstance(result, ToolMessage) else result


def _count_results(state: Any, call_id: str) -> int:
    """Some models use the same ids in each answer."""
    messages = _list_messages(state)
    return sum(isinstance(message, ToolMessage) and message.tool_call_id == call_id for message in messages)


def _list_messages(state: Any) -> list[Any]:
    if isinstance(state, list):
        return state
    return list(state.get("messages", []) if isinstance(state, dict) else getattr(state, "messages", []))


def _count_tokens(request: ToolCallRequest) -> int | None:
    """Counts what the model has used since the last decision that let a call go on.

    It is said of the first call of a message. None: a message does not say what it used.
    """
    call_id, tokens, has_run, is_found = request.tool_call["id"], 0, False, False
    for message in reversed(_list_messages(request.state)):
        if isinstance(message, ToolMessage) and is_found:
            has_run = has_run or message.status != "error" or not is_explanation(message.content)
        if not isinstance(message, AIMessage):
            continue
        ids = [call["id"] for call in message.tool_calls]
        if not is_found and call_id not in ids:
            continue
        if not is_found and ids[0] != call_id:
            return 0
        if has_run and ids:
            break
        if message.usage_metadata is None:
            return None
        is_found = True
        tokens += message.usage_metadata["total_tokens"]
    return tokens if is_found else None


def _replace(request: ToolCallRequest, arguments: Any) -> ToolCallRequest:
    return request.override(tool_call={**request.tool_call, "args": arguments})


def _to_question(held: dict[str, Any]) -> dict[str, Any]:
    """What the caller of the graph sees: where a person decides, and about what."""
    return {"assay": held["traceId"], "tool": held["action"]["tool"], "review": held["review"]}


def _to_message(request: ToolCallRequest, error: AssayError) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(explain(error), tool_call_id=call["id"], name=call["name"], status="error")
