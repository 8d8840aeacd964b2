"""The order of a guarded call, without input and output: generators ask for requests and pauses, a client does them.

One text serves synchronous and asynchronous clients. A generator yields ``Request`` and gets a ``Reply``, yields
``Pause`` and gets nothing, yields ``Run`` and gets what the tool returned or raises what it raised.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import time
import uuid
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urljoin

from . import errors
from .context import RunContext
from .values import Json, canonicalize, compute_commitment, hash_json, merge_patch, shorten_action

API = "/api/v1"
ATTEMPTS = 4
FIRST_PAUSE = 0.2
CIRCUIT_FAILURES = 3
CIRCUIT_OPEN = 10.0
RETRIED = {408, 429, 500, 502, 503, 504}
#: The longest wait of one request, in seconds, and the time that its answer may take beyond it.
WAIT_MAX = 55
WAIT_MARGIN = 10.0
#: Seconds for one attempt of a claim: then its answer counts as lost.
CLAIM_ATTEMPT = 3.0
VERSION = "0.1.0"


@dataclass
class Request:
    method: str
    path: str
    timeout: float
    body: Json = None
    idempotency_key: str | None = None


@dataclass
class Reply:
    """An answer; ``status`` is 0 when none arrived."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: Json = None

    @property
    def data(self) -> dict[str, Any]:
        body = self.body if isinstance(self.body, dict) else {}
        data = body.get("data", body)
        if isinstance(data, list):
            return {"items": data}
        return data if isinstance(data, dict) else {}

    @property
    def code(self) -> str:
        body = self.body if isinstance(self.body, dict) else {}
        return str(body.get("code") or f"HTTP_{self.status}")

    @property
    def message(self) -> str:
        body = self.body if isinstance(self.body, dict) else {}
        return str(body.get("error") or f"The service answered {self.status}")


@dataclass
class Pause:
    seconds: float


@dataclass
class Run:
    arguments: Json
    #: Whether a reviewer put them in place of the given ones.
    is_edited: bool


Steps = Generator[Any, Any, Any]


@dataclass
class Call:
    tool: str
    arguments: Json
    options: dict[str, Any]
    context: RunContext
    #: Returns the arguments as they are now: they may have been changed while the call waited.
    read: Callable[[], Json]


@dataclass
class Verdict:
    status: str
    edits: Json = None


@dataclass
class Standing:
    """Where a call stands before it runs: what a person has to decide, or had to."""

    held: dict[str, Any]
    verdict: Verdict


