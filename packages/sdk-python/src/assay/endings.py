"""How a call ended: what it said itself, and what was not seen to the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypedDict

Outcome = Literal["succeeded", "failed", "unknown"]


class Used(TypedDict, total=False):
    """What an action used in fact, where it is not what its decision said."""

    #: In place of the fields of the action, such as ``action.totalAmount``.
    amount: float
    #: In place of ``metadata.tokens``.
    tokens: float


#: Names of errors, and of their bases, after which a call may have done its work: its end was not seen.
UNSEEN = {
    # Ended from outside, or too late
    *("AbortError", "CancelledError", "TimeoutError", "TimeoutException", "Timeout", "TimeoutExpired"),
    # The connection was lost
    *("ConnectionError", "NetworkError", "ClientConnectionError", "APIConnectionError", "ConnectionClosed"),
    *("ClosedResourceError", "BrokenResourceError", "EndOfStream"),
    # The answer cannot be read
    *("RemoteProtocolError", "ProtocolError", "IncompleteRead", "IncompleteReadError", "ClientPayloadError"),
    *("DecodingError", "JSONDecodeError"),
}
#: No connection was made, so that nothing was asked for.
REFUSED = {"ConnectionRefusedError", "ConnectError"}
CAUSES_MAX = 20


def judge(error: BaseException, judge_error: Callable[[Any], Outcome] | None = None) -> Outcome:
    """Returns what became of a call that raised. ``judge_error`` knows more of errors that say how they ended."""
    if not isinstance(error, Exception):
        return "unknown"
    for each in _list_causes(error):
        names = {kind.__name__ for kind in type(each).__mro__}
        if names & UNSEEN and not names & REFUSED:
            return "unknown"
    return "failed" if judge_error is None else judge_error(error)


def judge_result(result: Any) -> Outcome:
    """A result of the Model Context Protocol says itself that its tool failed."""
    if isinstance(result, Mapping):
        return "failed" if result.get("isError") is True else "succeeded"
    says = getattr(result, "is_error", None) is True or getattr(result, "isError", None) is True
    return "failed" if says else "succeeded"


def _list_causes(error: BaseException, depth: int = 0) -> Iterator[BaseException]:
    """Yields an error, those that it groups, and what it was raised from."""
    yield error
    if depth == CAUSES_MAX:
        return
    grouped = getattr(error, "exceptions", ())
    for each in (*(grouped if isinstance(grouped, tuple) else ()), error.__cause__):
        if isinstance(each, BaseException):
            yield from _list_causes(each, depth + 1)
