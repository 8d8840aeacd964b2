"""The order of a guarded call, without input and output: generators ask for requests and pauses, a client does them.

One text serves synchronous and asynchronous clients. A generator yields ``Request`` and gets a ``Reply``, yields
``Identify`` and gets a key, ``Pause`` or ``Later`` and gets nothing, yields ``Run`` and gets what the tool returned or
raises what it raised.
"""

from __future__ import annotations

import datetime
import hashlib
import itertools
import json
import math
import random
import time
import uuid
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from . import errors
from .answers import (
    AWAY,
    RETRIED,
    Claim,
    Proposal,
    Reply,
    Verdict,
    assert_approved,
    assert_bound,
    assert_recorded,
    is_amount,
    read_claim,
    read_proposal,
    read_verdict,
    read_withdrawal,
    refuse,
)
from .arguments import Given, Passed
from .context import RunContext
from .endings import Outcome, judge, judge_result
from .large_arguments import count_bytes, shorten_action
from .values import Json, canonicalize, hash_json, merge_patch

API = "/api/v1"
ATTEMPTS = 4
FIRST_PAUSE = 0.2
CIRCUIT_FAILURES = 3
CIRCUIT_OPEN = 10.0
#: The longest wait of one request, in seconds, and the time that its answer may take beyond it.
WAIT_MAX = 55
WAIT_MARGIN = 10.0
#: The least time between two questions about a verdict, in seconds.
WAIT_PAUSE = 1.0
#: Seconds for the first attempt of a claim: then its answer counts as lost.
CLAIM_ATTEMPT = 3.0
#: Seconds for a claim with all its attempts, and for what the service asks to wait where the approval has no end.
CLAIM_TIME = 60.0
CLAIM_PATIENCE = 600.0
#: The service's lease in seconds, where it does not say when it ends.
LEASE = 600.0
#: The first and the longest pause before an outcome is sent again, in seconds.
OUTCOME_PAUSE = 1.0
OUTCOME_PAUSE_MAX = 30.0
#: Seconds for the withdrawal of a call that is being left.
LEAVING = 3.0
#: What a decision can keep of the whole arguments, beside the digests that bind them.
WHOLE_BYTES_MAX = 100_000
#: What a generator yields, as far as values of later calls are looked for in it.
ITEMS_MAX = 10_000
VERSION = "0.1.0"


@dataclass
class Request:
    method: str
    path: str
    timeout: float
    body: Json = None
    idempotency_key: str | None = None
    #: Instead of the client's key.
    key: str | None = None


@dataclass
class Identify:
    """Asks for the key of a client that has an identity instead."""


@dataclass
class Pause:
    seconds: float


@dataclass
class Run:
    """Runs the tool with ``passed``. What it asks for in turn are children of ``trace_id``."""

    passed: Passed
    trace_id: str | None = None
    #: Hears what a generator yields.
    note: Callable[[Any], None] | None = None


class Abandoned(BaseException):
    """The caller has left the tool before its end."""


Steps = Generator[Any, Any, Any]


@dataclass
class Later:
    """Steps that go on while the caller has its result."""

    steps: Steps


