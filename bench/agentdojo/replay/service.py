"""The real service as a judge, asked through the SDK: each variant has an organisation of its own there.

Every answer is compared with that of the reference, which gets the same call in the same session.
"""

from __future__ import annotations

import itertools
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from assay import Assay, Blocked

from .reference import Reference, ReferenceSession, Verdict
from .variants import Variant

API = "/api/v1"


@dataclass
class Agreement:
    """How often service and reference said the same."""

    calls: int = 0
    differences: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, difference: str | None) -> None:
        with self._lock:
            self.calls += 1
            if difference is not None:
                self.differences.append(difference)


class Service:
    """Opens sessions of one agent in an organisation with the tools and policies of a variant."""

    def __init__(self, url: str, variant: Variant, agreement: Agreement) -> None:
        self.reference = Reference(variant.tools, variant.policies)
        self.agreement = agreement
        self.name = variant.name
        self.agent, key = _Organization(url).install(variant)
        self.client = Assay(url=url, key=key, timeout=60.0)
        self._numbers = itertools.count(1)

    def open_session(self) -> ServiceSession:
        return ServiceSession(self, f"replay-{next(self._numbers)}")


class ServiceSession:
    """One session at the service, and the same at the reference."""

    def __init__(self, service: Service, session_id: str) -> None:
        self._service, self._id = service, session_id
        self._reference = ReferenceSession(service.reference)

    def ask(self, name: str, arguments: Mapping[str, Any], origins: Mapping[str, Any]) -> Verdict:
        verdict = self._post(name, arguments, origins)
        reason = self._reference.find_reason(name, arguments, origins)
        if verdict.is_allowed:
            self._reference.add(verdict.trace_id, name)
        is_same = verdict.is_allowed == (reason is None)
        said = f"{self._service.name}: {name} {arguments}: service {verdict}, reference {reason}, {origins}"
        self._service.agreement.add(None if is_same else said)
        return verdict

    def _post(self, name: str, arguments: Mapping[str, Any], origins: Mapping[str, Any]) -> Verdict:
        body = {
            "agentId": self._service.agent,
            "sessionId": self._id,
            "inputContext": {"prompt": f"Call of {name}"},
            "outputDecision": {"action": {"tool": name, "arguments": arguments}},
            "origins": origins,
        }
        try:
            data = self._service.client.send("POST", f"{API}/traces", body).data
        except Blocked as blocked:
            return Verdict(blocked.trace_id or "", False, blocked.message)
        return Verdict(data["traceId"], data["status"] == "approved", str(data.get("reason", "")))


class _Organization:
    """An organisation that is registered for one variant, and its owner."""

    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url + API, timeout=60.0)
        email = f"replay-{secrets.token_hex(8)}@example.com"
        # A password needs letters in both cases and a digit, which a random one may lack.
        password = f"Aa1{secrets.token_urlsafe(24)}"
        given = {"name": "Replay", "email": email, "password": password, "organizationName": "Replay"}
        token = self._call("POST", "/auth/register", given)["token"]
        self._http.headers["authorization"] = f"Bearer {token}"

    def install(self, variant: Variant) -> tuple[str, str]:
        """Lists the tools and makes the policies. Returns the id of an agent without a limit, and a key."""
        for tool in variant.tools:
            self._call("PUT", f"/tools/{tool['name']}", {"entries": tool["entries"]})
        templates = {template["id"] for template in self._call("GET", "/policies/templates")}
        for name, source in variant.sources.items():
            if name in templates:
                self._call("POST", "/policies/from-template", {"templateId": name})
            else:
                self._call("POST", "/policies/from-adl", {"adl": source})
        agent = self._call("POST", "/agents", {"name": "replay"})["_id"]
        self._call("PATCH", f"/agents/{agent}/policies", {"maxRequestsPerMinute": None})
        return agent, self._call("POST", "/auth/keys", {"name": "replay"})["key"]

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        answer = self._http.request(method, path, json=body)
        if answer.is_error:
            raise RuntimeError(f"{method} {path} answered {answer.status_code}: {answer.text[:500]}")
        return answer.json()["data"]
