"""The types of options, and of what guarding makes of a function."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from typing import Any, Literal, ParamSpec, Protocol, TypedDict, TypeVar, overload

from .context import RunContext
from .endings import Outcome, Used
from .identity import Identity

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class _HoldOptions(TypedDict, total=False):
    on_hold: Literal["wait", "suspend"] | None
    #: Seconds to wait for a person.
    wait: float | None
    on_timeout: Literal["withdraw", "leave"] | None
    on_unavailable: Literal["block", "allow-read-only", "allow"] | None


class ClientOptions(_HoldOptions, total=False):
    """Options of a client. ``None`` is the default of each, as is leaving it out."""

    url: str | None
    key: str | None
    #: Instead of a key: how the workload proves what it is, by ``assay.identity``. ``agent`` is then its id.
    identity: Identity | None
    agent: str | None
    agent_version: str | None
    mode: Literal["enforce", "observe", "off"] | None
    #: ``FileJournal``, or what does as it does.
    journal: Any
    #: ``track_origins()`` of ``assay.origins``: says where the values of each action come from.
    origins: Any
    #: Seconds for an answer.
    timeout: float | None
    on_error: Callable[[Exception], Any] | None


class GuardOptions(_HoldOptions, total=False):
    """Options of a guarded function; those of its client are their defaults."""

    #: Default: the name of the function.
    tool: str
    #: Further members of the action, beside tool and arguments.
    members: dict[str, Any] | None
    read_only: bool
    claim: Literal["always", "when-required"] | None
    context: RunContext
    #: Seconds after which a hold ends.
    expires_in: int | None
    #: Names of parameters that are not posted.
    leave_out: Sequence[str]
    #: Makes a dict of arguments of an edited action.
    from_arguments: Callable[[Any], dict[str, Any]] | None
    #: Says how a call ended that raised an error; default: it failed.
    judge_error: Callable[[Any], Outcome] | None
    #: Says what a call that succeeded used in fact, for limits of policies; of a generator it gets its last value.
    #: Where it raises, or returns what is no amount, what the decision reserved counts.
    used: Callable[[Any], Used | None] | None


class Guarding(Protocol):
    """Decorates a function, which keeps its type."""

    def __call__(self, run: Callable[P, R], /) -> Callable[P, R]: ...


class AsyncGuarding(Protocol):
    """Decorates a function, which becomes one for coroutines."""

    @overload
    def __call__(self, run: Callable[P, AsyncIterator[T]], /) -> Callable[P, AsyncIterator[T]]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, run: Callable[P, Iterator[T]], /) -> Callable[P, AsyncIterator[T]]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, run: Callable[P, Awaitable[R]], /) -> Callable[P, Coroutine[Any, Any, R]]: ...
    @overload
    def __call__(self, run: Callable[P, R], /) -> Callable[P, Coroutine[Any, Any, R]]: ...
