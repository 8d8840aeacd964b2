"""The application of the guide to Microsoft Agent Framework: a request, tools, and a model that calls one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from agent_framework import BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message, tool

request = "Refund order A-17"
_file = Path(os.environ["STATE_FILE"])


def issue_refund(order: str, amount: float) -> str:
    """Issues a refund."""
    return f"done: issue_refund {order} {amount}"


tools = [tool(issue_refund, approval_mode="never_require")]


def save(held: Any) -> None:
    _file.write_text(json.dumps(held))


def load() -> Any:
    return json.loads(_file.read_text())


class _Model(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    async def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **more: Any) -> ChatResponse:
        results = [content.result for content in messages[-1].contents if content.type == "function_result"]
        call = Content.from_function_call("call_0", "issue_refund", arguments={"order": "A-17", "amount": 90.0})
        said = [Content.from_text(str(results[0]))] if results else [call]
        return ChatResponse(messages=[Message(role="assistant", contents=said)])


client = _Model()
