"""CrewAI: tools that ask before they run.

``Agent(..., tools=assay.crewai.guard_tools([issue_refund]))``
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable
from typing import Any

from crewai.tools import BaseTool
from crewai.tools.tool_failure import ToolFailure, failure_from_exception
from pydantic import PrivateAttr

from .client import Assay
from .endings import Outcome, judge_result
from .errors import AssayError, explain


class GuardedTool(BaseTool):
    """A tool that asks at the moment it would run.

    A refusal, and an error of the tool, is a failure that the model reads: CrewAI would try an error again by itself.
    """

    _tool: BaseTool = PrivateAttr()
    _client: Assay = PrivateAttr()
    _options: dict[str, Any] = PrivateAttr()

    def __init__(self, tool: BaseTool, client: Assay, options: dict[str, Any]) -> None:
        fields = {name: getattr(tool, name) for name in BaseTool.model_fields}

        def may_cache(arguments: Any, result: Any) -> bool:
            # What was refused may be approved next time.
            return not isinstance(result, ToolFailure) and tool.cache_function(arguments, result)

        super().__init__(**{**fields, "cache_function": may_cache})
        self._tool = tool
        self._client = client
        self._options = {**options, "judge_result": _judge_result}

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        def run(arguments: Any) -> Any:
            result = self._tool._run(**arguments)
            return asyncio.run(result) if inspect.iscoroutine(result) else result

        try:
            return self._client.call(self.name, self._name(args, kwargs), run, **self._options)
        except Exception as error:
            return _to_failure(error)

    async def _arun(self, *args: Any, **kwargs: Any) -> Any:
        async def run(arguments: Any) -> Any:
            return await self._tool._arun(**arguments)

        client = self._client.for_coroutines()
        try:
            return await client.call(self.name, self._name(args, kwargs), run, **self._options)
        except Exception as error:
            return _to_failure(error)

    def _name(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by their names."""
        return {**dict(zip(self.args_schema.model_fields, args, strict=False)), **kwargs}

    def format_output_for_agent(self, raw_result: Any) -> str:
        return self._tool.format_output_for_agent(raw_result)


def guard_tools(
    tools: Iterable[BaseTool], client: Assay | None = None, *, read_only: frozenset[str] = frozenset()
) -> list[BaseTool]:
    """Returns tools that ask first. Raises ``TypeError`` for what is no tool of CrewAI."""
    assay = client or Assay()

    def guard(tool: BaseTool) -> BaseTool:
        if not isinstance(tool, BaseTool):
            raise TypeError(f"guard_tools takes tools of CrewAI: {tool!r}")
        return GuardedTool(tool, assay, {"read_only": tool.name in read_only})

    return [guard(tool) for tool in tools]


def _to_failure(error: Exception) -> ToolFailure:
    return ToolFailure(message=explain(error)) if isinstance(error, AssayError) else failure_from_exception(error)


def _judge_result(result: Any) -> Outcome:
    return "failed" if isinstance(result, ToolFailure) else judge_result(result)
