"""The shapes of what the interface takes and replies, as schemas of its description."""

from typing import Any

from ldprange.sampling import RESPONDENTS
from ldprange.service.collector import NAME
from ldprange.service.questions import POPULATION
from ldprange.tampering.check import KINDS

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
_WHOLE: Json = {"type": "integer", "minimum": 0}
_SHARE: Json = {"type": ["number", "null"]}
VALUE: Json = {"type": ["number", "string", "null"], "description": "In the domain's own units."}
_FLAG: Json = {"type": "boolean"}


def record(properties: Json, *, optional: tuple[str, ...] = ()) -> Json:
    """Return the schema of an object with these properties, all required but the optional ones."""
    required = [name for name in properties if name not in optional]
    described = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**described, "required": required} if required else described


def many(of: Json) -> Json:
    """Return the schema of an array."""
    return {"type": "array", "items": of}


def _or_nothing(of: Json) -> Json:
    """Return the schema of a value that may be null."""
    return {"oneOf": [of, {"type": "null"}]}


_BATCHES: Json = {**_FLAG, "description": "Whether a submission may hold more than one report."}
_STATE: Json = {"enum": ["open", "closed"]}
_PLAN: Json = {"type": "object", "description": "A plan, as in docs/formats.md."}
_SWITCHES: Json = {"public": _FLAG, "batches": _BATCHES}
_TEXTS: Json = {
    "question": {"type": "string", "minLength": 1, "maxLength": 500},
    "unit": {"type": "string", "maxLength": 40},
}
SURVEY = record({"name": TEXT, "question": TEXT, "unit": TEXT, "state": _STATE, **_SWITCHES, "plan": _PLAN})
NEW = record(
    {
        "name": {"type": "string", "pattern": f"^{NAME}$"},
        **_TEXTS,
        **_SWITCHES,
        "plan": _PLAN,
    },
    optional=("unit", *_SWITCHES),
)
_CHANGEABLE: Json = {"state": _STATE, **_SWITCHES, **_TEXTS}
CHANGES = {**record(_CHANGEABLE, optional=tuple(_CHANGEABLE)), "minProperties": 1}
LISTED = record(
    {
        "name": TEXT,
        "question": TEXT,
        "unit": TEXT,
        "epsilon": {"type": "number"},
        "state": TEXT,
        "public": _FLAG,
        "reports": _WHOLE,
    }
)
WANTED = record(
    {
        "domain": {"type": "object", "description": "A domain, as in a plan (docs/formats.md)."},
        "epsilon": {"type": "number", "exclusiveMinimum": 0},
        "users": {"type": "integer", "minimum": 1},
    }
)
_ENOUGH: Json = {"type": "number", "description": "What it must be for an answer to tell something."}
PLANNED = record(
    {
        "plan": _PLAN,
        "typical": {
            "type": ["number", "null"],
            "description": "Half the length of a typical range's 95% interval, if so many answer.",
        },
        "wanted": _ENOUGH,
    }
)
KEPT = record({"reports": {"type": "integer", "minimum": 1}})

_POPULATION: Json = {
    "oneOf": [{"enum": [POPULATION, RESPONDENTS]}, {"type": "number", "minimum": 1}],
    "description": "Whom intervals speak of: an endless population of which those who answered are a random "
    "sample, one of so many people, or just those who answered.",
}
ASKED: Json = {
    "reports": _WHOLE,
    "confidence": {"type": "number"},
    "denoised": _FLAG,
    "population": _POPULATION,
}
WHOM: Json = {"everyone": {**_FLAG, "description": "Whether of all people, not just of those who answered."}}
_ONE: Json = {"value": _SHARE, "low": _SHARE, "high": _SHARE}
ABOUT: Json = {
    "attribute": TEXT,
    "given": {"type": "object", "additionalProperties": many(VALUE)},
    "no_answer": {
        **record(_ONE),
        "description": "The share of all people who gave no answer; all else is of those who gave one.",
    },
}
"""Where a survey has several attributes: which one is asked about, and ranges of those among whom. Where
people may give no answer: how many did."""
NOTED: Json = {**_ONE, "note": {**TEXT, "description": "What would make the interval shorter; or nothing."}}
SHARES: Json = {name: many(_SHARE) for name in _ONE}
_VALUES: Json = {name: many(VALUE) for name in _ONE}
TABLE: Json = {
    "from": many(many(VALUE)),
    "to": many(many(VALUE)),
    **{name: many(many(_SHARE)) for name in _ONE},
}
"""Of two attributes: the cells' ends on each, and rows of shares, a row for each cell of the first."""
MEAN: Json = {name: {"type": "number"} for name in _ONE}
QUARTILES = {"q": many({"type": "number"}), **_VALUES}

_DRAWN: Json = {
    "version": _WHOLE,
    **ASKED,
    "state": _STATE,
    "arrivals": record({"start": many(_WHOLE), "reports": many(_WHOLE)}),
    "error": _or_nothing(record({"typical": {"type": "number"}, "wanted": _ENOUGH, "more": _WHOLE})),
}
_DRAWN_OF_ONE: Json = {
    "cdf": _or_nothing(record({"to": many(VALUE), **SHARES})),
    "histogram": _or_nothing(record({"from": many(VALUE), "to": many(VALUE), **SHARES})),
    "quartiles": _or_nothing(record(QUARTILES)),
    "beside": _or_nothing(record({"name": many(TEXT), **SHARES})),
}
_DRAWN_OF_TWO: Json = {
    "attributes": _or_nothing(many(TEXT)),
    "no_answer": _or_nothing(record(_ONE)),
    "table": _or_nothing(record(TABLE)),
    "marginals": _or_nothing(many(record(SHARES))),
}
OVERVIEW: Json = {"oneOf": [record({**_DRAWN, **each}) for each in (_DRAWN_OF_ONE, _DRAWN_OF_TWO)]}
CHECK: Json = record(
    {
        "reports": _WHOLE,
        "suspicious": _FLAG,
        "false_alarms": {"type": "number", "description": "The chance of a finding among honest reports."},
        "comparisons": record(dict.fromkeys(KINDS, _WHOLE)),
        "nearest": record({kind: {"type": "number"} for kind in KINDS}),
        "findings": many(
            record(
                {
                    "kind": {"enum": [*KINDS]},
                    "level": {"type": ["integer", "null"]},
                    "text": TEXT,
                    "times": {"type": "number", "description": "What is allowed."},
                }
            )
        ),
    }
)
