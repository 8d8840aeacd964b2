"""Clients: ``Assay`` for synchronous code, ``AsyncAssay`` for coroutines. Both follow the same protocol."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import time
from collections.abc import Callable
from typing import Any

import httpx

from .context import RunContext, get_context
from .errors import Invalid
from .protocol import Call, Pause, Protocol, Reply, Request, Run, Standing, Steps, Verdict
from .values import Json, to_json

_Options = dict[str, Any]


def _read_settings(options: _Options) -> _Options:
    defaults: _Options = {
        "url": os.environ.get("ASSAY_URL", "http://127.0.0.1:3000"),
        "key": os.environ.get("ASSAY_KEY"),
        "agent": os.environ.get("ASSAY_AGENT"),
        "agent_version": None,
        "mode": "enforce",
        "on_hold": "wait",
        "wait": 600.0,
        "on_timeout": "withdraw",
        "on_unavailable": "block",
        "journal": None,
        "timeout": 10.0,
        "on_error": lambda error: None,
    }
    unknown = set(options) - set(defaults)
    if unknown:
        raise TypeError(f"unknown options: {', '.join(sorted(unknown))}")
    settings = {**defaults, **{key: value for key, value in options.items() if value is not None}}
    settings["url"] = settings["url"].rstrip("/")
    if settings["on_unavailable"] != "block" and settings["journal"] is None:
        raise Invalid("on_unavailable needs a journal, so that the record is complete")
    return settings


def _to_reply(answer: httpx.Response) -> Reply:
    try:
        body = answer.json()
    except ValueError:
        body = None  # A proxy answers with HTML: the status says enough.
    return Reply(answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, body)


class _Client:
    """What both clients share: settings, the protocol, and how a call is described."""

    def __init__(self, options: _Options) -> None:
        self._settings = _read_settings(options)
        self._protocol = Protocol(self._settings)

    def _build(self, request: Request) -> dict[str, Any]:
        headers = {"accept": "application/json", "user-agent": "assay-python/0.1.0"}
        if self._settings["key"]:
            headers["x-api-key"] = self._settings["key"]
        if request.idempotency_key is not None:
            headers["idempotency-key"] = request.idempotency_key
        return {
            "method": request.method,
            "url": self._settings["url"] + request.path,
            "headers": headers,
            "timeout": request.timeout,
            **({} if request.body is None else {"json": request.body}),
        }

    @staticmethod
    def _describe(run: Callable[..., Any], options: _Options, passed: tuple[tuple[Any, ...], dict[str, Any]]) -> Call:
        """The arguments by their names, as the function sees them."""
        bound = inspect.signature(run).bind(*passed[0], **passed[1])
        bound.apply_defaults()

        def read() -> Json:
            return to_json(dict(bound.arguments))

        context = RunContext(**{**get_context(), **options.get("context", {})})
        return Call(options["tool"], read(), options, context, read)


    @staticmethod
    def _describe_named(tool: str, arguments: Json, options: _Options) -> Call:
        """A call whose tool and arguments are named, as frameworks name them."""

        def read() -> Json:
            return to_json(arguments)

        context = RunContext(**{**get_context(), **options.get("context", {})})
        return Call(tool, read(), options, context, read)


def _options_of(run: Callable[..., Any], options: _Options) -> _Options:
    return {**options, "tool": options.get("tool") or run.__name__}


class Assay(_Client):
    """A synchronous client. Options: ``url``, ``key``, ``agent``, ``mode``, ``on_hold``, ``wait`` and others."""

    def __init__(self, **options: Any) -> None:
        super().__init__(options)
        self._http = httpx.Client()

    def guard(self, run: Callable[..., Any] | None = None, **options: Any) -> Any:
        """Decorates a function: each call is asked for, waits where a person decides, and runs once for an approval."""
        if run is None:
            return functools.partial(self.guard, **options)
        named = _options_of(run, options)

        @functools.wraps(run)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            call = self._describe(run, named, (args, kwargs))
            return self._drive(self._protocol.execute(call), lambda step: _invoke(run, (args, kwargs), step))

        return guarded

    def call(self, tool: str, arguments: Json, run: Callable[[Any], Any], **options: Any) -> Any:
        """Asks for one call of a tool by its name. ``run`` gets the arguments, as a reviewer may have changed them."""
        call = self._describe_named(tool, arguments, options)
        return self._drive(self._protocol.execute(call), lambda step: run(step.arguments))

    def resume(self, held: dict[str, Any], run: Callable[..., Any], **options: Any) -> Any:
        """Carries out an action that was suspended, in any process, once a person has approved it."""
        return self._drive(self._protocol.resume(held, options), lambda step: run(**step.arguments))

    def wait(self, trace_id: str, seconds: float) -> Verdict:
        return self._drive(self._protocol.await_verdict(trace_id, seconds))

    def withdraw(self, trace_id: str) -> bool:
        return self._drive(self._protocol.withdraw(trace_id))

    def send(self, method: str, path: str, body: Json = None) -> Reply:
        """Calls any operation of the service, with the client's retries and errors."""
        return self._drive(self._protocol.send(method, path, body))

    def send_journal(self) -> int:
        """Sends what ran while the service was away. Returns the number sent; the rest stays in the journal."""
        return self._settings["journal"].drain(lambda entry: self._drive(self._protocol.send_entry(entry)))

    def close(self) -> None:
        self._http.close()

    def _drive(self, steps: Steps, run: Callable[[Run], Any] | None = None) -> Any:
        result: Any = None
        failure: BaseException | None = None
        while True:
            try:
                step = steps.throw(failure) if failure is not None else steps.send(result)
            except StopIteration as end:
                return end.value
            result, failure = None, None
            try:
                if isinstance(step, Request):
                    result = self._request(step)
                elif isinstance(step, Pause):
                    time.sleep(step.seconds)
                elif run is not None:
                    result = run(step)
            except BaseException as error:
                failure = error

    def _request(self, request: Request) -> Reply:
        try:
            return _to_reply(self._http.request(**self._build(request)))
        except httpx.HTTPError:
            return Reply(0)


