"""Replies in JSON, refusals, and what a request says of itself."""

import json
import math
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ldprange.answer import Answer
from ldprange.domain.text import plain
from ldprange.service.access import ADMINISTRATOR, ROLES, may_administer, role_of, sender_of
from ldprange.service.collector import Collector
from ldprange.service.refusal import Refusal
from ldprange.service.store import Survey

KEPT_BY_NOBODY = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
ANYWHERE = {"access-control-allow-origin": "*"}
"""For what any page may ask or send: nothing in it depends on who asks."""


class Reply(Response):
    """JSON that nobody keeps."""

    media_type = "application/json"

    def __init__(self, content: Any, status_code: int = 200, headers: dict[str, str] | None = None) -> None:
        super().__init__(content, status_code, {**KEPT_BY_NOBODY, **(headers or {})})

    def render(self, content: Any) -> bytes:
        return content if isinstance(content, bytes) else rendered(content)


def rendered(content: Any) -> bytes:
    """Return JSON; where it is long, not on the loop that takes reports."""
    how: dict[str, Any] = {"ensure_ascii": False, "allow_nan": False, "separators": (",", ":")}
    return json.dumps(_finite(content), default=plain, **how).encode()


def _finite(content: Any) -> Any:
    """Return null for what JSON cannot say."""
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    return [_finite(value) for value in content] if isinstance(content, list) else content


def refused(refusal: Refusal) -> Reply:
    """Return a refusal as a reply."""
    return Reply({"error": refusal.reason}, refusal.status, refusal.headers)


def collector_of(request: Request) -> Collector:
    """Return the collector that a request is made to, unless its sender asks too often."""
    collector: Collector = request.app.state.collector
    check_rate(collector, _address_of(request))
    return collector


def check_rate(collector: Collector, address: str) -> None:
    """Raise Refusal if ``address`` asks too often."""
    if seconds := collector.rate.wait(address):
        raise Refusal(
            429,
            f"an address may make {collector.settings.requests_per_second:g} requests a second, no more; "
            f"try again in {seconds} s",
            {"retry-after": str(seconds)},
        )


def asked_by(request: Request) -> tuple[Collector, Survey, tuple[str, bool]]:
    """Return the collector and the survey that a request asks about; and who asks, whether with a token.

    Without one, the survey must be public.
    """
    collector, token = collector_of(request), _token_of(request)
    survey = collector.survey(request.path_params["name"])
    has_token = token is not None and role_of(token, collector.digests) is not None
    if not (has_token or survey.public):
        check_role(request, collector, ROLES)
    return collector, survey, (sender_of(_address_of(request)), has_token)


def check_role(request: Request, collector: Collector, roles: Sequence[str]) -> None:
    """Raise Refusal unless a request has a token of one of the roles; administrators must also be near."""
    token = _token_of(request)
    if token is None:
        raise Refusal(
            401, f"this takes the {' or '.join(roles)}'s token: Authorization: Bearer TOKEN", _CHALLENGE
        )
    role = role_of(token, collector.digests)
    if role is None:
        raise Refusal(401, "the token must be one of this collector's, and it is not", _CHALLENGE)
    if role not in roles:
        raise Refusal(403, f"this takes the {' or '.join(roles)}'s token, and this is the {role}'s")
    if roles == (ADMINISTRATOR,) and not may_administer(
        _address_of(request),
        request.headers.get("host", ""),
        request.headers.get("origin"),
        collector.settings.origins,
    ):
        raise Refusal(
            403, "a collector is administered from its own machine or from a configured origin only"
        )


def _token_of(request: Request) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token else None


def _address_of(request: Request) -> str:
    return request.client.host if request.client else ""


_CHALLENGE = {"www-authenticate": "Bearer"}


async def json_of(request: Request, collector: Collector) -> object:
    """Read a request's body as JSON."""
    body = await collector.bodies.read(request.receive)
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(400, "the body must be JSON, and it is not") from None


class Parameters:
    """The parameters of a request's address: each known, and given once, unless there may be many."""

    def __init__(self, request: Request, *known: str, many: Sequence[str] = ()) -> None:
        pairs = request.query_params.multi_items()
        names, taken = [name for name, _ in pairs], (*known, *many)
        for name in names:
            if name not in taken:
                may = f"the parameters may be {', '.join(taken)}" if taken else "this takes no parameters"
                raise Refusal(400, f"{may}; got {name[:40]!r}")
            if name not in many:
                self._check_once(name, names.count(name))
        self._pairs = pairs
        self._given = dict(pairs)

    def text(self, name: str, default: str | None = None) -> str:
        """Return a parameter that is needed, unless there is a default."""
        if name in self._given:
            self._check_once(name, len(self.texts(name)))
            return self._given[name]
        if default is None:
            raise Refusal(400, f"{name} must be given, and it is not")
        return default

    def texts(self, name: str) -> list[str]:
        """Return all texts of this name, in their order."""
        return [text for given, text in self._pairs if given == name]

    @staticmethod
    def _check_once(name: str, times: int) -> None:
        if times > 1:
            raise Refusal(400, f"{name} must be given once, got {times} times")

    def number(self, name: str, default: float) -> float:
        """Return a number."""
        return _number(name, self._given[name]) if name in self._given else default

    def numbers(self, name: str) -> list[float]:
        """Return all numbers of this name, at least one."""
        found = [_number(name, text) for text in self.texts(name)]
        if not found:
            raise Refusal(400, f"{name} must be given at least once, and it is not")
        return found

    def flag(self, name: str) -> bool:
        """Return whether something is wanted."""
        text = self._given.get(name, "false")
        if text not in ("true", "false"):
            raise Refusal(400, f"{name} must be true or false, got {text[:40]!r}")
        return text == "true"


def columns(found: Answer[Any]) -> dict[str, Any]:
    """Return an answer in JSON types."""
    told = found.to_dict()
    return {name: told[name] for name in ("value", "low", "high")}


def share(found: Answer[float]) -> dict[str, Any]:
    """Return the answer to one question about a share in JSON types, with what there is to know of it."""
    return {**columns(found), "note": found.note}


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise Refusal(400, f"{name} must be a number, got {text[:40]!r}")
    return number
