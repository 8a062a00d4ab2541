"""The collector without its network side: surveys, their reports, and who may ask."""

import asyncio
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Any

from ldprange.domain import Domain
from ldprange.errors import ArgumentError
from ldprange.plan import Plan
from ldprange.service.access import RateLimit
from ldprange.service.bodies import Bodies
from ldprange.service.cells import predicted_table
from ldprange.service.quota import Quota
from ldprange.service.refusal import Refusal
from ldprange.service.settings import Settings
from ldprange.service.store import CLOSED, OPEN, Store, Survey
from ldprange.service.writer import Writer
from ldprange.support.checking import listed

NAME = r"[a-z0-9][a-z0-9-]{0,62}"
_MAX_QUESTION_LENGTH, _MAX_UNIT_LENGTH, _MAX_ATTRIBUTE_LENGTH = 500, 40, 80


class Collector:
    """All that the handlers of requests share."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store = store
        self.settings = settings
        self.writer = Writer(store, settings.least_free_bytes)
        self.bodies = Bodies(settings.largest_body)
        self.rate = RateLimit(settings.requests_per_second)
        self.quota = Quota(settings.reports_per_hour, settings.bytes_per_hour)
        self.surveys: dict[str, Survey] = {}
        self.digests: dict[str, bytes] = {}
        self._unit_errors: dict[tuple[int, tuple[str, ...]], float] = {}
        self._changing = Lock()  # surveys, here and in the store

    def load(self) -> None:
        """Read the store."""
        self.surveys = {survey.name: survey for survey in self.store.surveys()}
        self.writer.load()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to take reports."""
        self.digests = self.store.digests()
        self.writer.start(loop)

    def stop(self) -> None:
        """Write what waits, and let go of the store; again is no harm."""
        self.writer.stop()
        self.store.close()

    def unit_error(self, survey: Survey, attributes: tuple[str, ...] = ()) -> float:
        """Return the predicted error of a range, root mean square over all, if one person answered.

        Of several attributes only some may be asked about.
        """
        key = survey.id, attributes
        if key not in self._unit_errors:
            self._unit_errors[key] = (
                math.sqrt(predicted_table(survey.plan, attributes).mean_variances()[0])
                if attributes
                else survey.plan.predict(1).range_rmse
            )
        return self._unit_errors[key]

    def create(self, description: object) -> Survey | None:
        """Add a survey that is described in JSON types; None if its name is taken."""
        new = survey_of(description)
        with self._changing:
            added = self.store.add_survey(new)
            if added is not None:
                self.writer.add_survey(added)
                # not in place: somebody may be going through them
                self.surveys = {**self.surveys, added.name: added}
        return added

    def survey(self, name: str) -> Survey:
        """Return the survey of this name, or refuse."""
        survey = self.surveys.get(name)
        if survey is None:
            raise Refusal(404, "there is no survey of this name")
        return survey

    def change(self, name: str, changes: object) -> Survey:
        """Change a survey as JSON types say: its switches and, until somebody answers, question and unit."""
        new = changes_of(changes)
        with self._changing:
            changed = replace(self.survey(name), **new)
            _check_attributes(changed.plan.domain, changed.unit)
            with self.writer.at_rest():  # nobody answers meanwhile
                reports = self.writer.reports(changed)
                if reports and not set(_TEXTS).isdisjoint(new):
                    raise Refusal(
                        409,
                        f"a survey's question and unit must stay as people answered them, and {reports} did; "
                        "make another survey",
                    )
                self.store.change_survey(changed.id, new)
            self.surveys = {**self.surveys, name: changed}
            self.writer.set_closed(changed.id, changed.state == CLOSED)
        return changed

    def remove(self, name: str) -> Survey | None:
        """Delete a survey and all that is kept of it; None if the store could not be written."""
        with self._changing:
            survey = self.survey(name)
            if not self.writer.remove_survey(survey):
                return None
            self.surveys = {key: other for key, other in self.surveys.items() if key != name}
            self._unit_errors = {
                key: error for key, error in self._unit_errors.items() if key[0] != survey.id
            }
        return survey


