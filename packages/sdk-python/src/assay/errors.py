"""What can go wrong, each with its own class: an agent tells a refusal from a time-out and from a failure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict


class Limit(TypedDict):
    """A limit of a policy that an action would pass, as the service says it."""

    #: The id of the policy, and the place of the limit among its actions.
    policy: str
    at: int
    #: ``block``, or ``flag_for_review``: a person may let it pass.
    type: str
    #: ``acts``, or the field that is summed.
    of: str
    per: str
    window: str
    most: float
    #: None: what the action adds cannot be read.
    left: float | None
    #: When there is more, ISO 8601; None: never.
    freesAt: str | None


class AssayError(Exception):
    """The base of all errors of this package."""

    #: Whether the same call may succeed later.
    retryable = False

    def __init__(
        self,
        message: str,
        *,
        code: str = "ASSAY",
        status: int | None = None,
        request_id: str | None = None,
        trace_id: str | None = None,
        policy: str | None = None,
        reason: str | None = None,
        limits: Sequence[Limit] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.request_id = request_id
        self.trace_id = trace_id
        self.policy = policy
        #: The words of the person who decided.
        self.reason = reason
        #: The limits of policies that the action would pass; empty: none is named.
        self.limits = list(limits)


class Blocked(AssayError):
    """A policy forbids the action."""


class Halted(Blocked):
    """A person stopped the agent, or more. An approval that stands stays usable, for when it is resumed."""

    def __init__(self, message: str, *, halt: dict[str, Any] | None = None, **details: Any) -> None:
        super().__init__(message, **details)
        #: ``scope``, ``state``, ``since``, ``sequence`` and ``reason``; None: the answer does not describe it.
        self.halt = halt
        self.reason = halt["reason"] if halt else None


class Rejected(AssayError):
    """A person rejected the action."""


class Expired(AssayError):
    """The hold ended without a verdict. This is no denial by a person."""


class Withdrawn(AssayError):
    """The agent, or a person for it, withdrew the request."""


class NotDecided(AssayError):
    """This call stopped waiting: the decision itself may be open still."""


class ActionChanged(AssayError):
    """The action about to run is not the one that was asked for."""


class AlreadyExecuted(AssayError):
    """The approval was used before; the action may have been done."""


class Unauthorised(AssayError):
    """The key is unknown, revoked, or may not do this."""


class Invalid(AssayError):
    """The request is malformed; the message says what would be right."""


class Unavailable(AssayError):
    """There is no answer that can be used. Code ``NOT_ASSAY``: something else answered."""

    retryable = True

    def __init__(self, message: str, *, is_away: bool = False, retry_after: float = 0.0, **details: Any) -> None:
        super().__init__(message, **details)
        #: Seconds after which the service asks to be called again; 0: it does not say.
        self.retry_after = retry_after
        #: Whether the service is away: silence, or 502 to 504. Only then may ``on_unavailable`` let a call run.
        self.is_away = is_away


class Held(AssayError):
    """The action waits for a person. Keep ``held``, and give it to ``resume`` in any process."""

    def __init__(self, held: dict[str, Any], limits: Sequence[Limit] = ()) -> None:
        tool = held["action"]["tool"]
        super().__init__(f"A person has to decide about {tool}", code="HELD", trace_id=held["traceId"], limits=limits)
        #: JSON with ``traceId``, ``action``, ``binding``, ``expiresAt`` and ``review``. The action is the raw one.
        self.held = held


_DID_NOT_RUN = "The call did not run: "


def explain(error: AssayError) -> str:
    """Returns what a model reads in place of a result."""
    return f"{_DID_NOT_RUN}{error.message} [{error.code}]"


def is_explanation(text: object) -> bool:
    """Whether a text is one of ``explain``."""
    return isinstance(text, str) and text.startswith(_DID_NOT_RUN)
