"""Agents without keys: the token that the platform gives a workload is exchanged for a run token, and renewed in time."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitedTooLong
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from . import errors
from .workload_api import fetch_jwt_svid

__all__ = ["Identity", "IdentityService", "file", "github", "kubernetes", "spiffe", "token"]

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
JWT = "urn:ietf:params:oauth:token-type:jwt"
#: Where the guide mounts a projected token of a service account.
KUBERNETES_FILE = "/var/run/secrets/assay/token"
#: Characters of an answer that are read.
ANSWER_MAX = 100_000

#: Reads the token of the workload for an audience. A coroutine function runs in a loop of its own.
Read = Callable[[str], "str | Awaitable[str]"]


@dataclass(frozen=True)
class IdentityService:
    """What an identity needs to know of the service."""

    url: str
    #: The id of the agent.
    agent: str
    #: Seconds for a new run token.
    timeout: float


@dataclass(frozen=True)
class _RunToken:
    token: str
    renew_at: float
    ends_at: float


class _Renewal:
    """A run token on its way: whoever needs it waits for the same one."""

    def __init__(self, make: Callable[[], _RunToken]) -> None:
        self.result: Future[_RunToken] = Future()
        self._make = make
        self._thread = threading.Thread(target=self._run, daemon=True, name="assay-identity")
        self._thread.start()

    @property
    def is_open(self) -> bool:
        """Whether it will still end: after a fork its thread is gone."""
        return self._thread.is_alive() and not self.result.done()

    def _run(self) -> None:
        try:
            self.result.set_result(self._make())
        except BaseException as error:
            self.result.set_exception(error)


class Identity:
    """Gives a run token that is valid now. One may serve many threads, loops and clients of the same agent."""

    def __init__(self, read: Read, audience: str | None = None) -> None:
        self._read = read
        self._audience = audience
        self._lock = threading.Lock()
        self._runs: dict[IdentityService, _RunToken] = {}
        self._renewals: dict[IdentityService, _Renewal] = {}

    def get(self, service: IdentityService) -> str:
        """Waits for a new run token where one is due, as long as a call may take."""
        known, renewal = self._begin(service)
        if renewal is None:
            assert known is not None
            return known.token
        try:
            return renewal.result.result(service.timeout).token
        except Exception as error:
            return self._fall_back(service, error)

    async def get_async(self, service: IdentityService) -> str:
        """Likewise, in a loop. Who is cancelled takes the token away from nobody else."""
        known, renewal = self._begin(service)
        if renewal is None:
            assert known is not None
            return known.token
        try:
            waiting = asyncio.shield(asyncio.wrap_future(renewal.result))
            return (await asyncio.wait_for(waiting, service.timeout)).token
        except Exception as error:
            return self._fall_back(service, error)

    def _begin(self, service: IdentityService) -> tuple[_RunToken | None, _Renewal | None]:
        """Returns the token in force, or what renews it."""
        with self._lock:
            known = self._runs.get(service)
            if known is not None and time.time() < known.renew_at:
                return known, None
            renewal = self._renewals.get(service)
            if renewal is None or not renewal.is_open:
                renewal = self._renewals[service] = _Renewal(lambda: self._renew(service))
            return known, renewal

    def _renew(self, service: IdentityService) -> _RunToken:
        read: Any = self._read(self._audience or service.url)
        subject = asyncio.run(_await(read)) if inspect.isawaitable(read) else read
        run = _exchange(service, subject)
        with self._lock:
            self._runs[service] = run
        return run

    def _fall_back(self, service: IdentityService, error: Exception) -> str:
        """One that is still good is used as long as it is."""
        with self._lock:
            known = self._runs.get(service)
        if known is not None and time.time() < known.ends_at:
            return known.token
        if isinstance(error, (WaitedTooLong, asyncio.TimeoutError, TimeoutError)):
            raise errors.Unavailable("The workload has no run token in time", code="NO_ANSWER") from error
        raise error


async def _await(read: Awaitable[str]) -> str:
    return await read


def token(read: Read, *, audience: str | None = None) -> Identity:
    """An identity whose token a function reads, each time when a run token is due, in a thread of its own.

    ``audience``: what ``aud`` of the workload's token holds; default: the address of the service.
    """
    return Identity(read, audience)


def file(path: str | os.PathLike[str]) -> Identity:
    """A token that the platform keeps in a file and renews."""
    return token(lambda _: Path(path).read_text(encoding="utf-8").strip())


def kubernetes(path: str | os.PathLike[str] = KUBERNETES_FILE) -> Identity:
    """The projected token of a service account of Kubernetes."""
    return file(path)


def github(*, audience: str | None = None) -> Identity:
    """The token of a job of GitHub Actions with the permission ``id-token: write``."""

    def read(wanted: str) -> str:
        url, bearer = (os.environ.get(f"ACTIONS_ID_TOKEN_REQUEST_{name}") for name in ("URL", "TOKEN"))
        if url is None or bearer is None:
            raise errors.Invalid("The job lacks the permission `id-token: write`")
        headers = {"authorization": f"Bearer {bearer}"}
        status, body = _call("GET", f"{url}&audience={quote(wanted, safe='')}", headers=headers, timeout=10.0)
        if isinstance(body.get("value"), str):
            return str(body["value"])
        raise errors.Unavailable(f"GitHub gives no token: status {status}", status=status or None)

    return token(read, audience=audience)


def spiffe(socket: str | None = None, *, spiffe_id: str | None = None, audience: str | None = None) -> Identity:
    """A JWT-SVID of the Workload API of SPIFFE, with the extra ``assay[spiffe]``.

    ``socket``: where it listens, ``unix:///PATH`` or ``tcp://IP:PORT``; else ``SPIFFE_ENDPOINT_SOCKET``. ``spiffe_id``:
    which of the workload's identities, where it has several; default: the first.
    """

    def read(wanted: str) -> str:
        address = socket or os.environ.get("SPIFFE_ENDPOINT_SOCKET")
        if not address:
            raise errors.Invalid("Name the socket of the Workload API, or set SPIFFE_ENDPOINT_SOCKET")
        return fetch_jwt_svid(address, wanted, spiffe_id)

    return token(read, audience=audience)


def _exchange(service: IdentityService, subject: str) -> _RunToken:
    """Raises ``Unauthorised`` for a refusal, ``Unavailable`` without an answer."""
    form = {
        "grant_type": EXCHANGE,
        "audience": service.agent,
        "subject_token": subject,
        "subject_token_type": JWT,
    }
    asked = time.time()
    status, body = _call("POST", f"{service.url}/api/v1/auth/token", data=form, timeout=service.timeout)
    run, seconds = body.get("access_token"), body.get("expires_in")
    if status == 200 and isinstance(run, str) and isinstance(seconds, (int, float)):
        return _RunToken(run, asked + seconds * 2 / 3, asked + seconds)
    if status == 0:
        raise errors.Unavailable("The service does not answer", code="NO_ANSWER", is_away=True)
    error, why = body.get("error"), body.get("error_description")
    if status == 400 and isinstance(error, str):
        raise errors.Unauthorised(why if isinstance(why, str) else error, code=error, status=400)
    raise errors.Unavailable(f"The service gives no run token: status {status}", status=status)


def _call(method: str, url: str, *, timeout: float, **parts: Any) -> tuple[int, dict[str, Any]]:
    """Status and members of an answer. Status 0: there was none; no members: it was no object, or too long or slow."""
    ends = time.monotonic() + timeout
    text = b""
    status = 0
    try:
        with httpx.stream(method, url, timeout=timeout, follow_redirects=False, **parts) as answer:
            status = answer.status_code
            for chunk in answer.iter_bytes():
                text += chunk
                if len(text) > ANSWER_MAX or time.monotonic() > ends:
                    return status, {}
        body = json.loads(text)
    except (httpx.HTTPError, ValueError, RecursionError):
        return status, {}
    return status, body if isinstance(body, dict) else {}
