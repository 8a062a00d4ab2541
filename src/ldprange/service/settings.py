"""How a collector is to behave."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """How a collector is to behave.

    Parameters
    ----------
    origins
        Addresses under which people reach it, from which it may be administered besides this machine.
    requests_per_second
        From one address; 0 for no limit.
    largest_body
        Bytes.
    reports_per_hour, bytes_per_hour
        From one address to one survey; 0 for no limit.
    least_free_bytes
        On the disk of an SQLite store; with less, no reports are taken.
    """

    origins: tuple[str, ...] = ()
    requests_per_second: float = 100.0
    largest_body: int = 1 << 20
    reports_per_hour: int = 10_000
    bytes_per_hour: int = 100_000_000
    least_free_bytes: int = 500_000_000


DEFAULTS = Settings()
