"""The sender: brings reports to a survey's collector, each counted once however often it is sent."""

import hashlib
import re
import secrets
import warnings
from collections.abc import Callable, Iterator

from ldprange import wire
from ldprange.client.acceptance import check_accepted
from ldprange.client.http import Exchange, Patience, Reply
from ldprange.client.ledger import Ledger
from ldprange.errors import ArgumentError, SendError
from ldprange.oracles.bit_rows import bytes_of
from ldprange.plan import Plan
from ldprange.reports import Batch, Report
from ldprange.support.addresses import SurveyAddress
from ldprange.support.checking import check_type, is_number, shown

_MAX_BODY_BYTES = 1_000_000  # collectors take 1 MiB; never change it, or a batch sent again is cut elsewhere
_HEADS = 9 + 10  # what a batch, and each level of it, needs at most besides its reports
_BATCH_ID = re.compile(r"[0-9a-f]{32}")


class Sender:
    """Sends reports to one survey, and waits until its collector has them for good.

    Parameters
    ----------
    url
        The survey's address, such as ``https://example.org/s/commute``.
    timeout
        Seconds for one attempt to connect, to send or to get an answer.
    patience
        Seconds for all attempts of one request; then it gives up with a ``SendError``.
    insecure
        Allow plain ``http`` to another machine. Whoever is on the way then sees who takes part, and
        can drop or replace reports; of a person's value they learn no more than ε allows.

    >>> Sender("http://127.0.0.1:8000/s/commute")
    Sender('http://127.0.0.1:8000/s/commute')
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 10.0,
        patience: float = 120.0,
        insecure: bool = False,
        _patience: Callable[[float, float], Patience] = Patience,
    ) -> None:
        for what, seconds in (("timeout", timeout), ("patience", patience)):
            if not is_number(seconds) or seconds <= 0:
                raise ArgumentError(
                    f"a {what} must be a finite number of seconds above 0, got {shown(seconds)}"
                )
        self._address = SurveyAddress.read(url)
        host = self._address.host
        if not (host.secure or host.is_this_machine or insecure):
            raise ArgumentError(
                f"a survey on another machine must have an https address, got {shown(url)}; use https, or "
                "say insecure=True: then whoever is on the way sees who takes part and can replace reports"
            )
        self._patience = _patience(timeout, patience)

    def __repr__(self) -> str:
        return f"Sender({self.survey!r})"

    @property
    def survey(self) -> str:
        """The survey's address, spelled as a ledger keeps it."""
        return str(self._address)

    def plan(self, *, max_epsilon: float | None = None, fingerprint: str | None = None) -> Plan:
        """Fetch the survey's plan; another ``fingerprint``, or more ε than ``max_epsilon``, is an error."""
        with self._exchange() as exchange:
            plan = self._fetch_plan(exchange)
        check_accepted(plan, max_epsilon, fingerprint)
        return plan

    def send(self, reports: Report | Batch | bytes, batch_id: str | None = None) -> int:
        """Send reports and return how many the collector acknowledged: all of them.

        Parameters
        ----------
        reports
            A report, a batch, or either packed. What needs more than a million bytes goes in pieces,
            each with an id that follows from the batch's.
        batch_id
            32 hexadecimal digits; fresh and random if left out. Sent again with the same id, the same
            reports are counted once.

        Raises
        ------
        SendError
            If the collector refuses, or gives no answer in time. Its ``batch_id`` is the one to send
            the same reports with again.
        """
        check_type(reports, Report | Batch | bytes, "what is sent")
        if batch_id is None:
            batch_id = secrets.token_hex(16)
        elif not isinstance(batch_id, str) or not _BATCH_ID.fullmatch(batch_id):
            raise ArgumentError(
                f"a batch's id must be 32 lower-case hexadecimal digits, got {shown(batch_id)}"
            )
        with self._exchange() as exchange:
            data = reports if isinstance(reports, bytes) else wire.pack(reports)
            if len(data) <= _MAX_BODY_BYTES:
                return self._put(exchange, data, batch_id)
            batch = reports if isinstance(reports, Batch) else wire.unpack(self._fetch_plan(exchange), data)
            pieces = enumerate(_pieces(batch))
            return sum(self._put(exchange, wire.pack(piece), batch_id, number) for number, piece in pieces)

    def send_pending(self, ledger: Ledger) -> int:
        """Send what a ledger holds for this survey and its plan, not yet acknowledged; return how many.

        Each report has the id that the ledger chose for it, so it does not matter if the program
        stops half-way, or if two do this at once. Reports that were made for another survey, or under
        another plan, stay where they are. A warning tells of those whose survey is not known, because
        an older version made them: see :meth:`Ledger.assign`.
        """
        check_type(ledger, Ledger, "what is sent from")
        pending = ledger.pending()
        left = sum(entry.survey == "" for entry in pending)
        if left:
            warnings.warn(
                f"reports in {ledger.path} that are not sent, because an older version made them and did "
                f"not note for which survey: {left}; to send those that were made for a survey, call "
                "ledger.assign(sender.survey, sender.plan()) with its sender",
                stacklevel=2,
            )
        ours = [entry for entry in pending if entry.survey == self.survey]
        if not ours:
            return 0
        sent = 0
        with self._exchange() as exchange:
            fingerprint = self._fetch_plan(exchange).fingerprint
            for entry in ours:
                if entry.fingerprint == fingerprint:
                    self._put(exchange, entry.report, entry.batch_id)
                    ledger.acknowledge(entry.batch_id)
                    sent += 1
        return sent

    def _exchange(self) -> Exchange:
        # one for each call, so that threads and forks never share a connection
        return Exchange(self._address.host, self._patience)

    def _fetch_plan(self, exchange: Exchange) -> Plan:
        reply = exchange.ask("GET", self._address.interface)
        survey = reply.json()
        if reply.status == 200 and isinstance(survey, dict) and isinstance(survey.get("plan"), dict):
            return Plan.from_dict(survey["plan"])
        raise SendError(f"{self.survey} must be a survey; {_complaint(reply)}", status=reply.status)

    def _put(self, exchange: Exchange, data: bytes, batch_id: str, piece: int | None = None) -> int:
        name = f"batch {batch_id}" if piece is None else f"piece {piece} of batch {batch_id}"
        own_id = batch_id if piece is None else _piece_id(batch_id, piece)
        again = f"{name} may or may not be counted; sending the same batch again with the same id is safe"
        try:
            reply = exchange.ask("PUT", f"{self._address.interface}/batches/{own_id}", data)
        except SendError as error:
            raise SendError(f"{error}; {again}", batch_id, error.status) from None
        if reply.status not in (200, 201):
            raise SendError(f"{name} is refused; {_complaint(reply)}", batch_id, reply.status)
        taken = reply.json()
        if not isinstance(taken, dict) or type(taken.get("reports")) is not int or taken["reports"] < 1:
            # such as the page of a hotel's network, which says 200 to everything
            raise SendError(
                f"{self._address.host} must acknowledge a batch with its number of reports, and what "
                f"answered {reply.status} does not; {again}, once the collector itself answers",
                batch_id,
                reply.status,
            )
        return int(taken["reports"])


