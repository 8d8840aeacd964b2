"""Ask Assay before an agent acts: held where it must be, done once, and proved."""

from . import webhooks
from .client import Assay, AsyncAssay
from .context import RunContext, run
from .errors import (
    ActionChanged,
    AlreadyExecuted,
    AssayError,
    Blocked,
    Expired,
    Halted,
    Held,
    Invalid,
    Limit,
    NotDecided,
    Rejected,
    Unauthorised,
    Unavailable,
    Withdrawn,
)
from .journal import FileJournal

__all__ = [
    "ActionChanged",
    "AlreadyExecuted",
    "Assay",
    "AssayError",
    "AsyncAssay",
    "Blocked",
    "Expired",
    "FileJournal",
    "Halted",
    "Held",
    "Invalid",
    "Limit",
    "NotDecided",
    "Rejected",
    "RunContext",
    "Unauthorised",
    "Unavailable",
    "Withdrawn",
    "run",
    "webhooks",
]
