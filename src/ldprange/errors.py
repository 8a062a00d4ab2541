"""Every error that ldprange raises on purpose.

::

    LdprangeError (a ValueError)
    ├── DomainError      a value, a bound or a domain's own description is not what it must be
    ├── PlanError        a plan cannot be made or read
    ├── MismatchError    two things that must share a plan do not
    ├── WireError        bytes are not a batch of reports
    ├── QueryError       a question cannot be asked
    ├── FileError        a file is missing, empty, truncated or of another kind
    ├── StoreError       a collector's store cannot be opened, read or written
    ├── EngineError      a cluster is missing, or did not do what it was asked
    ├── BudgetError      a person's total ε would be exceeded, or a ledger's budget is another
    └── SendError        a collector did not acknowledge what was sent

Each message says what must hold, what came, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class LdprangeError(ValueError):
    """Base of all errors of this package."""


class DomainError(LdprangeError):
    """A value, a bound or a domain's own description is not what it must be."""


class PlanError(LdprangeError):
    """A plan cannot be made or read."""


class MismatchError(LdprangeError):
    """Two things that must share a plan do not."""


class WireError(LdprangeError):
    """Bytes are not a batch of reports."""


class QueryError(LdprangeError):
    """A question cannot be asked."""


class FileError(LdprangeError):
    """A file is missing, empty, truncated or of another kind."""


class StoreError(LdprangeError):
    """A collector's store cannot be opened, read or written."""


class EngineError(LdprangeError):
    """A cluster is missing, or did not do what it was asked."""


class BudgetError(LdprangeError):
    """A person's total ε would be exceeded, or a ledger's budget is another."""


class SendError(LdprangeError):
    """A collector did not acknowledge what was sent.

    Attributes
    ----------
    batch_id
        Send the same reports again with this id, and they are counted once; None if none were sent.
    status
        The HTTP status of the collector's last answer; None if there was none.
    """

    def __init__(self, message: str, batch_id: str | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.batch_id = batch_id
        self.status = status


@contextmanager
def about(what: object) -> Iterator[None]:
    """Put ``what`` and a colon before the message of every error of this package that the block raises.

    The error stays the same object, with all that it carries.
    """
    try:
        yield
    except LdprangeError as error:
        error.args = (f"{what}: {error}", *error.args[1:])
        raise