def _complaint(reply: Reply) -> str:
    return f"the collector answered {reply.status}: {reply.reason}"


def _pieces(batch: Batch) -> Iterator[Batch]:
    """Cut a batch into batches of at most ``_MAX_BODY_BYTES`` bytes, always in the same way."""
    columns, room = list(batch.plan.empty_columns), _MAX_BODY_BYTES
    for level, (column, mechanism) in enumerate(zip(batch.columns, batch.plan.mechanisms, strict=True)):
        start = 0
        while start < len(column):
            fitting = 8 * (room - _HEADS) // mechanism.bits
            if fitting < 1 and room < _MAX_BODY_BYTES:
                yield Batch(batch.plan, columns)
                columns, room = list(batch.plan.empty_columns), _MAX_BODY_BYTES
                continue
            stop = start + max(1, fitting)  # a report that is too large alone is for the collector to refuse
            columns[level] = column[start:stop]
            room -= _HEADS + bytes_of(len(columns[level]) * mechanism.bits)
            start = stop
    yield Batch(batch.plan, columns)


def _piece_id(batch_id: str, number: int) -> str:
    """Return the id of a piece, which follows from the batch's.

    How many pieces there are is not in it: were a batch ever cut in another way, the collector would
    see other bytes under an id that it knows and refuse them, not count them twice.
    """
    return hashlib.sha256(bytes.fromhex(batch_id) + number.to_bytes(8, "big")).hexdigest()[:32]
