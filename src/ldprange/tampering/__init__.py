"""Whether reports are what honest clients send: what tampering leaves behind in the counts."""

from ldprange.tampering.check import Check, Finding, check

__all__ = ["Check", "Finding", "check"]
