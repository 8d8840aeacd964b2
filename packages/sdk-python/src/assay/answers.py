"""The one parser of answers. It accepts what the contract of a client names, and refuses everything else."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn
from urllib.parse import urljoin

from . import errors
from .values import Json, compute_commitment

#: The largest answer that is read, in bytes.
ANSWER_BYTES_MAX = 8 * 1024 * 1024
#: Statuses of a service that is not there, beside silence.
AWAY = {502, 503, 504}
RETRIED = {408, 429, 500, *AWAY}
REVIEW_STATUSES = {"pending", "approved", "rejected", "expired", "withdrawn"}

_CLAIM_ERRORS: dict[str, type[errors.AssayError]] = {
    "APPROVAL_USED": errors.AlreadyExecuted,
    "APPROVAL_MISMATCH": errors.ActionChanged,
    "APPROVAL_PENDING": errors.NotDecided,
    "APPROVAL_REJECTED": errors.Rejected,
    "APPROVAL_EXPIRED": errors.Expired,
    "APPROVAL_WITHDRAWN": errors.Withdrawn,
    "EFFECT_RESERVED": errors.AlreadyExecuted,
    "EFFECT_DONE": errors.AlreadyExecuted,
    "DECISION_OBSERVED": errors.AlreadyExecuted,
}


@dataclass
class Reply:
    """An answer. ``status`` is 0 when no head of one arrived; ``body`` is None when it was no JSON."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Json = None
    #: Whether its body did not come whole, or what came is no HTTP.
    is_cut: bool = False

    @property
    def is_silence(self) -> bool:
        return self.status == 0 and not self.is_cut

    @property
    def data(self) -> dict[str, Any]:
        """``data`` of the envelope, or the whole body where there is none; a list becomes ``items``."""
        body = self.body if isinstance(self.body, dict) else {}
        data = body.get("data", body)
        if isinstance(data, list):
            return {"items": data}
        return data if isinstance(data, dict) else {}

    @property
    def code(self) -> str:
        code = self.body.get("code") if isinstance(self.body, dict) else None
        return code if isinstance(code, str) and code else f"HTTP_{self.status}"

    @property
    def message(self) -> str:
        message = self.body.get("error") if isinstance(self.body, dict) else None
        return message if isinstance(message, str) and message else f"The service answered {self.status}"

    @property
    def is_refusal(self) -> bool:
        """Whether Assay itself refused: only its refusals have this form."""
        body = self.body
        return isinstance(body, dict) and body.get("success") is False and isinstance(body.get("code"), str)

    @property
    def retry_after(self) -> float:
        """Seconds; 0: the header is absent, or neither a number nor a date."""
        value = self.headers.get("retry-after", "")
        try:
            return max(0.0, float(value))
        except ValueError:
            pass
        try:
            at = parsedate_to_datetime(value)
            return max(0.0, at.timestamp() - parsedate_to_datetime(self.headers["date"]).timestamp())
        except (KeyError, TypeError, ValueError):
            return 0.0


@dataclass
class Proposal:
    trace_id: str
    is_held: bool
    binding: dict[str, str]
    #: Whether a policy asks for a claim though nobody has to decide.
    must_claim: bool
    expires_at: str | None
    review: str | None
    #: Whether it was proposed before, under the same key: it may be decided by now.
    is_replay: bool
    #: The limits that it would pass.
    limits: list[errors.Limit]


@dataclass
class Verdict:
    status: str
    #: A JSON Merge Patch that the reviewer made the approval subject to; None: none.
    edits: dict[str, Json] | None = None
    reason: str | None = None


@dataclass
class Claim:
    execution_id: str
    lease_until: str | None


