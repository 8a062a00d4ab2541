"""Refusing a request."""


class Refusal(Exception):  # noqa: N818 (it is a reply)
    """A request is refused: with which status, and why."""

    def __init__(self, status: int, reason: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status, self.reason, self.headers = status, reason, headers or {}
