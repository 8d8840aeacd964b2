"""Tools that end later than their call: coroutines and generators. Their outcome is known after their last step."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .context import run
from .protocol import Abandoned, Run, Steps

Advance = Callable[[Steps, Callable[[], Any]], Any]


def enter(due: Run) -> AbstractContextManager[None]:
    """What the tool asks for in turn are children of its own decision."""
    return nullcontext() if due.trace_id is None else run(parent_trace_id=due.trace_id)


def relay_items(steps: Steps, due: Run, items: Generator[Any, Any, Any], advance: Advance) -> Generator[Any, Any, Any]:
    """Yields what a tool yields, and reports how it ended."""
    try:
        with enter(due):
            item = next(items)
        while True:
            if due.note:
                due.note(item)
            try:
                given = yield item
            except GeneratorExit:
                items.close()
                raise
            except BaseException as error:
                with enter(due):
                    item = items.throw(error)
            else:
                with enter(due):
                    item = items.send(given)
    except StopIteration as end:
        result = end.value
    except GeneratorExit:
        _leave(lambda: advance(steps, lambda: steps.throw(Abandoned())))
        raise
    except BaseException as error:
        failure = error
        return advance(steps, lambda: steps.throw(failure))[1]
    return advance(steps, lambda: steps.send(result))[1]


async def relay_async_items(steps: Steps, due: Run, items: Any, advance: Advance) -> AsyncGenerator[Any, Any]:
    """Yields what a tool yields, plain or asynchronous, and reports how it ended."""
    is_async = inspect.isasyncgen(items)
    try:
        while True:
            with enter(due):
                item = (await anext(items)) if is_async else next(items)
            if due.note:
                due.note(item)
            yield item
    except (StopAsyncIteration, StopIteration):
        pass
    except GeneratorExit:
        if is_async:
            await items.aclose()
        else:
            items.close()
        await _leave_async(advance(steps, lambda: steps.throw(Abandoned())))
        raise
    except BaseException as error:
        failure = error
        await advance(steps, lambda: steps.throw(failure))
        return
    await advance(steps, lambda: steps.send(None))


async def relay_awaitable(steps: Steps, due: Run, result: Awaitable[Any], advance: Advance) -> Any:
    """Awaits what a tool returned, and reports how it ended."""
    try:
        with enter(due):
            value = await result
    except BaseException as error:
        failure = error
        return (await advance(steps, lambda: steps.throw(failure)))[1]
    return (await advance(steps, lambda: steps.send(value)))[1]


def _leave(end: Callable[[], Any]) -> None:
    try:
        end()
    except Abandoned:
        pass


async def _leave_async(end: Awaitable[Any]) -> None:
    try:
        await end
    except Abandoned:
        pass
