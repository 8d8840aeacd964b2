"""The application of the guide to Temporal: what an activity does, and where the server is."""

from __future__ import annotations

import os

from temporalio.client import Client

workflow_id = os.environ["WORKFLOW_ID"]


async def pay(order: str, amount: float) -> str:
    with open(os.environ["STATE_FILE"], "a", encoding="utf-8") as done:
        done.write(f"{order}\n")
    return f"done: issue_refund {order} {amount}"


async def connect() -> Client:
    return await Client.connect(os.environ["TEMPORAL_ADDRESS"])
