"""Every error that ldprange raises on purpose.

::

    LdprangeError (a ValueError)
    ├── DomainError      a value, a bound or a domain's own description is not what it must be
    ├── PlanError        a plan cannot be made or read
    ├── MismatchError    two things that must share a plan do not
    ├── WireError        bytes are not a batch of reports
    ├── QueryError       a question cannot be asked
    └── FileError        a file is missing, empty, truncated or of another kind

Each message says what must hold, what came, and what to do.
"""


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