_SWITCHES = {"state": (OPEN, CLOSED), "public": (True, False), "batches": (True, False)}
_TEXTS = {"question": (1, _MAX_QUESTION_LENGTH), "unit": (0, _MAX_UNIT_LENGTH)}
"""The texts of a survey, and how many characters each may have at least and at most."""


def changes_of(changes: object) -> dict[str, Any]:
    """Return the changes to a survey that are described in JSON types."""
    known = [*_SWITCHES, *_TEXTS]
    if not isinstance(changes, Mapping) or not changes or not set(changes) <= set(known):
        raise ArgumentError(
            "a change must be an object with state, public, batches, question or unit in it, "
            f"got {_short(changes)}"
        )
    for key, value in changes.items():
        allowed = _SWITCHES.get(key)
        if allowed and not any(value is one or (isinstance(value, str) and value == one) for one in allowed):
            raise ArgumentError(f"{key} must be one of {list(allowed)}, got {_short(value)}")
    return {key: _line(key, value) if key in _TEXTS else value for key, value in changes.items()}


def survey_of(description: object) -> Survey:
    """Return the survey that is described in JSON types, not yet in any store."""
    wanted, optional = ["name", "question", "plan"], {"unit": "", "public": False, "batches": False}
    if not isinstance(description, Mapping):
        raise ArgumentError(f"a survey must be an object with {listed(wanted)}, got {_short(description)}")
    missing = [key for key in wanted if key not in description]
    unknown = [key for key in description if key not in (*wanted, *optional)]
    if missing or unknown:
        raise ArgumentError(
            f"a survey must have {listed(wanted)}, and may have {listed(optional)}; "
            + (f"got no {listed(missing)}" if missing else f"got {_short(unknown[0])} besides")
        )
    given: dict[str, Any] = {**optional, **description}
    if not isinstance(given["name"], str) or not re.fullmatch(NAME, given["name"]):
        raise ArgumentError(
            "a survey's name must have 1 to 63 lower-case letters, digits and dashes, not a dash first, "
            f"got {_short(given['name'])}"
        )
    question, unit = _line("question", given["question"]), _line("unit", given["unit"])
    for key in ("public", "batches"):
        if not isinstance(given[key], bool):
            raise ArgumentError(f"{key} must be true or false, got {_short(given[key])}")
    plan = Plan.from_dict(given["plan"])
    _check_attributes(plan.domain, unit)
    return Survey(0, given["name"], question, unit, given["public"], OPEN, plan, given["batches"])


def _line(key: str, text: object) -> str:
    """Return one of a survey's texts, without space around it, or refuse it."""
    least, most = _TEXTS[key]
    # what can be printed can be shown in a line, and kept by any database
    if not isinstance(text, str) or not least <= len(text.strip()) <= most or not text.isprintable():
        raise ArgumentError(
            f"a survey's {key} must be a line of {least} to {most} characters, got {_short(text)}"
        )
    return text.strip()


def _check_attributes(domain: Domain, unit: str) -> None:
    """Raise Refusal if the pages cannot show the attributes of ``domain``."""
    if "" in domain.attributes:
        return
    for name in domain.attributes:
        if len(name) > _MAX_ATTRIBUTE_LENGTH or not name.strip() or not name.isprintable():
            raise ArgumentError(
                f"an attribute's name must be a line of 1 to {_MAX_ATTRIBUTE_LENGTH} characters, "
                f"got {_short(name)}"
            )
    if unit:
        raise ArgumentError(
            "a survey of several attributes must have no unit, for each has its own, "
            f"got {_short(unit)}; put units into the attributes' names"
        )


def _short(value: object) -> str:
    return repr(value)[:100]
