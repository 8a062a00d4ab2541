"""Who may do what: tokens, origins, and how often."""

import hashlib
import hmac
import ipaddress
import math
import re
import secrets
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from ldprange.errors import ArgumentError
from ldprange.service.allowances import Allowances
from ldprange.support.addresses import is_loopback, read_address

ADMINISTRATOR, ANALYST = "administrator", "analyst"
ROLES = (ADMINISTRATOR, ANALYST)
_BURST_SECONDS = 2.0


def new_tokens() -> dict[str, str]:
    """Return a fresh token for every role: 256 random bits, of the operating system."""
    return {role: secrets.token_urlsafe(32) for role in ROLES}


def digest(token: str) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode()).digest()


def role_of(token: str, digests: Mapping[str, bytes]) -> str | None:
    """Return whose token this is; the time it takes does not tell how much of it is right."""
    given = digest(token)
    found = [role for role, kept in digests.items() if hmac.compare_digest(given, kept)]
    return found[0] if found else None


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address such as https://survey.example.org."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        good = False
    if not good or parts.path not in ("", "/") or "@" in parts.netloc or parts.query or parts.fragment:
        raise ArgumentError("an origin must be such as https://survey.example.org, and no more")
    return f"{parts.scheme}://{parts.netloc}".lower()


def may_administer(address: str, host: str, origin: str | None, origins: Iterable[str]) -> bool:
    """Tell whether a request may administer: it comes from this machine, or was made to a configured origin.

    A page of another site that makes a browser send it is refused, even under a name that it points here.
    """
    names = {urlsplit(one).netloc for one in origins}
    if origin is not None and origin.lower() not in origins and not is_loopback(_name(origin.lower())):
        return False
    if host.lower() in names:
        return True
    return is_loopback(address) and is_loopback(_name(f"http://{host.lower()}"))


def _name(origin: str) -> str:
    """Return the host in an origin; nothing if it is more or less than one."""
    found = re.fullmatch(r"https?://(\[[0-9a-f:.]+\]|[^\[\]:/@?#]+)(:\d{1,5})?", origin)
    return found[1] if found else ""


def sender_of(text: str) -> str:
    """Return what counts as one sender: an address of IPv4, or all that one household has of IPv6."""
    if ":" not in text:
        return text
    try:
        address = read_address(text)
    except ValueError:
        return text
    return str(address if address.version == 4 else ipaddress.ip_network((int(address), 64), strict=False))


class RateLimit:
    """So many requests a second from each address, and two seconds' worth at once."""

    def __init__(self, per_second: float) -> None:
        self._rate, burst = per_second, max(1.0, per_second * _BURST_SECONDS)
        self._allowances = Allowances(burst / per_second if per_second else math.inf, burst)

    def wait(self, address: str) -> int:
        """Count a request; return 0, or after how many whole seconds it may be made again."""
        left = self._allowances.of(sender_of(address)) if self._rate else [math.inf]
        if left[0] < 1:
            return max(1, math.ceil((1 - left[0]) / self._rate))
        left[0] -= 1
        return 0
