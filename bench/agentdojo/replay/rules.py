"""Policies in the rule language, as far as the rules of this benchmark use it.

An expression is ``a && b``, ``a || b`` and parentheses over ``fact.contains(x)``, ``fact.anyIn([...])``,
``fact.matches(text)``, ``fact == x`` and the same with ``!`` before it. Whatever else stands there is an error, so that
no rule is read other than the service reads it (docs/reference/rule-language.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Facts = Mapping[str, Any]
Test = Callable[[Facts], bool]

_WORDS = re.compile(
    r"""\s*(?:(?P<sign>&&|\|\||[()!])
      |(?P<field>[a-z]\w*(?:\.(?!(?:contains|anyIn|matches)\()\w+)*)
         (?:\.(?P<call>contains|anyIn|matches)\((?P<value>"(?:[^"\\]|\\.)*"|\[[^\]]*\])\)|\s*==\s*(?P<equal>"[^"]*"|true|false)))""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Policy:
    """What one source says: when it applies, what it does then, and why."""

    name: str
    applies: Test
    action: str
    reason: str


def read_policy(source: str) -> Policy:
    """Reads a policy of one ``when`` and one ``then``."""
    found = re.fullmatch(r'\s*policy (".*?")\s+when\s+(.*?)\s+then (\w+) (\{.*\})\s*', source, re.DOTALL)
    if found is None:
        raise ValueError(f"no policy with one when and one then: {source[:80]!r}")
    name, expression, action, config = found.groups()
    return Policy(json.loads(name), _Reader(expression).read(), action, json.loads(config)["reason"])


class _Reader:
    """Reads an expression by descent; ``&&`` binds tighter than ``||``."""

    def __init__(self, expression: str) -> None:
        self._words: list[re.Match[str]] = []
        at = 0
        while at < len(expression):
            word = _WORDS.match(expression, at)
            if word is None:
                raise ValueError(f"not understood: {expression[at : at + 60]!r}")
            self._words.append(word)
            at = word.end()

    def read(self) -> Test:
        test = self._read_any()
        if self._words:
            raise ValueError(f"more than an expression: {self._words[0].group()!r}")
        return test

    def _take(self, sign: str) -> bool:
        if self._words and self._words[0]["sign"] == sign:
            self._words.pop(0)
            return True
        return False

    def _read_any(self) -> Test:
        tests = [self._read_all()]
        while self._take("||"):
            tests.append(self._read_all())
        return lambda facts: any(test(facts) for test in tests)

    def _read_all(self) -> Test:
        tests = [self._read_one()]
        while self._take("&&"):
            tests.append(self._read_one())
        return lambda facts: all(test(facts) for test in tests)

    def _read_one(self) -> Test:
        if self._take("!"):
            test = self._read_one()
            return lambda facts: not test(facts)
        if self._take("("):
            inner = self._read_any()
            if not self._take(")"):
                raise ValueError("a parenthesis is not closed")
            return inner
        if not self._words or self._words[0]["field"] is None:
            raise ValueError("a condition is missing")
        return _make_test(self._words.pop(0))


def _make_test(word: re.Match[str]) -> Test:
    field, call = word["field"], word["call"]
    value = json.loads(word["value"] if call else word["equal"])

    def read(facts: Facts) -> Any:
        return facts.get(field)

    if call == "contains":
        return lambda facts: value in (read(facts) or [])
    if call == "anyIn":
        return lambda facts: any(item in value for item in read(facts) or [])
    if call == "matches":
        pattern = re.compile(value)
        return lambda facts: any(pattern.search(item) for item in read(facts) or [])
    return lambda facts: read(facts) == value
