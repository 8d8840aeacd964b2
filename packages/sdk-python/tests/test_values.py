"""How arguments are written in an action, and how what a reviewer changed becomes arguments again."""

from __future__ import annotations

import datetime
import decimal
import enum
import pathlib
import uuid
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import assay
from assay.arguments import Passed, describe_call, describe_kept
from assay.spelling import restore, to_json


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Money:
    amount: decimal.Decimal
    currency: str = "EUR"


class Point(NamedTuple):
    x: int
    y: int


ID = uuid.UUID("12345678-1234-5678-1234-567812345678")
WHEN = datetime.datetime(2026, 11, 28, 15, 0, tzinfo=datetime.timezone.utc)
SPELT = [
    (decimal.Decimal("90.00"), "90.00", "50.00", decimal.Decimal("50.00")),
    (ID, str(ID), "00000000-0000-0000-0000-000000000000", uuid.UUID(int=0)),
    (WHEN, "2026-11-28T15:00:00+00:00", "2027-01-01T00:00:00+00:00", datetime.datetime(2027, 1, 1, tzinfo=datetime.timezone.utc)),
    (datetime.date(2026, 11, 28), "2026-11-28", "2027-01-01", datetime.date(2027, 1, 1)),
    (datetime.time(15, 30), "15:30:00", "16:00:00", datetime.time(16)),
    ({"b", "a"}, ["a", "b"], ["a"], {"a"}),
    ((1, 2), [1, 2], [1, 3], (1, 3)),
    (Point(1, 2), [1, 2], [1, 3], Point(1, 3)),
    (Colour.RED, "red", "blue", Colour.BLUE),
    (Money(decimal.Decimal("90")), {"amount": "90", "currency": "EUR"}, {"amount": "50", "currency": "EUR"}, Money(decimal.Decimal("50"))),
    (pathlib.PurePosixPath("/a"), "/a", "/b", pathlib.PurePosixPath("/b")),
    (2**60, str(2**60), "5", 5),
    ([Money(decimal.Decimal("90"))], [{"amount": "90", "currency": "EUR"}], [{"amount": "1", "currency": "EUR"}], [Money(decimal.Decimal("1"))]),
    ({"to": ID}, {"to": str(ID)}, {"to": str(ID), "note": "x"}, {"to": ID, "note": "x"}),
]


@pytest.mark.parametrize(("value", "text", "edited", "restored"), SPELT, ids=lambda value: str(value)[:40])
def test_values_are_spelt_and_restored(value: Any, text: Any, edited: Any, restored: Any) -> None:
    assert to_json(value) == text
    assert restore(value, text) is value
    assert restore(value, edited) == restored


def test_what_contains_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(assay.Invalid, match="nested"):
        to_json(loop)


def pay(order: str, amount: decimal.Decimal, *notes: str, urgent: bool = False, **more: Any) -> Any:
    return order, amount, notes, urgent, more


def change(edited: Any, *args: Any, **kwargs: Any) -> Any:
    passed = describe_call(pay, Passed(args, kwargs), {}).edit(edited)
    return pay(*passed.args, **passed.kwargs)


GIVEN = {"order": "A", "amount": "90", "notes": ["x"], "urgent": False, "more": {"k": 1}}


def test_what_was_edited_is_what_is_passed() -> None:
    given = describe_call(pay, Passed(("A", decimal.Decimal("90"), "x"), {"k": 1}), {})
    assert given.read() == GIVEN
    result = change({**GIVEN, "amount": "50", "notes": ["x", "y"], "more": {"k": 2}}, "A", decimal.Decimal("90"), "x", k=1)
    assert result == ("A", decimal.Decimal("50"), ("x", "y"), False, {"k": 2})


@pytest.mark.parametrize(
    "edited",
    [
        {**GIVEN, "unknown": 1},
        {name: value for name, value in GIVEN.items() if name != "urgent"},
        {**GIVEN, "amount": "fifty"},
        {**GIVEN, "notes": "xy"},
        ["A", "50"],
        "A",
        None,
    ],
)
def test_what_cannot_be_passed_exactly_as_approved_is_refused(edited: Any) -> None:
    with pytest.raises(assay.ActionChanged):
        change(edited, "A", decimal.Decimal("90"), "x", k=1)


def test_a_mapping_of_ones_own_is_checked() -> None:
    options = {"leave_out": ("session",), "from_arguments": lambda edited: {"cents": int(edited["cents"])}}

    def charge(session: object, cents: int) -> int:
        return cents

    given = describe_call(charge, Passed((object(), 90), {}), options)
    assert given.read() == {"cents": 90}
    assert given.edit({"cents": 50}).args[1] == 50
    with pytest.raises(assay.ActionChanged):
        given.edit({"cents": 50.5})


def test_methods_leave_out_their_owner() -> None:
    class Till:
        def refund(self, order: str) -> str:
            return order

    assert describe_call(Till.refund, Passed((Till(), "A"), {}), {}).read() == {"order": "A"}


def test_an_application_s_own_type_is_not_left_out() -> None:
    @dataclass
    class RunContext:
        target: str

    def wipe(context: RunContext) -> None: ...

    assert describe_call(wipe, Passed((RunContext("db"),), {}), {}).read() == {"context": {"target": "db"}}


def test_kept_arguments_are_passed_by_their_names() -> None:
    given = describe_kept(pay, GIVEN)
    assert pay(*given.passed.args, **given.passed.kwargs) == ("A", "90", ("x",), False, {"k": 1})
    for edited in ({"order": "A"}, {**GIVEN, "order": "B", "amount": "1", "unknown": 1}, []):
        try:
            passed = given.edit(edited)
        except assay.ActionChanged:
            continue
        assert passed.kwargs.get("unknown") == 1  # ``**more`` takes it.
    with pytest.raises(assay.ActionChanged):
        describe_kept(lambda order: order, GIVEN)
    with pytest.raises(assay.ActionChanged):
        describe_kept(pay, ["A"])
