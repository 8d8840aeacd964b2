"""Clients: ``Assay`` for synchronous code, ``AsyncAssay`` for coroutines. Both follow the same protocol."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, overload
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httpx

from .answers import ANSWER_BYTES_MAX, Reply, Verdict, parse_body
from .arguments import Given, Passed, describe_call, describe_kept, describe_value
from .context import RunContext, get_context
from .errors import Invalid
from .identity import IdentityService
from .protocol import Call, Identify, Later, Pause, Protocol, Request, Run, Standing, Steps
from .running import enter, relay_async_items, relay_awaitable, relay_items
from .typed import AsyncGuarding, ClientOptions, GuardOptions, Guarding, P, R, T
from .values import Json

if TYPE_CHECKING:
    from typing_extensions import Unpack

_Options = dict[str, Any]
#: A wait keeps its connection; a call must not wait for another's.
_NO_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)
#: Seconds for which ``close`` waits for outcomes that are still being reported.
CLOSING = 10.0


def _read_settings(options: _Options) -> _Options:
    defaults: _Options = {
        "url": os.environ.get("ASSAY_URL", "http://127.0.0.1:3000"),
        "key": os.environ.get("ASSAY_KEY"),
        "identity": None,
        "agent": os.environ.get("ASSAY_AGENT"),
        "agent_version": None,
        "mode": "enforce",
        "on_hold": "wait",
        "wait": 600.0,
        "on_timeout": "withdraw",
        "on_unavailable": "block",
        "journal": None,
        "origins": None,
        "timeout": 10.0,
        "on_error": lambda error: None,
    }
    unknown = set(options) - set(defaults)
    if unknown:
        raise TypeError(f"unknown options: {', '.join(sorted(unknown))}")
    settings = {**defaults, **{key: value for key, value in options.items() if value is not None}}
    settings["url"] = settings["url"].rstrip("/")
    if urlsplit(settings["url"]).scheme not in ("http", "https") or not urlsplit(settings["url"]).hostname:
        raise Invalid(f"ASSAY_URL is no address: {settings['url']}")
    for name, values in _CHOICES.items():
        if settings[name] not in values:
            raise Invalid(f"{name} is one of {', '.join(values)}: {settings[name]!r}")
    if settings["identity"] is not None and not _AGENT_ID.fullmatch(settings["agent"] or ""):
        raise Invalid("agent: with an identity it is the id of the agent, 24 hex digits")
    if settings["on_unavailable"] != "block" and settings["journal"] is None:
        raise Invalid("on_unavailable needs a journal, so that the record is complete")
    return settings


_AGENT_ID = re.compile("[0-9a-f]{24}")
_CHOICES = {
    "mode": ("enforce", "observe", "off"),
    "on_hold": ("wait", "suspend"),
    "on_timeout": ("withdraw", "leave"),
    "on_unavailable": ("block", "allow-read-only", "allow"),
}


class _Client:
    """What both clients share: settings, the protocol, and how a call is described."""

    def __init__(self, options: _Options) -> None:
        self._settings = _read_settings(options)
        self._protocol = Protocol(self._settings)
        url, agent, timeout = (self._settings[name] for name in ("url", "agent", "timeout"))
        self._identified = IdentityService(url, agent or "", timeout)

    def _build(self, request: Request) -> dict[str, Any]:
        headers = {"accept": "application/json", "user-agent": "assay-python/0.1.0"}
        key = request.key or self._settings["key"]
        if key:
            headers["x-api-key"] = key
        if request.idempotency_key is not None:
            headers["idempotency-key"] = request.idempotency_key
        return {
            "method": request.method,
            "url": self._settings["url"] + request.path,
            "headers": headers,
            "timeout": request.timeout,
            # Another origin would get the key.
            "follow_redirects": False,
            **({} if request.body is None else {"json": request.body}),
        }

    @staticmethod
    def _describe(tool: str, given: Given, options: _Options) -> Call:
        around = get_context()
        context = RunContext(**{**around, **options.get("context", {})})
        # What an application says that the person wrote counts before what a framework has.
        if "prompts" in around:
            context["prompts"] = around["prompts"]
        elif "prompts" in context and around.get("prompt"):
            context["prompts"] = [*context["prompts"], around["prompt"]]
        return Call(tool, given, options, context)

    def _begin(self, run: Callable[..., Any], options: _Options) -> Callable[..., Steps]:
        """Returns what makes the steps of one call of a guarded function."""
        tool = options.get("tool") or run.__name__

        def begin(*args: Any, **kwargs: Any) -> Steps:
            given = describe_call(run, Passed(args, kwargs), options)
            return self._protocol.execute(self._describe(tool, given, options))

        return begin

    def _describe_kept(self, held: dict[str, Any], given: Given, options: _Options) -> Call:
        members = {name: value for name, value in held["action"].items() if name not in ("tool", "arguments")}
        return Call(held["action"]["tool"], given, {**options, "members": members}, RunContext(**get_context()))


class _Received:
    """An answer as far as it has come, up to its largest size."""

    def __init__(self) -> None:
        self._head: httpx.Response | None = None
        self._chunks: list[bytes] = []
        self._size = 0
        self._is_whole = False
        self._is_foreign = False

    def begin(self, head: httpx.Response) -> None:
        self._head = head

    def add(self, chunk: bytes) -> None:
        """Raises for more than the largest size."""
        self._size += len(chunk)
        if self._size > ANSWER_BYTES_MAX:
            self._chunks, self._is_whole = [], True
            raise ValueError("The answer is too large")
        self._chunks.append(chunk)

    def end(self) -> None:
        self._is_whole = True

    def fail(self, error: Exception) -> None:
        """Bytes that are no HTTP are an answer, though not of Assay; a connection that ends without any is none."""
        self._is_foreign = isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in str(error)

    def to_reply(self) -> Reply:
        if self._head is None:
            return Reply(0, is_cut=self._is_foreign)
        headers = {name.lower(): value for name, value in self._head.headers.items()}
        if not self._is_whole:
            return Reply(self._head.status_code, headers, is_cut=True)
        return Reply(self._head.status_code, headers, parse_body(headers.get("content-type", ""), b"".join(self._chunks)))


class Assay(_Client):
    """A synchronous client. Options: ``url``, ``key``, ``agent``, ``mode``, ``on_hold``, ``wait`` and others."""

    def __init__(self, **options: Unpack[ClientOptions]) -> None:
        super().__init__(dict(options))
        self._http = httpx.Client(limits=_NO_LIMITS)
        self._later: set[threading.Thread] = set()
        self._for_coroutines: AsyncAssay | None = None

    @overload
    def guard(self, run: Callable[P, R], **options: Unpack[GuardOptions]) -> Callable[P, R]: ...
    @overload
    def guard(self, run: None = None, **options: Unpack[GuardOptions]) -> Guarding: ...
    def guard(self, run: Callable[..., Any] | None = None, **options: Any) -> Any:
        """Decorates a function: each call is asked for, waits where a person decides, and runs once for an approval.

        A generator function asks at its first step, and a coroutine function when it is awaited. Options: ``tool``,
        ``members``, ``read_only``, ``claim``, ``context``, ``expires_in``, ``leave_out`` (names of parameters that are not
        posted), ``from_arguments`` (makes a dict of arguments of an edited action), and those of the client.
        """
        if run is None:
            return functools.partial(self.guard, **options)
        begin = self._begin(run, options)

        def invoke(step: Run) -> Any:
            return run(*step.passed.args, **step.passed.kwargs)

        if inspect.iscoroutinefunction(run) or inspect.isasyncgenfunction(run):
            return self.for_coroutines()._driver.wrap(run, begin, invoke)
        if inspect.isgeneratorfunction(run):

            @functools.wraps(run)
            def guarded_items(*args: Any, **kwargs: Any) -> Any:
                steps = begin(*args, **kwargs)
                due, value = self._advance(steps, lambda: steps.send(None))
                return value if due is None else (yield from relay_items(steps, due, invoke(due), self._advance))

            return guarded_items

        @functools.wraps(run)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            return self._drive(begin(*args, **kwargs), invoke)

        return guarded

    def call(self, tool: str, arguments: Json, run: Callable[[Any], Any], **options: Any) -> Any:
        """Asks for one call of a tool by its name. ``run`` gets the arguments, as a reviewer may have changed them."""
        call = self._describe(tool, describe_value(arguments), options)
        return self._drive(self._protocol.execute(call), lambda step: run(*step.passed.args))

    def resume(self, held: dict[str, Any], run: Callable[..., Any], **options: Any) -> Any:
        """Carries out an action that was suspended, in any process, once a person has approved it.

        ``run`` gets the arguments by their names, as the guarded function would.
        """
        given = describe_kept(run, held["action"]["arguments"])
        steps = self._protocol.resume(self._describe_kept(held, given, options), held)
        return self._drive(steps, lambda step: run(*step.passed.args, **step.passed.kwargs))

    def resume_call(self, held: dict[str, Any], run: Callable[[Any], Any], **options: Any) -> Any:
        """Carries out a suspended ``call``: ``run`` gets the arguments as one value."""
        call = self._describe_kept(held, describe_value(held["action"]["arguments"]), options)
        return self._drive(self._protocol.resume(call, held), lambda step: run(*step.passed.args))

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
        """Waits for outcomes that are being reported, ten seconds at most."""
        deadline = time.monotonic() + CLOSING
        for thread in list(self._later):
            thread.join(max(0.0, deadline - time.monotonic()))
        self._http.close()

    def for_coroutines(self) -> AsyncAssay:
        """Returns this client for coroutines, with the same settings: a wait in a thread could not be cancelled."""
        if self._for_coroutines is None:
            self._for_coroutines = AsyncAssay(**self._settings)
            self._for_coroutines._protocol = self._protocol
        return self._for_coroutines

    def _drive(self, steps: Steps, run: Callable[[Run], Any] | None = None) -> Any:
        due, value = self._advance(steps, lambda: steps.send(None))
        while due is not None:
            assert run is not None
            try:
                with enter(due):
                    result = run(due)
            except BaseException as error:
                failure = error
                due, value = self._advance(steps, lambda: steps.throw(failure))
                continue
            # What has not ended yet is recorded when it ends.
            if inspect.isgenerator(result):
                return relay_items(steps, due, result, self._advance)
            if inspect.isawaitable(result):
                return relay_awaitable(steps, due, result, self.for_coroutines()._driver.advance)
            if inspect.isasyncgen(result):
                return relay_async_items(steps, due, result, self.for_coroutines()._driver.advance)
            given = result
            due, value = self._advance(steps, lambda: steps.send(given))
        return value

    def _advance(self, steps: Steps, move: Callable[[], Any]) -> tuple[Run | None, Any]:
        """Does requests and pauses until the tool is due, or to the end, which has a value."""
        while True:
            try:
                step = move()
            except StopIteration as end:
                return None, end.value
            if isinstance(step, Run):
                return step, None
            try:
                result = self._do(step)
                move = functools.partial(steps.send, result)
            except BaseException as error:
                move = functools.partial(steps.throw, error)

    def _do(self, step: Any) -> Any:
        if isinstance(step, Request):
            return self._request(step)
        if isinstance(step, Pause):
            return time.sleep(step.seconds)
        if isinstance(step, Identify):
            return self._settings["identity"].get(self._identified)
        assert isinstance(step, Later)

        def go_on() -> None:
            self._drive(step.steps)
            self._later.discard(threading.current_thread())

        thread = threading.Thread(target=go_on, daemon=True, name="assay")
        self._later.add(thread)
        return thread.start()

    def _request(self, request: Request) -> Reply:
        """A server that sends a byte now and then would be read for ever: the whole answer has its time."""
        received = _Received()
        thread = threading.Thread(target=self._exchange, args=(request, received), daemon=True, name="assay")
        thread.start()
        thread.join(request.timeout)
        return received.to_reply()

    def _exchange(self, request: Request, received: _Received) -> None:
        deadline = time.monotonic() + request.timeout
        try:
            with self._http.stream(**self._build(request)) as answer:
                received.begin(answer)
                for chunk in answer.iter_bytes():
                    if time.monotonic() > deadline:
                        return
                    received.add(chunk)
                received.end()
        except (httpx.HTTPError, RuntimeError, ValueError) as error:
            received.fail(error)


class AsyncAssay(_Client):
    """A client for coroutines, with the options of ``Assay``."""

    def __init__(self, **options: Unpack[ClientOptions]) -> None:
        super().__init__(dict(options))
        #: Connections belong to the loop that opened them.
        self._http: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()
        self._driver = _AsyncDriver(self._request, self._identify)

    @overload
    def guard(self, run: Callable[P, AsyncIterator[T]], **options: Unpack[GuardOptions]) -> Callable[P, AsyncIterator[T]]: ...  # type: ignore[overload-overlap]
    @overload
    def guard(self, run: Callable[P, Iterator[T]], **options: Unpack[GuardOptions]) -> Callable[P, AsyncIterator[T]]: ...  # type: ignore[overload-overlap]
    @overload
    def guard(self, run: Callable[P, Awaitable[R]], **options: Unpack[GuardOptions]) -> Callable[P, Coroutine[Any, Any, R]]: ...
    @overload
    def guard(self, run: Callable[P, R], **options: Unpack[GuardOptions]) -> Callable[P, Coroutine[Any, Any, R]]: ...
    @overload
    def guard(self, run: None = None, **options: Unpack[GuardOptions]) -> AsyncGuarding: ...
    def guard(self, run: Callable[..., Any] | None = None, **options: Any) -> Any:
        """Decorates a function, a coroutine function or a generator of either kind, as ``Assay.guard`` does.

        The result is a coroutine function, or an asynchronous generator function.
        """
        if run is None:
            return functools.partial(self.guard, **options)
        begin = self._begin(run, options)

        return self._driver.wrap(run, begin, lambda step: run(*step.passed.args, **step.passed.kwargs))

    async def call(self, tool: str, arguments: Json, run: Callable[[Any], Any], **options: Any) -> Any:
        """Asks for one call, as ``Assay.call`` does; ``run`` may be a coroutine function."""
        call = self._describe(tool, describe_value(arguments), options)
        return await self._driver.drive(self._protocol.execute(call), lambda step: run(*step.passed.args))

    async def ask_first(self, tool: str, arguments: Json, **options: Any) -> Standing | None:
        """Asks for a call without running it, for frameworks that suspend a run before its tools are called.

        ``context`` names the run and the call: the call of the same names is the same decision. None: no person has
        to decide. Raises ``Blocked`` when a policy forbids it.
        """
        call = self._describe(tool, describe_value(arguments), options)
        return await self._driver.drive(self._protocol.ask_first(call))

    async def resume(self, held: dict[str, Any], run: Callable[..., Any], **options: Any) -> Any:
        given = describe_kept(run, held["action"]["arguments"])
        steps = self._protocol.resume(self._describe_kept(held, given, options), held)
        return await self._driver.drive(steps, lambda step: run(*step.passed.args, **step.passed.kwargs))

    async def resume_call(self, held: dict[str, Any], run: Callable[[Any], Any], **options: Any) -> Any:
        """Carries out a suspended ``call``: ``run`` gets the arguments as one value."""
        call = self._describe_kept(held, describe_value(held["action"]["arguments"]), options)
        return await self._driver.drive(self._protocol.resume(call, held), lambda step: run(*step.passed.args))

    def for_coroutines(self) -> AsyncAssay:
        """Returns this client: adapters of frameworks take either kind."""
        return self

    async def wait(self, trace_id: str, seconds: float) -> Verdict:
        return await self._driver.drive(self._protocol.await_verdict(trace_id, seconds))

    async def withdraw(self, trace_id: str) -> bool:
        return await self._driver.drive(self._protocol.withdraw(trace_id))

    async def leave(self, trace_id: str) -> None:
        """Withdraws what nobody waits for any more, in three seconds at most. What fails is told to ``on_error``."""
        await self._driver.drive(self._protocol.leave(trace_id))

    async def send(self, method: str, path: str, body: Json = None) -> Reply:
        return await self._driver.drive(self._protocol.send(method, path, body))

    async def close(self) -> None:
        """Waits for outcomes that are being reported, ten seconds at most."""
        if self._driver.later:
            await asyncio.wait(self._driver.later, timeout=CLOSING)
        if http := self._http.pop(asyncio.get_running_loop(), None):
            await http.aclose()

    async def _identify(self) -> str:
        return str(await self._settings["identity"].get_async(self._identified))

    async def _request(self, request: Request) -> Reply:
        received = _Received()
        try:
            await asyncio.wait_for(self._exchange(request, received), request.timeout)
        except (TimeoutError, asyncio.TimeoutError, httpx.HTTPError, RuntimeError, ValueError) as error:
            received.fail(error)
        return received.to_reply()

    async def _exchange(self, request: Request, received: _Received) -> None:
        loop = asyncio.get_running_loop()
        http = self._http.get(loop)
        if http is None:
            http = self._http[loop] = httpx.AsyncClient(limits=_NO_LIMITS)
        async with http.stream(**self._build(request)) as answer:
            received.begin(answer)
            async for chunk in answer.aiter_bytes():
                received.add(chunk)
            received.end()


class _AsyncDriver:
    """Does the steps of a protocol in a loop."""

    def __init__(self, request: Callable[[Request], Any], identify: Callable[[], Any]) -> None:
        self._request = request
        self._identify = identify
        self.later: set[asyncio.Task[Any]] = set()

    def wrap(self, run: Callable[..., Any], begin: Callable[..., Steps], invoke: Callable[[Run], Any]) -> Any:
        if inspect.isasyncgenfunction(run) or inspect.isgeneratorfunction(run):

            @functools.wraps(run)
            async def guarded_items(*args: Any, **kwargs: Any) -> Any:
                steps = begin(*args, **kwargs)
                due, _ = await self.advance(steps, lambda: steps.send(None))
                if due is None:
                    return
                async with aclosing(relay_async_items(steps, due, invoke(due), self.advance)) as items:
                    async for item in items:
                        yield item

            return guarded_items

        @functools.wraps(run)
        async def guarded(*args: Any, **kwargs: Any) -> Any:
            return await self.drive(begin(*args, **kwargs), invoke)

        return guarded

    async def drive(self, steps: Steps, run: Callable[[Run], Any] | None = None) -> Any:
        due, value = await self.advance(steps, lambda: steps.send(None))
        while due is not None:
            assert run is not None
            try:
                with enter(due):
                    result = run(due)
                    if inspect.isawaitable(result):
                        result = await result
            except BaseException as error:
                failure = error
                due, value = await self.advance(steps, lambda: steps.throw(failure))
                continue
            if inspect.isgenerator(result) or inspect.isasyncgen(result):
                return relay_async_items(steps, due, result, self.advance)
            given = result
            due, value = await self.advance(steps, lambda: steps.send(given))
        return value

    async def advance(self, steps: Steps, move: Callable[[], Any]) -> tuple[Run | None, Any]:
        """Does requests and pauses until the tool is due, or to the end, which has a value."""
        while True:
            try:
                step = move()
            except StopIteration as end:
                return None, end.value
            if isinstance(step, Run):
                return step, None
            try:
                result = await self._do(step)
                move = functools.partial(steps.send, result)
            except BaseException as error:
                move = functools.partial(steps.throw, error)

    async def _do(self, step: Any) -> Any:
        if isinstance(step, Request):
            return await self._request(step)
        if isinstance(step, Pause):
            return await asyncio.sleep(step.seconds)
        if isinstance(step, Identify):
            return await self._identify()
        assert isinstance(step, Later)
        task = asyncio.ensure_future(self.drive(step.steps))
        self.later.add(task)
        task.add_done_callback(self.later.discard)
        return None
