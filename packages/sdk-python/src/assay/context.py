"""What a run of an agent is about: set once around it, or by an adapter, and part of every decision in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypedDict


class RunContext(TypedDict, total=False):
    prompt: str
    #: All that the person wrote, where values may come from; default: the prompt. It is not posted.
    prompts: list[str]
    #: What began the run where no one asked, as a text or a dict: a schedule, a message.
    trigger: Any
    system_prompt: str
    conversation_id: str
    agent_version: str
    #: Names the run: with it and ``call_id`` a repeated call is the same decision.
    run_id: str
    call_id: str
    rationale: str
    session_id: str
    parent_trace_id: str
    #: On whose behalf: a chain of subjects.
    actor: Any
    metadata: dict[str, Any]


_current: ContextVar[RunContext] = ContextVar("assay_run", default=RunContext())


@contextmanager
def run(**context: Any) -> Iterator[None]:
    """All decisions in the block carry the context, which inherits from the one around it."""
    token = _current.set(RunContext(**{**_current.get(), **context}))
    try:
        yield
    finally:
        _current.reset(token)


def get_context() -> RunContext:
    return _current.get()
