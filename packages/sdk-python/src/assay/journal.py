"""A journal of what ran while the service could not be reached: on disk before the action runs."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from typing import Any

from .errors import Invalid

ENTRIES_MAX = 10_000


class FileJournal:
    """One JSON document a line, in a file that its owner alone may read. One process writes to it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._lock = threading.Lock()
        self._count: int | None = None

    def append(self, entry: dict[str, Any]) -> None:
        """Returns when the entry is durable."""
        with self._lock:
            if self._count is None:
                # A line that was cut by a crash goes, or the next would be joined to it.
                self._replace(self._read())
            if self._count is not None and self._count >= ENTRIES_MAX:
                raise Invalid(f"The journal holds {ENTRIES_MAX} decisions: send them first")
            self._write(self._path, os.O_APPEND, json.dumps(entry) + "\n")
            self._count = (self._count or 0) + 1

    def drain(self, send: Callable[[dict[str, Any]], None]) -> int:
        """Sends every entry in order; those that fail stay. Returns the number sent."""
        with self._lock:
            entries = self._read()
            sent = 0
            try:
                for entry in entries:
                    send(entry)
                    sent += 1
            finally:
                self._replace(entries[sent:])
            return sent

    def _read(self) -> list[dict[str, Any]]:
        try:
            with open(self._path, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines() if line]

    def _replace(self, entries: list[dict[str, Any]]) -> None:
        self._count = len(entries)
        if not entries:
            if os.path.exists(self._path):
                os.unlink(self._path)
            return
        text = "".join(json.dumps(entry) + "\n" for entry in entries)
        self._write(f"{self._path}.new", os.O_TRUNC, text)
        os.replace(f"{self._path}.new", self._path)

    @staticmethod
    def _write(path: str, how: int, text: str) -> None:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | how, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