def parse_body(content_type: str, content: bytes) -> Json:
    """Returns the JSON of an answer; None for what is no JSON, or not called so."""
    if content_type.partition(";")[0].strip().lower() != "application/json":
        return None
    try:
        return json.loads(content.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def read_proposal(reply: Reply, raw_action_digest: str, url: str) -> Proposal:
    """Raises ``ActionChanged`` for a decision about another action."""
    data = _read_data(reply, {201: "approved", 202: "flagged"}.get(reply.status, ""), reply.status)
    trace_id, binding, must_claim = data.get("traceId"), data.get("binding"), data.get("claimRequired", False)
    if not _is_text(trace_id) or not isinstance(must_claim, bool) or not isinstance(binding, dict):
        refuse_foreign(reply)
    salt, commitment = binding.get("salt"), binding.get("commitment")
    if not _is_text(salt) or not _is_text(commitment):
        refuse_foreign(reply)
    assert_bound({"traceId": trace_id, "binding": binding}, raw_action_digest)
    links = data.get("links")
    review = links.get("review") if isinstance(links, dict) else None
    expires_at = data.get("expiresAt")
    return Proposal(
        trace_id=trace_id,
        is_held=reply.status == 202,
        binding={"salt": salt, "commitment": commitment},
        must_claim=must_claim,
        expires_at=expires_at if _is_text(expires_at) else None,
        review=urljoin(url, review) if isinstance(review, str) and review.startswith("/") else None,
        is_replay=reply.headers.get("idempotency-replayed") == "true",
        limits=_read_limits(reply),
    )


def read_verdict(reply: Reply, trace_id: str) -> Verdict:
    data = _read_data(reply, None, 200)
    review, header = data.get("review"), reply.headers.get("x-review-status")
    if data.get("traceId") != trace_id:
        refuse_foreign(reply)
    if review is None:
        if header not in (None, "none"):
            refuse_foreign(reply)
        return Verdict("none")
    if not isinstance(review, dict):
        refuse_foreign(reply)
    status, edits, reason = review.get("status"), review.get("edits"), review.get("reason")
    if status not in REVIEW_STATUSES or header not in (None, status) or not isinstance(edits, dict | None):
        refuse_foreign(reply)
    return Verdict(status, edits, reason if isinstance(reason, str) else None)


def read_claim(reply: Reply, trace_id: str) -> Claim:
    """Raises the error that says why an approval cannot be used."""
    if reply.is_refusal and reply.code == "HALTED":
        raise errors.Halted(reply.message, halt=_read_halt(reply), trace_id=trace_id, **_read_details(reply))
    if reply.is_refusal and reply.status in (403, 409):
        kind = _CLAIM_ERRORS.get(reply.code, errors.Unauthorised if reply.status == 403 else errors.Invalid)
        raise kind(reply.message, code=reply.code, status=reply.status, trace_id=trace_id)
    data = _read_data(reply, None, 201)
    execution_id, lease_until = data.get("executionId"), data.get("leaseUntil")
    if data.get("traceId") != trace_id or not _is_text(execution_id):
        refuse_foreign(reply)
    return Claim(execution_id, lease_until if _is_text(lease_until) else None)


def assert_recorded(reply: Reply, execution_id: str) -> None:
    if _read_data(reply, None, 200).get("executionId") != execution_id:
        refuse_foreign(reply)


def read_withdrawal(reply: Reply, trace_id: str) -> bool:
    """Returns false when it was decided before."""
    if reply.is_refusal and reply.status >= 400:
        return False
    if _read_data(reply, None, 200).get("traceId") != trace_id:
        refuse_foreign(reply)
    return True


def assert_bound(held: dict[str, Any], raw_action_digest: str) -> None:
    """A repeated name of a call gets the decision about the first one: it says nothing about other arguments."""
    binding = held["binding"]
    if compute_commitment(binding["salt"], raw_action_digest) != binding["commitment"]:
        raise errors.ActionChanged(
            "The action is not the one that was asked for", code="ACTION_CHANGED", trace_id=held["traceId"]
        )


def assert_approved(trace_id: str, verdict: Verdict) -> None:
    """Raises what a verdict other than an approval stands for."""
    kinds = {
        "rejected": (errors.Rejected, "A person rejected it", "APPROVAL_REJECTED"),
        "expired": (errors.Expired, "The hold ended without a verdict", "APPROVAL_EXPIRED"),
        "withdrawn": (errors.Withdrawn, "It was withdrawn", "APPROVAL_WITHDRAWN"),
    }
    if verdict.status == "approved":
        return
    kind, message, code = kinds.get(verdict.status, (errors.NotDecided, "No person has decided yet", "APPROVAL_PENDING"))
    because = "" if verdict.reason is None else f": {verdict.reason}"
    raise kind(f"{message}{because}", code=code, trace_id=trace_id, reason=verdict.reason)


def refuse(reply: Reply) -> NoReturn:
    """Raises the error that an answer other than a success stands for."""
    details = _read_details(reply)
    if reply.status in RETRIED:
        raise errors.Unavailable(reply.message, is_away=reply.status in AWAY, retry_after=reply.retry_after, **details)
    if not reply.is_refusal or not 400 <= reply.status < 500:
        refuse_foreign(reply)
    details["limits"] = _read_limits(reply)
    if reply.status == 403 and reply.code == "SVC_BLOCKED_BY_POLICY":
        matched = reply.data.get("matchedPolicy")
        policy = matched.get("name") if isinstance(matched, dict) else None
        about = {"policy": policy, "trace_id": reply.data.get("traceId")}
        halt = _read_halt(reply)
        if halt:
            raise errors.Halted(reply.message, halt=halt, **about, **details)
        raise errors.Blocked(reply.message, **about, **details)
    if reply.code == "HALTED":
        raise errors.Halted(reply.message, halt=_read_halt(reply), **details)
    kind = errors.Unauthorised if reply.status in (401, 403) else errors.Invalid
    raise kind(reply.message, **details)


def _read_details(reply: Reply) -> dict[str, Any]:
    return {"code": reply.code, "status": reply.status, "request_id": reply.headers.get("x-request-id")}


def _read_halt(reply: Reply) -> dict[str, Any] | None:
    """Returns what an answer says of a halt; None: nothing that can be read."""
    halt = reply.data.get("halt")
    if not isinstance(halt, dict) or not all(_is_text(halt.get(name)) for name in ("scope", "state", "since")):
        return None
    if not isinstance(halt.get("sequence"), int):
        return None
    reason = halt.get("reason")
    kept = {name: halt[name] for name in ("scope", "state", "since", "sequence")}
    return {**kept, "reason": reason if isinstance(reason, str) else None}


def _read_limits(reply: Reply) -> list[errors.Limit]:
    """Returns the limits that an answer names; what has not the form of one is none."""
    limits = reply.data.get("limits")
    found = [_read_limit(value) for value in limits] if isinstance(limits, list) else []
    return [limit for limit in found if limit is not None]


def _read_limit(value: Json) -> errors.Limit | None:
    if not isinstance(value, dict) or not all(name in value for name in errors.Limit.__annotations__):
        return None
    texts = [value[name] for name in ("policy", "type", "of", "per", "window")]
    amounts: list[Any] = [value["at"], value["most"]]
    if value["freesAt"] is not None:
        texts.append(value["freesAt"])
    if value["left"] is not None:
        amounts.append(value["left"])
    if not all(map(_is_text, texts)) or not all(map(is_amount, amounts)):
        return None
    return {name: value[name] for name in errors.Limit.__annotations__}  # type: ignore[return-value]


def refuse_foreign(reply: Reply) -> NoReturn:
    """Raises for an answer that is not Assay's: a sign-in page, another service, an answer cut off on its way."""
    said = f" {reply.status}" if reply.status else ""
    raise errors.Unavailable(
        f"What answered{said} is not Assay: check the address of the service",
        code="NOT_ASSAY",
        status=reply.status,
    )


def _read_data(reply: Reply, status: str | None, code: int) -> dict[str, Any]:
    """Returns ``data`` of a success. ``status``: what it must say there, if anything."""
    body = reply.body
    data = body.get("data") if isinstance(body, dict) and body.get("success") is True else None
    if reply.status != code or not isinstance(data, dict) or status not in (None, data.get("status")):
        refuse_foreign(reply)
    return data


def is_amount(value: Any) -> bool:
    """Whether it can be an amount that is spent."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