@dataclass
class Call:
    tool: str
    given: Given
    options: dict[str, Any]
    context: RunContext

    @property
    def is_named(self) -> bool:
        """Whether it can be asked for again, as the same call."""
        return "run_id" in self.context and "call_id" in self.context


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
        patience: float = 0.0,
        is_begun: bool = False,
    ) -> Steps:
        """Sends a request with retries. Raises ``Unavailable`` without an answer that can be used in time.

        ``attempt_timeout``: seconds after which the first attempt is given up, doubled for each further one.
        ``patience``: seconds for which ``Retry-After`` is obeyed beyond the time-out.
        ``is_begun``: it is sent though others met silence: what was begun is brought to its end.
        """
        limit = self.settings["timeout"] if timeout is None else timeout
        begun = time.monotonic()
        deadline = begun + limit
        if self._open_until > begun and not is_begun:
            raise errors.Unavailable("The service did not answer the last calls", code="CIRCUIT_OPEN", is_away=True)
        key: str | None = (yield Identify()) if self.settings.get("identity") else None
        # Silence after another answer is not that the service is away.
        answered: Reply | None = None
        for attempt in itertools.count(1):
            left = max(0.001, min(deadline - time.monotonic(), attempt_timeout * 2.0 ** (attempt - 1)))
            reply: Reply = yield Request(method, path, left, body, idempotency_key, key)
            if not reply.is_silence and reply.status not in AWAY:
                answered = reply
            if not reply.is_silence and not is_begun:
                self._failures = 0
            if reply.status and reply.status not in RETRIED and not reply.is_cut:
                is_accepted = reply.status in accept and reply.is_refusal
                return reply if 200 <= reply.status < 300 or is_accepted else refuse(reply)
            pause = max(reply.retry_after, random.random() * FIRST_PAUSE * 2.0**attempt)
            # A time that the service names is no failure: it is waited for as long as the call may take.
            if reply.retry_after > 0 and time.monotonic() + pause < begun + patience:
                deadline = max(deadline, time.monotonic() + pause + limit)
            is_last = attempt >= ATTEMPTS and reply.retry_after == 0
            if is_last or time.monotonic() + pause > deadline:
                self._fail(answered or reply, is_begun)
            yield Pause(pause)

    def _fail(self, reply: Reply, is_begun: bool) -> None:
        if not reply.is_silence:
            refuse(reply)
        # A service that answers is there: only silence opens the circuit.
        if not is_begun:
            self._failures += 1
        if self._failures >= CIRCUIT_FAILURES:
            self._failures = 0
            self._open_until = time.monotonic() + CIRCUIT_OPEN
        raise errors.Unavailable("The service does not answer", code="NO_ANSWER", is_away=True)

    def find_agent(self) -> Steps:
        if self._agent is None:
            reply = yield from self.send("GET", f"{API}/auth/key")
            agent = reply.data.get("agent")
            if not isinstance(agent, dict) or not isinstance(agent.get("_id"), str):
                raise errors.Invalid("The key belongs to no agent: set agent, or ASSAY_AGENT")
            self._agent = agent["_id"]
        return self._agent

    # A guarded call

    def execute(self, call: Call) -> Steps:
        """Proposes, waits where a person decides, claims, runs, reports. In this order and no other."""
        if self.settings["mode"] == "off":
            return (yield Run(call.given.passed))
        key = derive_key(call, self.settings)
        if self.settings["mode"] == "observe":
            return (yield from self._observe(call, key))
        arguments = call.given.read()
        try:
            proposal, held = yield from self._propose(call, arguments, key)
        except errors.Unavailable as error:
            if not error.is_away:
                raise
            return (yield from self._run_unasked(call, key, error))
        verdict = Verdict("approved")
        if proposal.is_held and self._option(call, "on_hold") == "suspend":
            verdict = yield from self._read_standing(proposal)
            if verdict.status == "pending":
                raise errors.Held(held, proposal.limits)
        elif proposal.is_held:
            verdict = yield from self._await_or_withdraw(call, held["traceId"])
        elif not self._must_claim(call, proposal):
            if canonicalize(call.given.read()) != canonicalize(arguments):
                raise errors.ActionChanged("The arguments changed while they were asked for", code="ACTION_CHANGED")
            return (yield from self._run_seen(call, call.given.passed, proposal.trace_id))
        return (yield from self.run_approved(call, held, verdict))

    def ask_first(self, call: Call) -> Steps:
        """Asks without running anything: returns what is held and its verdict, or None where no person has to decide."""
        if not call.is_named:
            raise errors.Invalid("To ask before a call, name the run and the call: run_id and call_id")
        # A call that is observed, or that nothing governs, is recorded when it runs.
        if self.settings["mode"] != "enforce":
            return None
        proposal, held = yield from self._propose(call, call.given.read(), derive_key(call, self.settings))
        if not proposal.is_held:
            return None
        return Standing(held, (yield from self._read_standing(proposal)))

    def run_approved(self, call: Call, held: dict[str, Any], verdict: Verdict) -> Steps:
        """Runs an approved call, after a claim for exactly the arguments that are about to be passed."""
        trace_id = held["traceId"]
        assert_approved(trace_id, verdict)
        current = build_action(call, call.given.read())
        sent = shorten_action(current)
        digests: dict[str, Json] = {"rawActionDigest": hash_json(sent)}
        assert_bound(held, digests["rawActionDigest"])
        if canonicalize(current) != canonicalize(held["action"]):
            raise errors.ActionChanged("The arguments changed while the call waited", code="ACTION_CHANGED", trace_id=trace_id)
        passed = call.given.passed
        if verdict.edits is not None:
            edited = merge_patch(current, verdict.edits)
            if {**edited, "arguments": None} != {**current, "arguments": None}:
                raise errors.ActionChanged("The reviewer asks for another tool", code="ACTION_CHANGED", trace_id=trace_id)
            passed = call.given.edit(edited.get("arguments"))
            # The service keeps no raw action: it applies the edits to this one, compares, and forgets it.
            digests["action"] = sent
            digests["editedActionDigest"] = hash_json(shorten_action(edited))
        claim = yield from self._claim(trace_id, digests, held.get("expiresAt"))
        return (yield from self._run_claimed(call, trace_id, claim, passed))

    def await_verdict(self, trace_id: str, seconds: float) -> Steps:
        """Waits for a verdict, over restarts of the service. The status is ``pending`` when the time is over."""
        deadline = time.monotonic() + seconds
        while True:
            left = max(0.0, deadline - time.monotonic())
            wait = int(min(WAIT_MAX, left))
            path = f"{API}/traces/{quote(trace_id, safe='')}" + (f"?wait={wait}" if wait else "")
            try:
                reply = yield from self.send("GET", path, timeout=wait + WAIT_MARGIN, is_begun=True)
                verdict = read_verdict(reply, trace_id)
            except errors.Unavailable as error:
                # One answer that is not Assay's says nothing about the next.
                if left <= WAIT_PAUSE:
                    raise
                yield Pause(min(left, max(WAIT_PAUSE, error.retry_after)))
                continue
            if verdict.status != "pending" or left < 1:
                return verdict

    def withdraw(self, trace_id: str, timeout: float | None = None) -> Steps:
        """Withdraws a request. Returns false when it was decided before."""
        path = f"{API}/traces/{quote(trace_id, safe='')}/withdraw"
        reply = yield from self.send("POST", path, {}, accept=(400, 404, 409), timeout=timeout, is_begun=True)
        return read_withdrawal(reply, trace_id)

    def resume(self, call: Call, held: dict[str, Any]) -> Steps:
        """Carries out a suspended action once a person has approved it."""
        verdict = yield from self.await_verdict(held["traceId"], 0)
        return (yield from self.run_approved(call, held, verdict))

    def send_entry(self, entry: dict[str, Any]) -> Steps:
        """Sends an entry of the journal. A decision that a policy would have blocked is stored, too."""
        try:
            reply = yield from self.send("POST", f"{API}/traces", entry["body"], idempotency_key=entry["idempotencyKey"])
        except errors.Blocked:
            return None
        # Anything but a stored decision keeps the entry.
        action = entry["body"]["outputDecision"]["action"]
        read_proposal(reply, hash_json(action), self.settings["url"])
        return None

    def _propose(self, call: Call, arguments: Json, key: str) -> Steps:
        """Returns what was answered, and what is kept of it."""
        action = build_action(call, arguments)
        body = yield from self._build_body(call, action, {"mode": "enforced"})
        if (origins := self._describe_values(call, shorten_action(action))) is not None:
            body["origins"] = origins

        def post(timeout: float | None = None) -> Steps:
            reply = yield from self.send("POST", f"{API}/traces", body, idempotency_key=key, timeout=timeout)
            return read_proposal(reply, hash_json(shorten_action(action)), self.settings["url"])

        try:
            proposal = yield from post()
        except BaseException as error:
            # Another process may resume what is suspended.
            if not isinstance(error, Exception) and self._option(call, "on_hold") != "suspend":
                yield from self._try_to_leave(post(LEAVING))
            raise
        return proposal, to_held(proposal, action)

    def _try_to_leave(self, posting: Steps) -> Steps:
        """Withdraws the hold that came of a request whose caller left: it is found again under its key."""
        try:
            proposal = yield from posting
        except errors.Blocked:
            return
        except errors.AssayError as error:
            return self.settings["on_error"](error)
        if proposal.is_held:
            yield from self.leave(proposal.trace_id)

    def _observe(self, call: Call, key: str) -> Steps:
        """Posts and never stops: what cannot be posted is told to ``on_error``."""
        try:
            action = build_action(call, call.given.read())
            body = yield from self._build_body(call, action, {"mode": "observed"})
            reply = yield from self.send("POST", f"{API}/traces", body, idempotency_key=key)
            read_proposal(reply, hash_json(shorten_action(action)), self.settings["url"])
        except errors.Blocked:
            pass
        except errors.AssayError as error:
            self.settings["on_error"](error)
        return (yield Run(call.given.passed))

    def _must_claim(self, call: Call, proposal: Proposal) -> bool:
        """What is found again under its name may have run: only a claim says that it runs once."""
        wants = proposal.must_claim or call.options.get("claim") == "always"
        return wants or call.is_named or proposal.is_replay

    def _read_standing(self, proposal: Proposal) -> Steps:
        """What was proposed before may be decided by now."""
        if not proposal.is_replay:
            return Verdict("pending")
        return (yield from self.await_verdict(proposal.trace_id, 0))

    def _claim(self, trace_id: str, digests: dict[str, Json], until: str | None = None) -> Steps:
        """Claims the approval, once. ``until``: when it ends; what the service asks to wait is waited until then.

        A claim whose answer is lost is repeated under the same key, which is made here and kept nowhere: another
        process, or this one after a restart, cannot know whether the action was carried out.
        """
        reply = yield from self.send(
            "POST",
            f"{API}/traces/{quote(trace_id, safe='')}/executions",
            digests,
            accept=(403, 409),
            idempotency_key=str(uuid.uuid4()),
            attempt_timeout=CLAIM_ATTEMPT,
            timeout=CLAIM_TIME,
            patience=_count_seconds_until(until, CLAIM_PATIENCE),
            is_begun=True,
        )
        return read_claim(reply, trace_id)

    def _run_claimed(self, call: Call, trace_id: str, claim: Claim, passed: Passed) -> Steps:
        began = time.monotonic()

        def report(name: Outcome, **described: Json) -> Steps:
            outcome = {"outcome": name, "durationMs": round((time.monotonic() - began) * 1000), **described}
            return self._report(trace_id, claim, outcome)

        try:
            result = yield from self._run_seen(call, passed, trace_id)
        except Exception as error:
            yield from report(judge(error, call.options.get("judge_error")))
            raise
        except BaseException:
            # It began, and its end was not seen: cancelled, interrupted, or left by its caller.
            yield Later(report("unknown"))
            raise
        try:
            described = {"resultDigest": hash_json(json.loads(json.dumps(result, allow_nan=False)))}
        except (TypeError, ValueError, RecursionError, errors.Invalid):
            described = {}  # What is no JSON has no digest.
        name = call.options.get("judge_result", judge_result)(result)
        if name == "succeeded":
            described.update(self._read_used(call, result))
        yield from report(name, **described)
        return result

    def _run_seen(self, call: Call, passed: Passed, trace_id: str) -> Steps:
        """Runs the tool, and notes what it returned or failed with: values of later calls may come from it."""
        items: list[Any] = []

        def note(item: Any) -> None:
            if len(items) < ITEMS_MAX:
                items.append(item)

        try:
            result = yield Run(passed, trace_id, note if self.settings.get("origins") else None)
        except BaseException as error:
            self._note_result(call, trace_id, error if isinstance(error, Exception) else items)
            raise
        self._note_result(call, trace_id, items if items and result is None else result)
        return result

    def _note_result(self, call: Call, trace_id: str, result: Any) -> None:
        """What the tracker raises changes nothing."""
        origins = self.settings.get("origins")
        try:
            read = call.options.get("read_result", lambda given: given)
            if origins is not None:
                origins.add_result(call.context, trace_id, read(result))
        except Exception:
            pass

    def _describe_values(self, call: Call, action: Json) -> Json:
        origins = self.settings.get("origins")
        try:
            return None if origins is None else origins.describe(call.context, action)
        except Exception:
            return None

    def _read_used(self, call: Call, result: Any) -> dict[str, Json]:
        """What a call used in fact; where that cannot be read, what was reserved counts."""
        read = call.options.get("used")
        try:
            said = (read(result) if read else None) or {}
            used = {name: said[name] for name in ("amount", "tokens") if said.get(name) is not None}
            if not all(map(is_amount, used.values())):
                raise errors.Invalid("used: amount and tokens are finite numbers from 0 on")
            return {"used": used} if used else {}
        except Exception as error:
            self._tell(error)
            return {}

    def _tell(self, error: Exception) -> None:
        """Says what could not be reported. What that raises in turn loses no outcome."""
        try:
            self.settings["on_error"](error)
        except Exception:
            pass

    def _report(self, trace_id: str, claim: Claim, outcome: dict[str, Json]) -> Steps:
        """An outcome that cannot be reported at once is sent until the lease ends, while the caller goes on."""
        path = f"{API}/traces/{quote(trace_id, safe='')}/executions/{quote(claim.execution_id, safe='')}"

        def attempt() -> Steps:
            try:
                reply = yield from self.send("PATCH", path, outcome, is_begun=True)
            except errors.Invalid as error:
                if error.status != 400 or outcome.pop("used", None) is None:
                    raise
                # The outcome is not lost with what was used.
                self._tell(error)
                reply = yield from self.send("PATCH", path, outcome, is_begun=True)
            assert_recorded(reply, claim.execution_id)

        def insist(failure: errors.Unavailable) -> Steps:
            deadline = time.monotonic() + _count_seconds_until(claim.lease_until, LEASE)
            pause = OUTCOME_PAUSE
            while True:
                wait = max(pause, failure.retry_after)
                if time.monotonic() + wait > deadline:
                    return self.settings["on_error"](failure)
                yield Pause(wait)
                pause = min(pause * 2, OUTCOME_PAUSE_MAX)
                try:
                    return (yield from attempt())
                except errors.Unavailable as error:
                    failure = error
                except errors.AssayError as error:
                    return self.settings["on_error"](error)

        try:
            yield from attempt()
        except errors.Unavailable as error:
            yield Later(insist(error))
        except errors.AssayError as error:
            self.settings["on_error"](error)

    def _await_or_withdraw(self, call: Call, trace_id: str) -> Steps:
        leaves = self._option(call, "on_timeout") == "leave"
        try:
            verdict = yield from self.await_verdict(trace_id, self._option(call, "wait"))
        except BaseException as error:
            # Cancelled, interrupted, or without an answer: its caller waits no more.
            is_left = isinstance(error, errors.Unavailable) or not isinstance(error, Exception)
            if is_left and not leaves:
                yield from self.leave(trace_id)
            raise
        if verdict.status != "pending":
            return verdict
        # A verdict that came at the last moment counts.
        if not leaves and not (yield from self.withdraw(trace_id)):
            return (yield from self.await_verdict(trace_id, 0))
        end = "the request stays open" if leaves else "the request is withdrawn"
        raise errors.NotDecided(f"No person has decided yet; {end}", code="APPROVAL_PENDING", trace_id=trace_id)

    def leave(self, trace_id: str) -> Steps:
        """Withdraws a request whose caller waits no more."""
        try:
            yield from self.withdraw(trace_id, LEAVING)
        except errors.AssayError as error:
            self.settings["on_error"](error)

    def _run_unasked(self, call: Call, key: str, error: errors.Unavailable) -> Steps:
        """The service is away: refuse, or run on the record."""
        how = self._option(call, "on_unavailable")
        may_run = how == "allow" or (how == "allow-read-only" and call.options.get("read_only") is True)
        journal = self.settings.get("journal")
        if not may_run or journal is None or self._agent is None:
            raise error
        executed_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        action = build_action(call, call.given.read())
        body = yield from self._build_body(call, action, {"mode": "offline", "executedAt": executed_at})
        journal.append({"idempotencyKey": key, "body": body})
        return (yield Run(call.given.passed))

    def _build_body(self, call: Call, action: dict[str, Json], assay: dict[str, Json]) -> Steps:
        context = call.context
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
        if short is not action and count_bytes(action["arguments"]) <= WHOLE_BYTES_MAX:
            decision["toolCalls"] = [{"name": call.tool, "arguments": action["arguments"]}]
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


def derive_key(call: Call, settings: dict[str, Any]) -> str:
    """The same call in the same run is the same decision; without names of both, each call is another."""
    if not call.is_named:
        return str(uuid.uuid4())
    named = [settings.get("agent") or "", call.context["run_id"], call.context["call_id"]]
    return hashlib.sha256(json.dumps(named, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def to_held(proposal: Proposal, action: Json) -> dict[str, Any]:
    return {
        "traceId": proposal.trace_id,
        "action": action,
        "binding": proposal.binding,
        "expiresAt": proposal.expires_at,
        "review": proposal.review,
    }


def _count_seconds_until(moment: str | None, otherwise: float) -> float:
    try:
        ends = datetime.datetime.fromisoformat((moment or "").replace("Z", "+00:00"))
        return max(0.0, ends.timestamp() - time.time())
    except ValueError:
        return otherwise
