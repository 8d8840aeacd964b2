"""Where the values of an action were seen before: in what the person wrote, or in results of decisions.

``Assay(origins=track_origins())`` sends it with each decision; ``OriginTracker`` is one session. The same rules, with the same vectors, are those of ``@assay/sdk/origins``.
"""

from __future__ import annotations

import json
import re
import threading
import unicodedata
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypedDict

from .context import RunContext
from .errors import Invalid
from .spelling import to_json
from .values import Json, canonicalize

#: Where a value was seen: ``prompt``, with ``~`` a number that is too short to be that one for certain; or
#: ``<traceId>#<pointer>``, with ``~`` within a leaf, with ``@`` as a name; ``more``: further places, or too many to look at.
Sources = list[str]


class TextSources(TypedDict):
    """The sources of a text, and of the addresses and links in it."""

    whole: Sources
    atoms: list[Sources]


class Origins(TypedDict):
    """What a decision says of the values of its action, by JSON pointer."""

    promptSeen: bool
    values: dict[str, Sources | TextSources]


#: Characters that a run keeps of its results, and of what the person wrote; those of one leaf.
TEXT_MAX = 1_048_576
LEAF_MAX = 100_000
RESULTS_MAX = 500
#: Sessions whose values are known; that of the longest ago goes first.
SESSIONS_MAX = 100
POINTERS_MAX = 64
ATOMS_MAX = 64
#: Sources of one value, and of all values of an action.
SOURCES_MAX = 64
_ALL_SOURCES_MAX = 1_024
#: What the search for the values of one action may cost: characters of a step, steps of one place that is looked at.
_STEPS_MAX = 400_000
_STEP_CHARACTERS = 100
_PLACE_STEPS = 10
_ATOM_CHARACTERS = 500
#: Fields of one result; what more there is counts as one, of the whole result. Characters that a field counts for.
_FIELDS_MAX = 1_000
_FIELD_SIZE = 100
_SOURCE_MAX = 300
#: What stands deeper in an action than such a pointer reaches is left out.
_POINTER_MAX = 300
_DEPTH_MAX = 100
_SHORT = 3
#: What is looked for of a long text before the rest is compared.
_HEAD = 100
_DIGITS_MAX = 40
_PLACES = 6
#: Stands between texts, and in none that is folded.
_END = "\n"

# ``\w`` is a letter, a number or an underscore, and ``\s`` has control characters that are no white space.
_WHITE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_ENDINGS = (
    "com org net edu gov mil biz io ai app dev co xyz online site shop eu uk us ca au nz de ch at fr it es pt nl be lu dk se fi"
    " ie cz ru ua cn jp kr br mx za"
)
_ATOM = re.compile(
    "|".join(
        [
            rf"(?:[hH][tT][tT][pP][sS]?)://[^{_WHITE}<>\"]+",
            rf"[wW][wW][wW]\.[^{_WHITE}<>\",;)']+",
            r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
            r"(?<!\w)[A-Z]{2}[0-9]{10,30}(?!\w)",
            rf"(?<![\w.-])[\w.-]*\w\.(?:{re.sub('[a-z]', lambda letter: f'[{letter[0]}{letter[0].upper()}]', _ENDINGS).replace(' ', '|')})"
            rf"(?!\w)(?:/[^{_WHITE}<>\"]*)?",
        ]
    )
)
_NO_WORD = re.compile(r"\W")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_TAIL = ".,;:!?)'\"]}>*`’”»"
_DIGITS = r"[0-9]+(?:[.,][0-9]+)*"
_NUMBER = re.compile(rf"([-+−]?)({_DIGITS})")
#: With an at sign or a scheme, with dots between words, with eight digits, or with letters and four.
_TOKEN = re.compile(
    r"[^ ]*(?:@|://)[^ ]*|[\w+-]+(?:\.[\w-]+)+(?:[:/?#][^ ]*)?"
    r"|(?=(?:[^0-9]*[0-9]){8}|(?=[\W\d_]*[^\W\d_])(?:[^0-9]*[0-9]){4})[\w+-]+"
)
_ACCOUNT = re.compile("[0-9]{8,}")
#: A token goes on over these characters: up to eight, so that what has more goes on as well.
_JOINED_BEFORE = re.compile(r"(?:\w[.+@&%'-]{0,8}|[.+@&%'-]{9})\Z")
_JOINED_AFTER = re.compile(r"[.+@:/?#&=%~-]{0,8}\w|[.+@:/?#&=%~-]{9}")
_JOINED = 10
#: What announces a short value, and where it may stand: all that is searched for one.
_MARKS = rf"(?<!\w)(?:id|no)|number|#|['\"`](?=[^\n]{{1,{_SHORT}}}['\"`])"
_MARKED = re.compile(rf"(?:(?:{_MARKS})(?:(?!{_MARKS}).){{0,12}})+", re.DOTALL)
_NUMBERS = re.compile(rf"(?:(?<!\w)([-−]))?(?<!\w)(?<!\.)({_DIGITS})(?!\w)")


