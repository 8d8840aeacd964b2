"""The application of the guide to LlamaIndex: a request, a tool, and a model that calls it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

request = "Refund order A-17"
_file = Path(os.environ["STATE_FILE"])


def issue_refund(order: str, amount: float) -> str:
    """Issues a refund."""
    return f"done: issue_refund {order} {amount}"


def save(held: Any) -> None:
    _file.write_text(json.dumps(held))


def load() -> Any:
    return json.loads(_file.read_text())


def _answer(messages: Any, **_more: Any) -> ChatMessage:
    last = messages[-1]
    if last.role == MessageRole.TOOL:
        return ChatMessage(role="assistant", content=str(last.content))
    call = ToolCallBlock(tool_call_id="call_0", tool_name="issue_refund", tool_kwargs={"order": "A-17", "amount": 90.0})
    return ChatMessage(role="assistant", blocks=[call])


llm = MockFunctionCallingLLM(response_generator=_answer)
