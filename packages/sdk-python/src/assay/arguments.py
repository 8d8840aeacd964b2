"""The arguments of a guarded function: how they are posted, and how what a reviewer edited becomes arguments again."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, get_type_hints

from .errors import ActionChanged
from .spelling import restore, to_json
from .values import Json, canonicalize

#: Packages whose contexts are given to a tool by the run, and by no model.
_FRAMEWORKS = {
    *("agent_framework", "agents", "fastmcp", "google", "langchain", "langchain_core", "langgraph", "llama_index", "mcp"),
    *("pydantic_ai", "strands", "workflows"),
}
_INJECTED = {
    *("Context", "FunctionInvocationContext", "InjectedState", "InjectedStore", "RunContext", "RunContextWrapper"),
    *("ToolContext", "ToolRuntime"),
}
_OWNERS = {"self", "cls"}


@dataclass
class Passed:
    """What a function is called with."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass
class Given:
    """Arguments as they are posted and passed. ``read`` says what they are now: they may change while a call waits."""

    read: Callable[[], Json]
    passed: Passed
    #: Returns what is passed for edited arguments. Raises ``ActionChanged`` where there is no way back.
    edit: Callable[[Json], Passed]


def describe_call(run: Callable[..., Any], passed: Passed, options: dict[str, Any]) -> Given:
    """The arguments by their names, as the function sees them, without what the model does not choose."""
    signature = inspect.signature(run)
    bound = signature.bind(*passed.args, **passed.kwargs)
    bound.apply_defaults()
    left_out = _find_left_out(run, signature, options.get("leave_out", ()))

    def read(arguments: dict[str, Any] = bound.arguments) -> Json:
        return {name: to_json(value, name) for name, value in arguments.items() if name not in left_out}

    def edit(edited: Json) -> Passed:
        from_arguments = options.get("from_arguments")
        try:
            changed = from_arguments(edited) if from_arguments else _restore_arguments(bound.arguments, edited)
            changed = {**{name: value for name, value in bound.arguments.items() if name in left_out}, **changed}
            made = inspect.BoundArguments(signature, {name: changed[name] for name in bound.arguments if name in changed})  # type: ignore[arg-type]
            again = signature.bind(*made.args, **made.kwargs)
            again.apply_defaults()
            is_same = canonicalize(read(again.arguments)) == canonicalize(edited)
        except Exception as error:
            _refuse_edit(error)
        if not is_same:
            _refuse_edit(None)
        return Passed(made.args, made.kwargs)

    return Given(read, passed, edit)


def describe_value(arguments: Any) -> Given:
    """Arguments of a tool that is called by its name, as frameworks do it: one value."""

    def edit(edited: Json) -> Passed:
        try:
            changed = edited if _is_plain(arguments) else restore(arguments, edited)
            is_same = canonicalize(to_json(changed)) == canonicalize(edited)
        except Exception as error:
            _refuse_edit(error)
        if not is_same:
            _refuse_edit(None)
        return Passed((changed,), {})

    return Given(lambda: to_json(arguments), Passed((arguments,), {}), edit)


def describe_kept(run: Callable[..., Any], arguments: Json) -> Given:
    """Arguments of a suspended call, passed by their names. Raises ``ActionChanged`` where the function does not take them."""
    signature = inspect.signature(run)

    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature.parameters.values())

    def bind(given: Json) -> Passed:
        # A member that an edit took away would be the function's default, which no one has approved.
        if not isinstance(given, dict) or not set(arguments) <= set(given):
            _refuse_edit(None)
        named = {name: given[name] for name in signature.parameters if name in given}
        others = {name: value for name, value in given.items() if name not in named}
        made = inspect.BoundArguments(signature, named)  # type: ignore[arg-type]
        kwargs = {**made.kwargs, **others}
        try:
            if others and not takes_all:
                raise TypeError(f"the function has no parameter {', '.join(sorted(others))}")
            signature.bind(*made.args, **kwargs)
        except TypeError as error:
            _refuse_edit(error)
        return Passed(made.args, kwargs)

    return Given(lambda: to_json(arguments), bind(arguments), bind)


def _is_plain(value: Any) -> bool:
    """Whether a value is JSON as it was parsed: then an edited one stands as it is, whatever its types."""
    if type(value) is dict:
        return all(_is_plain(item) for item in value.values())
    if type(value) is list:
        return all(_is_plain(item) for item in value)
    return value is None or type(value) in (str, int, float, bool)


def _restore_arguments(original: dict[str, Any], edited: Json) -> dict[str, Any]:
    unknown = set(edited) - set(original)
    if unknown:
        raise ValueError(f"the function has no parameter {', '.join(sorted(unknown))}")
    return {name: restore(original[name], value) for name, value in edited.items()}


def _find_left_out(run: Callable[..., Any], signature: inspect.Signature, named: Any) -> set[str]:
    """``self`` and ``cls`` of methods, contexts that a framework passes, and what the option names."""
    try:
        hints = get_type_hints(run, include_extras=True)
    except Exception:
        hints = {}  # Names that only a type checker knows: nothing is left out.
    first = next(iter(signature.parameters), None)
    owners = {first} & _OWNERS
    return {*named, *owners, *(name for name, hint in hints.items() if _is_injected(hint))}


def _is_injected(hint: Any) -> bool:
    """Whether a type, or a part of it as in ``Annotated`` and ``RunContext[Deps] | None``, is such a context."""
    kind = hint if isinstance(hint, type) else type(hint)
    if kind.__name__ in _INJECTED and kind.__module__.partition(".")[0] in _FRAMEWORKS:
        return True
    parts = [getattr(hint, "__origin__", None), *getattr(hint, "__args__", ()), *getattr(hint, "__metadata__", ())]
    return any(part is not None and part is not hint and _is_injected(part) for part in parts)


def _refuse_edit(error: Exception | None) -> NoReturn:
    because = "" if error is None else f": {error}"
    raise ActionChanged(
        f"The approved arguments cannot be passed to the function exactly as approved{because}", code="ACTION_CHANGED"
    ) from error