def fold_value(text: str) -> str:
    """The form in which texts are compared: one width, one case, single spaces."""
    if text.isascii():
        return " ".join(text.lower().split()) if text.isprintable() else re.sub(f"[{_WHITE}]+", " ", text.lower()).strip(" ")
    folded = unicodedata.normalize("NFKC", text).upper().lower().replace("ς", "σ")
    return re.sub(f"[{_WHITE}]+", " ", folded).strip(" ")


def list_atoms(text: str) -> list[str]:
    """The distinct addresses, links and accounts of a text, folded: one more than have a source, where there are more."""
    atoms: dict[str, None] = {}
    for found in _ATOM.finditer(unicodedata.normalize("NFKC", text)):
        atom = fold_value(found[0][:_ATOM_CHARACTERS].rstrip(_TAIL))
        if atom:
            atoms[atom] = None
        if len(atoms) > ATOMS_MAX:
            break
    return list(atoms)


def list_inner_atoms(text: str) -> list[str]:
    """The atoms that a text holds, unless it is itself the only one."""
    atoms = list_atoms(text)
    return [] if atoms == [fold_value(text)] else atoms


class Steps:
    """What the search for the values of one action may cost. Once the steps do not suffice, none are left.

    Texts that others write must not stop the process that looks into them.
    """

    def __init__(self) -> None:
        self._left = _STEPS_MAX

    @property
    def are_left(self) -> bool:
        return self._left >= 0

    def take(self, steps: int) -> bool:
        self._left = -1 if self._left < steps else self._left - steps
        return self.are_left

    def search(self, characters: int) -> bool:
        """For a text of so many characters."""
        return self.take(characters // _STEP_CHARACTERS)

    def look(self, parts: int) -> bool:
        """For a place at which a value of so many parts may stand."""
        return self.take(_PLACE_STEPS * parts)


@dataclass(frozen=True)
class Wanted:
    """A value that is looked for: folded, and as numbers are compared. A number of JSON is no text."""

    text: str
    number: str | None
    is_text: bool
    #: Whether it looks like an address, a host, a link or an account: a part of a longer one is another one.
    is_token: bool

    @classmethod
    def make(cls, value: str | float) -> Wanted:
        text = fold_value(_spell(value))
        number = _read_number(text)
        pattern = _TOKEN if number is None else _ACCOUNT
        return cls(text, number, isinstance(value, str) or number is None, pattern.fullmatch(text) is not None)

    @property
    def is_short(self) -> bool:
        """Whether it occurs by chance."""
        return len(self.text) <= _SHORT


class SeenText:
    """Texts that stand at the same place, in which values are looked for."""

    def __init__(self, *texts: str) -> None:
        self._texts = dict.fromkeys(texts)
        self._list = [*texts]

    def add(self, text: str) -> None:
        self._texts[text] = None
        self._list.append(text)

    @cached_property
    def _joined(self) -> str:
        return _END + _END.join(self._list) + _END

    @cached_property
    def _marked(self) -> str:
        return _END.join(found[0] for found in _MARKED.finditer(self._joined))

    @cached_property
    def _whole_numbers(self) -> set[str | None]:
        return {_read_number(text) for text in self._texts}

    @cached_property
    def _all_numbers(self) -> set[str]:
        return set(_list_numbers(self._joined))

    def relate(self, wanted: Wanted, steps: Steps) -> str:
        """``#``: the value is one of the texts; ``~``: it occurs in one. Else empty, as where no steps are left."""
        number, text = wanted.number, wanted.text
        if not steps.take(1):
            return ""
        if wanted.is_text and text in self._texts:
            return "#"
        if number is not None and number in self._whole_numbers:
            return "#"
        if wanted.is_short:
            return "~" if self._is_marked(text, steps) else ""
        if wanted.is_text and self._has_words(wanted, steps):
            return "~"
        return "~" if self.holds_number(wanted) else ""

    def holds(self, wanted: Wanted, steps: Steps) -> bool:
        """Whether a short value is marked in a text, or another one occurs in it: by chance it equals none."""
        if wanted.is_short:
            return steps.take(1) and self._is_marked(wanted.text, steps)
        if wanted.is_token:
            # A part of an account is a number as well.
            return steps.take(1) and self._has_words(wanted, steps)
        return bool(self.relate(wanted, steps))

    def holds_number(self, wanted: Wanted) -> bool:
        """Whether a number of the texts is worth as much."""
        return wanted.number is not None and wanted.number in self._all_numbers

    def _is_marked(self, value: str, steps: Steps) -> bool:
        return steps.search(len(self._marked)) and value in self._marked and _is_marked(self._marked, value)

    def _has_words(self, wanted: Wanted, steps: Steps) -> bool:
        return steps.search(len(self._joined)) and _has_words(self._joined, wanted, steps)


@dataclass
class SeenField:
    """Leaves (``#``), or names of members (``@``), at one place of a result; ``~``: names from anywhere below it.

    Items of lists are ``*`` in its pointer.
    """

    trace_id: str
    pointer: str
    kind: str
    text: SeenText = field(default_factory=SeenText)


class OriginTracker:
    """What was seen in one session."""

    def __init__(self) -> None:
        self._prompts: dict[str, SeenText] = {}
        self._prompt_size = 0
        self._results: deque[tuple[list[SeenField], int]] = deque()
        self._result_size = 0

    def add_prompt(self, given: str) -> None:
        """Adds what the person wrote. The same text again changes nothing."""
        text = given[:LEAF_MAX]
        folded = fold_value(text)
        if text in self._prompts or not folded:
            return
        self._prompts[text] = SeenText(folded)
        self._prompt_size += len(text)
        while self._prompt_size > TEXT_MAX:
            oldest = next(iter(self._prompts))
            del self._prompts[oldest]
            self._prompt_size -= len(oldest)

    def forget_prompts(self) -> None:
        """Forgets what the person wrote: what comes next is said in another conversation."""
        self._prompts.clear()
        self._prompt_size = 0

    def add_result(self, trace_id: str, value: Any) -> None:
        """Adds the result of a decision; what is no JSON counts as its text."""
        reader = _FieldReader(trace_id)
        reader.read(_read_json(value))
        size = min(reader.size, TEXT_MAX)
        self._results.append(([*reader.fields.values()], size))
        self._result_size += size
        while len(self._results) > RESULTS_MAX or self._result_size > TEXT_MAX:
            self._result_size -= self._results.popleft()[1]

    def describe(self, action: Json) -> Origins:
        """Says where the texts and numbers of an action were seen, except the names of tool and server."""
        steps = Steps()
        values: dict[str, Sources | TextSources] = {}
        texts: list[tuple[str, str, Sources]] = []
        for pointer, value in _list_leaves(action, ""):
            wanted = Wanted.make(value)
            if not wanted.text or pointer in ("/tool", "/server") or _count_units(pointer) > _POINTER_MAX:
                continue
            if len(values) == POINTERS_MAX:
                break
            values[pointer] = whole = self._find(wanted, steps)
            if isinstance(value, str):
                texts.append((pointer, value, whole))
        left = ATOMS_MAX
        for pointer, text, whole in texts:
            inner = list_inner_atoms(text)
            atoms = [self._find(Wanted.make(atom), steps) for atom in inner[:left]]
            if inner:
                values[pointer] = {"whole": whole, "atoms": atoms}
            left -= len(atoms)
        return {"promptSeen": bool(self._prompts), "values": _limit_sources(values)}

    def _find(self, wanted: Wanted, steps: Steps) -> Sources:
        prompts = [*self._prompts.values()]
        if any(prompt.holds(wanted, steps) for prompt in prompts) and steps.are_left:
            return ["prompt"]
        may_be = wanted.is_short and any(prompt.holds_number(wanted) for prompt in prompts)
        equal: dict[str, None] = {}
        within: dict[str, None] = {}
        for fields, _ in reversed(self._results):
            for seen in fields:
                if not steps.are_left:
                    return ["more"]
                relation = seen.text.relate(wanted, steps)
                if relation == "#":
                    equal[f"{seen.trace_id}{seen.kind}{seen.pointer}"] = None
                elif relation == "~" and seen.kind == "#" and len(within) <= SOURCES_MAX:
                    within[f"{seen.trace_id}~{seen.pointer}"] = None
        if not steps.are_left:
            return ["more"]
        return [*(["prompt~"] if may_be else []), *{**equal, **within}]


def _limit_sources(values: dict[str, Sources | TextSources]) -> dict[str, Sources | TextSources]:
    """Keeps as many sources of each value as fit together."""
    count = sum(1 if isinstance(of, list) else 1 + len(of["atoms"]) for of in values.values())
    most = min(SOURCES_MAX, _ALL_SOURCES_MAX // max(count, 1))

    def limit(sources: Sources) -> Sources:
        return [*sources[: most - 1], "more"] if len(sources) > most else sources

    return {
        pointer: limit(of) if isinstance(of, list) else {"whole": limit(of["whole"]), "atoms": [limit(atom) for atom in of["atoms"]]}
        for pointer, of in values.items()
    }


class OriginKeeper:
    """What was seen in each session. Without ``session_id`` all that a client does is one session.

    In that one, what the person wrote is what the call itself says.
    """

    def __init__(self) -> None:
        self._sessions: dict[str, OriginTracker] = {}
        self._lock = threading.Lock()

    def describe(self, context: RunContext, action: Json) -> Origins:
        """What a decision says of the values of its action."""
        session = context.get("session_id") or ""
        with self._lock:
            tracker = self._open(session)
            if not session:
                tracker.forget_prompts()
            for text in context.get("prompts", [context.get("prompt") or ""]):
                tracker.add_prompt(text)
            return tracker.describe(action)

    def add_result(self, context: RunContext, trace_id: str, result: Any) -> None:
        """Notes the result of a decision, or the error that it failed with."""
        with self._lock:
            self._open(context.get("session_id") or "").add_result(trace_id, result)

    def _open(self, name: str) -> OriginTracker:
        tracker = self._sessions.pop(name, None) or OriginTracker()
        if len(self._sessions) >= SESSIONS_MAX:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[name] = tracker
        return tracker


def track_origins() -> OriginKeeper:
    """Returns what a client takes as ``origins``: its decisions say where the values of their actions were seen before."""
    return OriginKeeper()


class _FieldReader:
    """Takes a result apart: what stands at equal places of the items of a list is one field."""

    def __init__(self, trace_id: str) -> None:
        self._trace_id = trace_id
        self.fields: dict[str, SeenField] = {}
        self.size = 0

    def read(self, result: Json) -> None:
        for value, pointer in _list_parts(result):
            self._walk(value, pointer, False, 1 if pointer else 0)

    def _walk(self, given: Json, pointer: str, is_cut: bool, depth: int) -> None:
        if self.size > TEXT_MAX:
            return
        value = _parse_text(given) if isinstance(given, str) else given
        if isinstance(value, str):
            self._add("#", pointer, value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._add("#", pointer, _spell(value))
        elif isinstance(value, list | dict) and depth == _DEPTH_MAX:
            self._add("#", pointer, _write_text(value))
        elif isinstance(value, list):
            below = self._step(pointer, is_cut, "*")
            for item in value:
                self._walk(item, *below, depth + 1)
        elif isinstance(value, dict):
            for name in value:
                self._add("~" if is_cut else "@", pointer, name)
            for name, member in value.items():
                self._walk(member, *self._step(pointer, is_cut, _escape(name)), depth + 1)

    def _step(self, pointer: str, is_cut: bool, name: str) -> tuple[str, bool]:
        longer = f"{pointer}/{name}"
        is_long = len(self._trace_id) + 1 + _count_units(longer) > _SOURCE_MAX
        # A lone surrogate cannot be posted.
        may_stay = not is_cut and not is_long and not _LONE_SURROGATE.search(name)
        return (longer, False) if may_stay else (pointer, True)

    def _add(self, kind: str, pointer: str, given: str) -> None:
        text = fold_value(given[:LEAF_MAX])
        if not text:
            return
        seen = self._open(kind, pointer)
        self.size += len(text) + 1
        if self.size <= TEXT_MAX:
            seen.text.add(text)

    def _open(self, kind: str, pointer: str) -> SeenField:
        key = f"{kind}{pointer}"
        if key in self.fields:
            return self.fields[key]
        if len(self.fields) >= _FIELDS_MAX and pointer:
            return self._open("~" if kind == "@" else kind, "")
        self.fields[key] = seen = SeenField(self._trace_id, pointer, kind)
        self.size += _FIELD_SIZE
        return seen


def _count_units(text: str) -> int:
    """Counts as the service does, in units of UTF-16."""
    return len(text) + sum(character > "\uffff" for character in text)


def _escape(name: str) -> str:
    return "~2" if name == "*" else name.replace("~", "~0").replace("/", "~1")


def _list_leaves(value: Json, pointer: str) -> Iterator[tuple[str, str | float]]:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        yield pointer, value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from _list_leaves(member, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _list_leaves(item, f"{pointer}/{index}")


def _list_parts(given: Json) -> Iterator[tuple[Json, str]]:
    """What an MCP server answers is its structured content, and the texts beside it that are JSON; else it stays as it is."""
    result = _parse_text(given) if isinstance(given, str) else given
    content = result.get("content") if isinstance(result, dict) else None
    if not isinstance(content, list) or not all(isinstance(item, dict) and isinstance(item.get("type"), str) for item in content):
        yield result, ""
        return
    others = {name: member for name, member in result.items() if name != "content"}
    structured = others.get("structuredContent")
    if isinstance(structured, dict):
        yield structured, ""
        del others["structuredContent"]
    for item in content:
        text = item.get("text")
        parsed = _parse_text(text) if isinstance(text, str) else text
        if not isinstance(parsed, list | dict):
            yield item, "/content/*"
        elif parsed != structured:
            yield parsed, ""
    yield others, ""


def _read_json(value: Any) -> Json:
    if isinstance(value, BaseException):
        return str(value)
    try:
        return to_json(value, "result")
    except Invalid:
        return str(value)


def _parse_text(text: str) -> Json:
    """Returns the value of a text that is JSON, or the text."""
    if len(text) > TEXT_MAX or not re.match(f"[{_WHITE}\ufeff]*[{{\\[]", text):
        return text
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _write_text(value: Json) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return ""


def _spell(value: str | float) -> str:
    """A number is written as JSON has it everywhere."""
    if isinstance(value, str):
        return value
    try:
        return canonicalize(value).decode()
    except Invalid:
        return str(value)


def _has_words(text: str, wanted: Wanted, steps: Steps) -> bool:
    """Whether a text holds these words, and the value does not go on before or after them."""
    words, head, parts = wanted.text, wanted.text[:_HEAD], -(-len(wanted.text) // _HEAD)
    begins_word = _is_word(words[0])
    at = text.find(head)
    while at >= 0:
        if not steps.look(parts):
            return False
        if text.startswith(words, at) and _is_whole(text, at, wanted):
            return True
        if begins_word:
            # What begins with a word begins where one does.
            next_end = _NO_WORD.search(text, at)
            at = -1 if next_end is None else text.find(head, next_end.end())
        else:
            at = text.find(head, at + 1)
    return False


def _is_whole(text: str, at: int, wanted: Wanted) -> bool:
    end = at + len(wanted.text)
    if not wanted.is_token:
        return not _is_word(text[at - 1]) and not _is_word(text[end])
    is_joined = _JOINED_BEFORE.search(text[max(0, at - _JOINED) : at]) or _JOINED_AFTER.match(text[end : end + _JOINED])
    return is_joined is None


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_marked(text: str, value: str) -> bool:
    """Whether a short value stands in quotes, or after a word that announces a name or a number."""
    literal = re.escape(value)
    mark = rf"(?:(?<!\w)(?:id|no\.?)|number|#)[^\w\n]{{0,3}}{literal}(?!\w)"
    return re.search(rf"{mark}|['\"`]{literal}['\"`]", text) is not None


def _list_numbers(text: str) -> Iterator[str]:
    """The numbers of a text; one with a sign counts without it as well."""
    for sign, digits in set(_NUMBERS.findall(text)):
        number = _write_number("", digits)
        if number is None:
            continue
        yield number
        if sign:
            yield f"-{number}" if number != "." else number


def _read_number(text: str) -> str | None:
    """What a text is worth that is a number."""
    found = _NUMBER.fullmatch(text)
    return _write_number(found[1], found[2]) if found else None


def _write_number(sign: str, digits: str) -> str | None:
    """A number in one spelling, rounded, so that equal numbers are equal texts."""
    whole, _, fraction = digits.replace(",", "").partition(".")
    if "." in fraction or len(whole) > _DIGITS_MAX:
        return None
    if len(fraction) > _PLACES:
        scaled = (int(whole + fraction[: _PLACES + 1]) + 5) // 10
        rounded = str(scaled).zfill(_PLACES + 1)
        whole, fraction = rounded[:-_PLACES], rounded[-_PLACES:]
    number = f"{whole.lstrip('0')}.{fraction.rstrip('0')}"
    return f"-{number}" if number != "." and sign in ("-", "−") and sign else number
