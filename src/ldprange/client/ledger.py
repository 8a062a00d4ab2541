"""The ledger: what each person on this device has answered, so that nobody answers a survey twice.

It never holds, and is never given, a true value: only reports, which anyone may see.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from ldprange import wire
from ldprange.client.acceptance import Asking
from ldprange.client.ledger_file import LedgerFile
from ldprange.errors import ArgumentError, BudgetError, FileError, LdprangeError
from ldprange.plan import Plan
from ldprange.reports import Report
from ldprange.support.addresses import SurveyAddress
from ldprange.support.checking import check_type, is_number, shown

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Answered:
    """A survey that a person answered, the plan under which it asked, and what ε it cost.

    The survey is empty if it is not known: then an older version of this package made the report.
    """

    survey: str
    fingerprint: str
    epsilon: float


@dataclass(frozen=True, slots=True)
class Pending:
    """A report that no collector has acknowledged yet, packed as on the wire, and the id to send it under.

    Its survey is empty if it is not known: then an older version of this package made the report.
    """

    person: str
    survey: str
    fingerprint: str
    report: bytes
    batch_id: str


class Ledger:
    """A small durable file of every report that was made on this device, and what ε it cost.

    With it a client gives the same report again to whoever asks again, and no person spends more
    than the budget over all surveys. Several threads and processes may use one file.

    Parameters
    ----------
    path
        The file, on a local disk; it is made, readable by its owner only, if it is not there.
    budget
        The most ε that any person may spend over all surveys and plans. It is written into the file when
        that is made; later it must be the same, or None to take what the file says. See ``set_budget``.

    >>> from tempfile import TemporaryDirectory
    >>> from ldprange import Client, Domain, Haar, HRR
    >>> plan = Plan(Domain.integers(0, 119), 1.1, Haar(), HRR())
    >>> with TemporaryDirectory() as folder:
    ...     ledger = Ledger(Path(folder, "answers.ledger"), budget=2.0)
    ...     client = Client(plan, ledger=ledger, survey="https://example.org/s/commute")
    ...     print(client.encode(42) == client.encode(42))
    ...     print(ledger.spent(), ledger.remaining())
    True
    1.1 0.9
    """

    def __init__(self, path: str | os.PathLike[str], budget: float | None = 2.0) -> None:
        if budget is not None:
            _check_budget(budget)
        self.path = Path(path).absolute()  # the same file after the working directory changed
        self._file = LedgerFile(self.path)
        if not self._file.exists() and budget is not None:
            self._file.make(float(budget))
        with self._file.opened() as connection:
            self._file.check(connection)
            written = self._budget(connection)
        if budget is not None and budget != written:
            raise BudgetError(
                f"{self.path} must be opened with its own budget, {written!r}, got {float(budget)!r}; "
                "to change what people agreed to, open it with budget=None and call set_budget"
            )
        with self._file.opened() as connection:
            self._file.bring_up_to_date(connection)  # only now that nothing is wrong with it

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r}, budget={self.budget!r})"

    @property
    def budget(self) -> float:
        """The most ε that any person may spend."""
        with self._file.opened() as connection:
            return self._budget(connection)

    def set_budget(self, budget: float) -> None:
        """Change the budget, for every person in the file.

        A smaller one takes nothing back: whoever spent more already is refused every new survey.
        """
        _check_budget(budget)
        with self._file.opened() as connection:
            connection.execute("UPDATE ledger SET budget = ?", (float(budget),))

    def spent(self, person: str = "") -> float:
        """Return the sum of ε over all surveys that a person answered, under each of their plans."""
        with self._file.opened() as connection:
            return float(self._spent(connection, _checked_person(person)))

    def remaining(self, person: str = "") -> float:
        """Return how much ε a person may still spend."""
        with self._file.opened() as connection:
            connection.execute("BEGIN")  # both numbers as of one moment
            left = _decimal(self._budget(connection)) - self._spent(connection, _checked_person(person))
        return float(max(left, Fraction(0)))

    def answered(self, person: str = "") -> list[Answered]:
        """Return each survey that a person answered, under each of its plans, in the order of their names."""
        with self._file.opened() as connection:
            return self._answered(connection, _checked_person(person))

    def once(self, survey: str, plan: Plan, person: str, make: Callable[[], Report]) -> Report:
        """Return a person's report to a survey under a plan; only if there is none, ``make`` it.

        One that would exceed the budget is an error. A report that this returned is on the disk.
        """
        packed = self.keep_once(survey, plan, person, lambda: wire.pack(make()), pending=True)
        try:
            return wire.unpack_one(plan, packed)
        except LdprangeError:
            raise FileError(
                f"{self.path} must hold reports of plan {plan.fingerprint}, but this one is damaged"
            ) from None

    def keep_once(
        self, survey: str, plan: Asking, person: str, make: Callable[[], bytes], *, pending: bool = False
    ) -> bytes:
        """Return what a person said to a survey under a plan, as bytes; only if that is nothing, ``make`` it.

        What would exceed the budget is an error. What this returned is on the disk. A sender finds it there
        only if it is ``pending``: a packed report.
        """
        with self._file.opened() as connection:
            key = (_checked_person(person), str(SurveyAddress.read(survey)), plan.fingerprint)
            kept = self._kept(connection, key)
            if kept is None:
                connection.execute("BEGIN IMMEDIATE")  # one at a time from here on, in all processes
                kept = self._kept(connection, key)
                if kept is None:
                    self._check_assigned(connection, key)
                    self._check_affordable(connection, person, plan.epsilon)
                    kept = make()
                    row = (*key, plan.epsilon, kept, secrets.token_hex(16), not pending)
                    names = "person, survey, fingerprint, epsilon, report, batch_id, acknowledged"
                    connection.execute(f"INSERT INTO reports ({names}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608 (names are above)
                connection.execute("COMMIT")
        return kept

    def pending(self) -> list[Pending]:
        """Return what no collector has acknowledged yet, in an order that does not say who came first."""
        with self._file.opened() as connection:
            rows = connection.execute(
                "SELECT person, survey, fingerprint, report, batch_id FROM reports"
                " WHERE NOT acknowledged ORDER BY batch_id"
            )
            return [Pending(*row) for row in rows]

    def assign(self, survey: str, plan: Plan) -> int:
        """Write down that reports under a plan were made for a survey, where none is known; return how many.

        Only reports of older versions of this package have no survey. They keep their ε and their ids.
        """
        check_type(plan, Plan, "the plan of reports to be assigned")
        with self._file.opened() as connection:
            key = (str(SurveyAddress.read(survey)), plan.fingerprint)
            done = connection.execute(
                "UPDATE reports SET survey = ? WHERE survey = '' AND fingerprint = ?", key
            )
            return done.rowcount

    def acknowledge(self, batch_id: str) -> None:
        """Write down that a collector has the report with this id."""
        with self._file.opened() as connection:
            connection.execute("UPDATE reports SET acknowledged = 1 WHERE batch_id = ?", (batch_id,))

    def _budget(self, connection: Connection) -> float:
        rows = connection.execute("SELECT budget FROM ledger").fetchall()
        if len(rows) != 1 or not is_number(rows[0][0]):
            raise FileError(
                f"{self.path} must have one budget, got {rows}; it is damaged; restore it from a backup"
            )
        return float(rows[0][0])

    def _spent(self, connection: Connection, person: str) -> Fraction:
        answered = self._answered(connection, person)
        return sum((_decimal(each.epsilon) for each in answered), Fraction(0))

    def _answered(self, connection: Connection, person: str) -> list[Answered]:
        query = (
            "SELECT survey, fingerprint, epsilon FROM reports WHERE person = ? ORDER BY survey, fingerprint"
        )
        answered = [Answered(*row) for row in connection.execute(query, (person,))]
        for each in answered:
            if not is_number(each.epsilon) or each.epsilon <= 0:
                raise FileError(
                    f"{self.path} must hold reports of an ε above 0, got {shown(each.epsilon)}; it is "
                    "damaged, so restore it from a backup"
                )
        return answered

    def _check_affordable(self, connection: Connection, person: str, epsilon: float) -> None:
        budget = self._budget(connection)
        spent = self._spent(connection, person)
        left = max(_decimal(budget) - spent, Fraction(0))
        if _decimal(epsilon) > left:
            raise BudgetError(
                f"the ε of all surveys that a person answers must stay within the budget of {budget!r}: "
                f"{float(spent)!r} is spent and this survey asks for {epsilon!r}; leave it unanswered"
                + (f", or ask under a plan of ε at most {float(left)!r}" if left else "")
            )

    def _check_assigned(self, connection: Connection, key: tuple[str, str, str]) -> None:
        person, survey, fingerprint = key
        if self._kept(connection, (person, "", fingerprint)) is not None:
            raise FileError(
                f"{self.path} must say for which survey a person's report under plan {fingerprint} was made, "
                "and an older version, which made it, did not note that; call ledger.assign(survey, plan) "
                f"with the survey that it was for, {shown(survey)} or another, and ask again"
            )

    def _kept(self, connection: Connection, key: tuple[str, str, str]) -> bytes | None:
        query = "SELECT report FROM reports WHERE person = ? AND survey = ? AND fingerprint = ?"
        row: tuple[bytes] | None = connection.execute(query, key).fetchone()
        return row[0] if row else None


def _decimal(epsilon: float) -> Fraction:
    """Return the number that was written, so that ten times 0.1 is 1; as binary numbers it is more."""
    return Fraction(repr(float(epsilon)))


def _check_budget(budget: object) -> None:
    if not is_number(budget) or budget <= 0:
        raise BudgetError(f"a budget must be a finite number above 0, a person's most ε, got {shown(budget)}")


def _checked_person(person: str) -> str:
    check_type(person, str, "a person's name")
    try:
        person.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"a person's name must be proper text, got {shown(person)}") from None
    return person
