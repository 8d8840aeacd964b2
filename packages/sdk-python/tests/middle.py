"""A server that answers as it is told: what stands between an agent and Assay, or in its place."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

ANSWERS = json.loads((Path(__file__).parents[3] / "test/vectors/sdk/answers.json").read_text(encoding="utf-8"))
#: Answers to a proposal that no call may run after.
WRONG = [case for case in ANSWERS["proposals"] if case["end"] == "Unavailable" and not case["answer"].get("lost")]


class Middle:
    """Answers each connection as it is told, and keeps what it was sent."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.answer: Callable[[socket.socket], None] = lambda _: None
        self.received: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._exchange, args=(peer,), daemon=True).start()

    def _exchange(self, peer: socket.socket) -> None:
        with peer:
            try:
                data = peer.recv(1 << 20)
                self.received.append(data)
                self.answer(peer)
            except OSError:
                pass

    def close(self) -> None:
        self._socket.close()


def write(answer: Any) -> bytes:
    text = (json.dumps(answer["body"]) if "body" in answer else answer.get("text", "")).encode()
    headers = {**answer["headers"], "content-length": str(len(text) * 2 if answer.get("cut") else len(text)), "connection": "close"}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {answer['status']} X\r\n{lines}\r\n".encode() + text