class Protocol:
    """The steps of every operation, with the client's settings."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self._failures = 0
        self._open_until = 0.0
        self._agent: str | None = settings.get("agent")

    # Requests

    def send(
        self,
        method: str,
        path: str,
        body: Json = None,
        *,
        idempotency_key: str | None = None,
        accept: tuple[int, ...] = (),
        timeout: float | None = None,
        attempt_timeout: float = math.inf,
    ) -> Steps:
        """Sends a request with retries. Raises ``Unavailable`` without an answer in time."""
        limit = self.settings["timeout"] if timeout is None else timeout
        deadline = time.monotonic() + limit
        if self._open_until > time.monotonic():
            raise errors.Unavailable("The service did not answer the last calls", code="CIRCUIT_OPEN")
        for attempt in range(1, ATTEMPTS + 1):
            left = max(0.001, min(deadline - time.monotonic(), attempt_timeout))
            reply: Reply = yield Request(method, path, left, body, idempotency_key)
            if reply.status and reply.status not in RETRIED:
                self._failures = 0
                if reply.status < 300 or reply.status in accept:
                    return reply
                raise to_refusal(reply)
            pause = max(_read_retry_after(reply), random.random() * FIRST_PAUSE * 2**attempt)
            if attempt == ATTEMPTS or time.monotonic() + pause > deadline:
                raise self._to_unavailable(reply)
            yield Pause(pause)
        raise AssertionError("unreachable")

    def _to_unavailable(self, reply: Reply) -> errors.Unavailable:
        if reply.status:
            return errors.Unavailable(reply.message, code=reply.code, status=reply.status)
        # A service that answers is there: only silence opens the circuit.
        self._failures += 1
        if self._failures >= CIRCUIT_FAILURES:
            self._failures = 0
            self._open_until = time.monotonic() + CIRCUIT_OPEN
        return errors.Unavailable("The service does not answer", code="NO_ANSWER")

    def find_agent(self) -> Steps:
        if self._agent is None:
            reply = yield from self.send("GET", f"{API}/auth/key")
            agent = reply.data.get("agent")
            if not isinstance(agent, dict):
                raise errors.Invalid("The key belongs to no agent: set agent, or ASSAY_AGENT")
            self._agent = str(agent["_id"])
        return self._agent

    # A guarded call

    def execute(self, call: Call) -> Steps:
        """Proposes, waits where a person decides, claims, runs, reports. In this order and no other."""
        mode = self.settings["mode"]
        if mode == "off":
            return (yield Run(call.arguments, False))
        action = build_action(call, call.arguments)
        key = derive_key(call.context, self.settings)
        try:
            body = yield from self._build_body(call, {"mode": "observed" if mode == "observe" else "enforced"})
            reply = yield from self._propose(body, key, is_observed=mode == "observe")
        except errors.Unavailable as error:
            if mode != "observe":
                return (yield from self._run_unasked(call, key, error))
            self.settings["on_error"](error)
            reply = None
        if reply is None or mode == "observe":
            return (yield Run(call.arguments, False))
        held = to_held(reply, action, self.settings["url"])
        assert_bound(held, hash_json(shorten_action(action)))
        must_claim = call.options.get("claim") == "always" or reply.data.get("claimRequired") is True
        if reply.status != 202 and not must_claim:
            if canonicalize(call.read()) != canonicalize(call.arguments):
                raise errors.ActionChanged("The arguments changed while they were asked for", code="ACTION_CHANGED")
            return (yield Run(call.arguments, False))
        if reply.status != 202:
            return (yield from self.run_approved(call, held, Verdict("approved")))
        if self._option(call, "on_hold") == "suspend":
            verdict = Verdict("pending")
            # What was proposed before may be decided by now.
            if reply.headers.get("idempotency-replayed") == "true":
                verdict = yield from self.await_verdict(held["traceId"], 0)
            if verdict.status == "pending":
                raise errors.Held(held)
        else:
            verdict = yield from self._await_or_withdraw(call, held["traceId"])
        return (yield from self.run_approved(call, held, verdict))

    def ask_first(self, call: Call) -> Steps:
        """Asks without running anything: returns what is held and its verdict, or None where no person has to decide."""
        if "run_id" not in call.context or "call_id" not in call.context:
            raise errors.Invalid("To ask before a call, name the run and the call: run_id and call_id")
        # A call that is observed, or that nothing governs, is recorded when it runs.
        if self.settings["mode"] != "enforce":
            return None
        body = yield from self._build_body(call, {"mode": "enforced"})
        reply = yield from self._propose(body, derive_key(call.context, self.settings), is_observed=False)
        if reply.status != 202:
            return None
        held = to_held(reply, build_action(call, call.arguments), self.settings["url"])
        verdict = Verdict("pending")
        if reply.headers.get("idempotency-replayed") == "true":
            verdict = yield from self.await_verdict(held["traceId"], 0)
        return Standing(held, verdict)

    def run_approved(self, call: Call, held: dict[str, Any], verdict: Verdict) -> Steps:
        """Runs an approved call, after a claim for exactly the arguments that are about to be passed."""
        trace_id = held["traceId"]
        assert_approved(trace_id, verdict)
        current = build_action(call, call.read())
        sent = shorten_action(current)
        digests: dict[str, Json] = {"rawActionDigest": hash_json(sent)}
        assert_bound(held, digests["rawActionDigest"])
        if canonicalize(current) != canonicalize(held["action"]):
            raise errors.ActionChanged("The arguments changed while the call waited", code="ACTION_CHANGED", trace_id=trace_id)
        arguments = call.read()
        if verdict.edits is not None:
            patched = merge_patch(current, verdict.edits)
            if patched.get("tool") != call.tool:
                raise errors.ActionChanged("The reviewer asks for another tool", code="ACTION_CHANGED", trace_id=trace_id)
            arguments = patched.get("arguments")
            # The service keeps no raw action: it applies the edits to this one, compares, and forgets it.
            digests["action"] = sent
            digests["editedActionDigest"] = hash_json(shorten_action(build_action(call, arguments)))
        claim = yield from self._claim(trace_id, digests)
        return (yield from self._run_claimed(call, trace_id, str(claim["executionId"]), Run(arguments, verdict.edits is not None)))

    def await_verdict(self, trace_id: str, seconds: float) -> Steps:
        """Waits for a verdict, over restarts of the service. The status is ``pending`` when the time is over."""
        deadline = time.monotonic() + seconds
        while True:
            left = max(0.0, deadline - time.monotonic())
            wait = int(min(WAIT_MAX, left))
            path = f"{API}/traces/{quote(trace_id, safe='')}" + (f"?wait={wait}" if wait else "")
            try:
                reply = yield from self.send("GET", path, timeout=wait + WAIT_MARGIN)
            except errors.Unavailable:
                if left <= 1:
                    raise
                yield Pause(1.0)
                continue
            review = reply.data.get("review") or {}
            status = reply.headers.get("x-review-status") or review.get("status") or "none"
            if status != "pending" or left < 1:
                return Verdict(status, review.get("edits"))

    def withdraw(self, trace_id: str) -> Steps:
        """Withdraws a request. Returns false when it was decided before."""
        path = f"{API}/traces/{quote(trace_id, safe='')}/withdraw"
        reply = yield from self.send("POST", path, {}, accept=(400, 404, 409))
        return reply.status < 300

    def resume(self, held: dict[str, Any], options: dict[str, Any]) -> Steps:
        """Carries out a suspended action once a person has approved it."""
        verdict = yield from self.await_verdict(held["traceId"], 0)
        action = dict(held["action"])
        tool, arguments = action.pop("tool"), action.pop("arguments")
        call = Call(tool, arguments, {**options, "members": action}, RunContext(), lambda: arguments)
        return (yield from self.run_approved(call, held, verdict))

    def send_entry(self, entry: dict[str, Any]) -> Steps:
        """Sends an entry of the journal. A decision that a policy would have blocked is stored, too."""
        key = entry["idempotencyKey"]
        reply = yield from self.send("POST", f"{API}/traces", entry["body"], idempotency_key=key, accept=(403,))
        if reply.status == 403 and reply.code != "SVC_BLOCKED_BY_POLICY":
            raise to_refusal(reply)
        return None

    def _propose(self, body: Json, key: str, *, is_observed: bool) -> Steps:
        accept = (403,) if is_observed else ()
        return (yield from self.send("POST", f"{API}/traces", body, idempotency_key=key, accept=accept))

    def _claim(self, trace_id: str, digests: dict[str, Json]) -> Steps:
        """Claims the approval, once.

        A claim whose answer is lost is repeated under the same key, which is made here and kept nowhere: another
        process, or this one after a restart, cannot know whether the action was carried out.
        """
        path = f"{API}/traces/{quote(trace_id, safe='')}/executions"
        key = str(uuid.uuid4())
        reply = yield from self.send(
            "POST", path, digests, accept=(403, 409), idempotency_key=key, attempt_timeout=CLAIM_ATTEMPT
        )
        if reply.status >= 300:
            raise to_claim_error(trace_id, reply)
        return reply.data

    def _run_claimed(self, call: Call, trace_id: str, execution_id: str, run: Run) -> Steps:
        began = time.monotonic()

        def outcome(name: str) -> dict[str, Json]:
            return {"outcome": name, "durationMs": round((time.monotonic() - began) * 1000)}

        try:
            result = yield run
        except BaseException:
            yield from self._report(trace_id, execution_id, outcome("failed"))
            raise
        described = outcome("succeeded")
        try:
            described["resultDigest"] = hash_json(json.loads(json.dumps(result, allow_nan=False)))
        except (TypeError, ValueError, errors.Invalid):
            pass  # What is no JSON has no digest.
        yield from self._report(trace_id, execution_id, described)
        return result

    def _report(self, trace_id: str, execution_id: str, outcome: Json) -> Steps:
        """An outcome that cannot be reported does not undo the action: the service seals ``unknown``."""
        path = f"{API}/traces/{quote(trace_id, safe='')}/executions/{quote(execution_id, safe='')}"
        try:
            yield from self.send("PATCH", path, outcome)
        except errors.AssayError as error:
            self.settings["on_error"](error)

    def _await_or_withdraw(self, call: Call, trace_id: str) -> Steps:
        verdict = yield from self.await_verdict(trace_id, self._option(call, "wait"))
        if verdict.status != "pending":
            return verdict
        leaves = self._option(call, "on_timeout") == "leave"
        # A verdict that came at the last moment counts.
        if not leaves and not (yield from self.withdraw(trace_id)):
            return (yield from self.await_verdict(trace_id, 0))
        end = "the request stays open" if leaves else "the request is withdrawn"
        raise errors.NotDecided(f"No person has decided yet; {end}", code="APPROVAL_PENDING", trace_id=trace_id)

    def _run_unasked(self, call: Call, key: str, error: errors.Unavailable) -> Steps:
        """The service is not there: refuse, or run on the record."""
        how = self._option(call, "on_unavailable")
        may_run = how == "allow" or (how == "allow-read-only" and call.options.get("read_only") is True)
        journal = self.settings.get("journal")
        if not may_run or journal is None or self._agent is None:
            raise error
        executed_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        body = yield from self._build_body(call, {"mode": "offline", "executedAt": executed_at})
        journal.append({"idempotencyKey": key, "body": body})
        return (yield Run(call.arguments, False))

    def _build_body(self, call: Call, assay: dict[str, Json]) -> Steps:
        context = call.context
        action = build_action(call, call.arguments)
        short = shorten_action(action)
        trigger = context.get("trigger")
        given = {
            "prompt": context.get("prompt") or (None if trigger else f"Call of {call.tool}"),
            "trigger": trigger,
            "systemPrompt": context.get("system_prompt"),
            "conversationId": context.get("conversation_id"),
        }
        decision: dict[str, Json] = {"action": short}
        if context.get("rationale"):
            decision["rationale"] = context["rationale"]
        if short is not action:
            decision["toolCalls"] = [{"name": call.tool, "arguments": call.arguments}]
        agent = yield from self.find_agent()
        optional = {
            "agentVersion": context.get("agent_version") or self.settings.get("agent_version"),
            "sessionId": context.get("session_id"),
            "parentTraceId": context.get("parent_trace_id"),
            "actor": context.get("actor"),
        }
        body: dict[str, Json] = {
            "agentId": agent,
            "inputContext": {key: value for key, value in given.items() if value is not None},
            "outputDecision": decision,
            "metadata": {**context.get("metadata", {}), "assay": {"sdk": "sdk-python", "sdkVersion": VERSION, **assay}},
            **{key: value for key, value in optional.items() if value is not None},
        }
        if call.options.get("expires_in") is not None:
            body["review"] = {"expiresIn": call.options["expires_in"]}
        return body

    def _option(self, call: Call, name: str) -> Any:
        given = call.options.get(name)
        return self.settings[name] if given is None else given


def build_action(call: Call, arguments: Json) -> dict[str, Json]:
    """What is asked for. Its members come first, so that they cannot replace tool and arguments."""
    return {**(call.options.get("members") or {}), "tool": call.tool, "arguments": arguments}


def assert_bound(held: dict[str, Any], raw_action_digest: str) -> None:
    """A repeated name of a call gets the decision about the first one: it says nothing about other arguments."""
    binding = held.get("binding")
    if binding and compute_commitment(binding["salt"], raw_action_digest) != binding["commitment"]:
        raise errors.ActionChanged(
            "The action is not the one that was asked for", code="ACTION_CHANGED", trace_id=held["traceId"]
        )


def derive_key(context: RunContext, settings: dict[str, Any]) -> str:
    """The same call in the same run is the same decision; without names of both, each call is another."""
    if "run_id" not in context or "call_id" not in context:
        return str(uuid.uuid4())
    named = [settings.get("agent") or "", context["run_id"], context["call_id"]]
    return hashlib.sha256(json.dumps(named, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def to_held(reply: Reply, action: Json, url: str) -> dict[str, Any]:
    links = reply.data.get("links") or {}
    review = links.get("review")
    return {
        "traceId": reply.data.get("traceId"),
        "action": action,
        "binding": reply.data.get("binding"),
        "expiresAt": reply.data.get("expiresAt"),
        "review": urljoin(url, review) if isinstance(review, str) else None,
    }


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
    raise kind(message, code=code, trace_id=trace_id)


def to_refusal(reply: Reply) -> errors.AssayError:
    """Returns the error that a refusal stands for."""
    details: dict[str, Any] = {
        "code": reply.code,
        "status": reply.status,
        "request_id": reply.headers.get("x-request-id"),
    }
    if reply.code == "SVC_BLOCKED_BY_POLICY":
        policy = (reply.data.get("matchedPolicy") or {}).get("name")
        return errors.Blocked(reply.message, policy=policy, trace_id=reply.data.get("traceId"), **details)
    kind = errors.Unauthorised if reply.status in (401, 403) else errors.Invalid
    return kind(reply.message, **details)


def to_claim_error(trace_id: str, reply: Reply) -> errors.AssayError:
    kinds: dict[str, type[errors.AssayError]] = {
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
    kind = kinds.get(reply.code, errors.Unauthorised if reply.status == 403 else errors.Invalid)
    return kind(reply.message, code=reply.code, status=reply.status, trace_id=trace_id)


def _read_retry_after(reply: Reply) -> float:
    try:
        return max(0.0, float(reply.headers.get("retry-after", "0")))
    except ValueError:
        return 0.0
