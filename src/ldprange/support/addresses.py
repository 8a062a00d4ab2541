"""Addresses of machines and of surveys: what is said of one as text."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from ldprange.errors import ArgumentError
from ldprange.support.checking import check_type, shown

_OWN_PORTS = {"https": 443, "http": 80}  # a port that the scheme implies is left out
_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_PATH = re.compile(
    r"(?P<base>(?:/(?!\.{1,2}/)[A-Za-z0-9._~-]+)*)"  # no . or .., which are other spellings of a path
    r"/(?:s|api/surveys)/(?P<name>[a-z0-9][a-z0-9-]{0,62})/?"
)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def read_address(text: str) -> Address:
    """Return the address in ``text``, or raise ValueError; IPv4-mapped IPv6 addresses are returned as IPv4.

    >>> read_address("::ffff:127.0.0.1")
    IPv4Address('127.0.0.1')
    """
    address = ipaddress.ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address


def read_proxy(text: str) -> str:
    """Return the address, or the network of addresses, in ``text`` from which a proxy asks.

    >>> read_proxy("127.0.0.1"), read_proxy("10.89.0.0/24")
    ('127.0.0.1/32', '10.89.0.0/24')
    """
    try:
        network = ipaddress.ip_network(text)
    except ValueError:
        network = None
    if network is None or network.prefixlen == 0:
        raise ArgumentError(
            "a proxy's address must be one such as 127.0.0.1, or a network such as 10.89.0.0/24, got "
            f"{shown(text)}; whoever asks from there is believed, so let nobody else be there"
        )
    return str(network)


def is_loopback(host: str) -> bool:
    """Tell whether a name or an address is this very machine's.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "[::1]", "example.org")]
    [True, True, True, False]
    """
    host = host.strip("[]")
    try:
        return host == "localhost" or read_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Host:
    """Where to connect to, and whether over TLS."""

    secure: bool
    name: str
    port: int | None

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"{'https' if self.secure else 'http'}://{name}" + (f":{self.port}" if self.port else "")

    @property
    def is_this_machine(self) -> bool:
        """Whether what is sent never leaves the machine."""
        return is_loopback(self.name)


@dataclass(frozen=True, slots=True)
class SurveyAddress:
    """Where a survey is. Two of them are equal if they are spellings of one address.

    Its text is the link that people get, without a trailing slash or a port that goes without saying:

    >>> str(SurveyAddress.read("HTTPS://Example.org:443/api/surveys/commute/"))
    'https://example.org/s/commute'
    """

    host: Host
    base: str
    name: str

    @staticmethod
    def read(url: str) -> SurveyAddress:
        """Return the address that a URL gives, of a survey's page or of its interface."""
        check_type(url, str, "a survey's address")
        try:
            parts = urlsplit(url)
            port, host = parts.port, _canonical_host(parts.hostname or "")
        except ValueError:
            parts, port, host = urlsplit(""), None, ""
        path = _PATH.fullmatch(parts.path)
        plain = not (parts.query or parts.fragment or parts.username or parts.password) and port != 0
        if parts.scheme not in _OWN_PORTS or not path or not plain:
            came = shown(re.sub("//[^/]*@", "//…@", url))  # without a password
            pages = "; a page of several questions is no survey: give the address of one" * (
                "+" in parts.path
            )
            raise ArgumentError(
                f"a survey's address must be like https://example.org/s/commute, got {came}{pages}"
            )
        if port == _OWN_PORTS[parts.scheme]:
            port = None
        return SurveyAddress(Host(parts.scheme == "https", host, port), path["base"], path["name"])

    def __str__(self) -> str:
        return f"{self.host}{self.base}/s/{self.name}"

    @property
    def interface(self) -> str:
        """The path of the survey's interface on its host."""
        return f"{self.base}/api/surveys/{self.name}"


def _canonical_host(name: str) -> str:
    """Return the one spelling of a host's name or address, or raise ValueError."""
    try:
        return str(read_address(name))
    except ValueError:
        ascii_name = name.removesuffix(".").encode("idna").decode().lower()
        if not _NAME.fullmatch(ascii_name):
            raise ValueError from None
        return ascii_name
