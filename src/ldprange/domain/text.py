"""Bounds and values in the domain's own units, as text and as JSON."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from ldprange.domain import Dates, Domain, Integers, Ordered
from ldprange.errors import DomainError


def parse(domain: Domain, text: str) -> Any:
    """Read a bound as it was typed.

    >>> parse(Domain.dates("2026-01-01", "2026-12-31"), "2026-03-01")
    datetime.date(2026, 3, 1)
    """
    if isinstance(domain, Ordered):
        return text
    try:
        if "_" in text or not text.isascii():  # Python's numbers may have these; people's have not
            raise ValueError
        if isinstance(domain, Dates):
            return datetime.date.fromisoformat(text)
        return int(text) if isinstance(domain, Integers) else float(text)
    except ValueError:
        kinds = {Dates: "a date such as 2026-01-31", Integers: "a whole number"}
        raise DomainError(
            f"a bound must be {kinds.get(type(domain), 'a number')}, got {text[:40]!r}"
        ) from None


def shown(value: Any) -> str:
    """Return a value for people."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def plain(value: Any) -> Any:
    """Return a value in plain JSON types."""
    if isinstance(value, np.generic):
        return value.item()
    return value.isoformat() if isinstance(value, datetime.date) else value


def describe(domain: Domain) -> str:
    """Say in a few words what values a domain holds."""
    kinds = {
        "integers": "whole numbers",
        "real": "numbers",
        "logarithmic": "numbers, logarithmic,",
        "dates": "days",
    }
    if "" not in domain.attributes:
        return "; ".join(f"{name}: {describe(each)}" for name, each in domain.attributes.items())
    bins = f"{domain.bins:,} bin" + "s" * (domain.bins != 1)
    if isinstance(domain, Ordered):
        few = list(domain.labels) if domain.bins <= 8 else [*domain.labels[:3], "…", domain.labels[-1]]
        return f"{'categories' if domain.unordered else 'labels'} {', '.join(few)} ({bins})"
    low, high = shown(domain.lower(0)), shown(domain.upper(domain.bins - 1))
    return f"{kinds[domain.kind]} from {low} to {high} ({bins})"