class AsyncAssay(_Client):
    """A client for coroutines, with the options of ``Assay``."""

    def __init__(self, **options: Any) -> None:
        super().__init__(options)
        self._http = httpx.AsyncClient()

    def guard(self, run: Callable[..., Any] | None = None, **options: Any) -> Any:
        """Decorates a function or a coroutine function, as ``Assay.guard`` does; the result is a coroutine function."""
        if run is None:
            return functools.partial(self.guard, **options)
        named = _options_of(run, options)

        @functools.wraps(run)
        async def guarded(*args: Any, **kwargs: Any) -> Any:
            call = self._describe(run, named, (args, kwargs))
            return await self._drive(self._protocol.execute(call), lambda step: _invoke(run, (args, kwargs), step))

        return guarded

    async def call(self, tool: str, arguments: Json, run: Callable[[Any], Any], **options: Any) -> Any:
        """Asks for one call, as ``Assay.call`` does; ``run`` may be a coroutine function."""
        call = self._describe_named(tool, arguments, options)
        return await self._drive(self._protocol.execute(call), lambda step: run(step.arguments))

    async def ask_first(self, tool: str, arguments: Json, **options: Any) -> Standing | None:
        """Asks for a call without running it, for frameworks that suspend a run before its tools are called.

        ``context`` names the run and the call: the call of the same names is the same decision. None: no person has
        to decide. Raises ``Blocked`` when a policy forbids it.
        """
        return await self._drive(self._protocol.ask_first(self._describe_named(tool, arguments, options)))

    async def resume(self, held: dict[str, Any], run: Callable[..., Any], **options: Any) -> Any:
        return await self._drive(self._protocol.resume(held, options), lambda step: run(**step.arguments))

    async def wait(self, trace_id: str, seconds: float) -> Verdict:
        return await self._drive(self._protocol.await_verdict(trace_id, seconds))

    async def withdraw(self, trace_id: str) -> bool:
        return await self._drive(self._protocol.withdraw(trace_id))

    async def send(self, method: str, path: str, body: Json = None) -> Reply:
        return await self._drive(self._protocol.send(method, path, body))

    async def close(self) -> None:
        await self._http.aclose()

    async def _drive(self, steps: Steps, run: Callable[[Run], Any] | None = None) -> Any:
        result: Any = None
        failure: BaseException | None = None
        while True:
            try:
                step = steps.throw(failure) if failure is not None else steps.send(result)
            except StopIteration as end:
                return end.value
            result, failure = None, None
            try:
                if isinstance(step, Request):
                    result = await self._request(step)
                elif isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                elif run is not None:
                    given = run(step)
                    result = await given if inspect.isawaitable(given) else given
            except BaseException as error:
                failure = error

    async def _request(self, request: Request) -> Reply:
        try:
            return _to_reply(await self._http.request(**self._build(request)))
        except httpx.HTTPError:
            return Reply(0)


def _invoke(run: Callable[..., Any], passed: tuple[tuple[Any, ...], dict[str, Any]], step: Run) -> Any:
    """Calls the function as it was called, or with the arguments of a reviewer."""
    if not step.is_edited:
        return run(*passed[0], **passed[1])
    bound = inspect.signature(run).bind_partial()
    bound.arguments.update(step.arguments)
    return run(*bound.args, **bound.kwargs)
