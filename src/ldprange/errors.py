"""Every error that ldprange raises on purpose; most are also the error that Python has for the case.

::

    LdprangeError
    ├── ArgumentTypeError    an argument is of another type than it must be (also a TypeError)
    ├── ArgumentError        an argument's value is not possible, alone or with the others (also a ValueError)
    ├── DomainError          a value, a bound or a domain's own description is wrong (also a ValueError)
    ├── PlanError            a plan cannot be made or read (also a ValueError)
    ├── MismatchError        two things that must share a plan do not (also a ValueError)
    ├── WireError            bytes are not a batch of reports (also a ValueError)
    ├── QueryError           a question cannot be answered (also a ValueError)
    ├── BudgetError          a person's total ε would be exceeded, or a ledger has another (also a ValueError)
    ├── MissingPackageError  a package that is optional is not installed (also an ImportError)
    ├── FileError            a file is missing, empty, truncated or of another kind
    ├── StoreError           a collector's store cannot be opened, read or written
    ├── EngineError          a cluster is missing, or did not do what it was asked
    └── SendError            a collector did not acknowledge what was sent

A FileError is no OSError: most speak of what a file holds, and have no number of the operating system's.
Where the system refused, the message says what it said. LdprangeError itself is raised for a wrong setting of
the environment only.

Each message says what must hold, what came, and what to do.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class LdprangeError(Exception):
    """Base of all errors of this package."""


class ArgumentTypeError(LdprangeError, TypeError):
    """An argument is of another type than it must be."""


class ArgumentError(LdprangeError, ValueError):
    """An argument's value is not possible, alone or with the others."""


class DomainError(LdprangeError, ValueError):
    """A value, a bound or a domain's own description is wrong."""


class PlanError(LdprangeError, ValueError):
    """A plan cannot be made or read."""


class MismatchError(LdprangeError, ValueError):
    """Two things that must share a plan do not."""


class WireError(LdprangeError, ValueError):
    """Bytes are not a batch of reports."""


class QueryError(LdprangeError, ValueError):
    """A question cannot be answered."""


class BudgetError(LdprangeError, ValueError):
    """A person's total ε would be exceeded, or a ledger has another."""


class MissingPackageError(LdprangeError, ImportError):
    """A package that is optional is not installed."""


class FileError(LdprangeError):
    """A file is missing, empty, truncated or of another kind."""


class StoreError(LdprangeError):
    """A collector's store cannot be opened, read or written."""


class EngineError(LdprangeError):
    """A cluster is missing, or did not do what it was asked."""


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

    The error stays the same object, with all that it carries. A message that begins with ``what`` already,
    because the error passed through such a block before, stays as it is.
    """
    try:
        yield
    except LdprangeError as error:
        if not str(error).startswith(f"{what}: "):
            error.args = (f"{what}: {error}", *error.args[1:])
        raise
