"""Addresses of machines: what is said of one as text."""

from __future__ import annotations

import ipaddress

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def read_address(text: str) -> Address:
    """Read an address, or raise ValueError; one of IPv4 that came in an IPv6 dress is undressed.

    >>> read_address("::ffff:127.0.0.1")
    IPv4Address('127.0.0.1')
    """
    address = ipaddress.ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address


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
