"""The description of the interface, by which other programs and tests know it: its paths."""

from ldprange.sampling import RESPONDENTS
from ldprange.service.collector import NAME
from ldprange.service.overview import CONFIDENCES
from ldprange.service.questions import POPULATION
from ldprange.service.shapes import (
    ABOUT,
    ASKED,
    CHANGES,
    CHECK,
    KEPT,
    LISTED,
    MEAN,
    NEW,
    NOTED,
    OVERVIEW,
    PLANNED,
    QUARTILES,
    SHARES,
    SURVEY,
    TABLE,
    TEXT,
    VALUE,
    WANTED,
    WHOM,
    Json,
    many,
    record,
)
from ldprange.service.submit import BATCH, BYTES


def _json(schema: Json, what: str) -> Json:
    return {"description": what, "content": {"application/json": {"schema": schema}}}


_ERRORS = {
    400: "What was sent or asked is wrong; the reason is told, and nothing changed.",
    401: "A token is needed, or it is not one of this collector's.",
    403: "The token is another role's, or administration is not allowed from there.",
    404: "There is no such survey.",
    408: "The body did not come in time.",
    409: "A name or a batch's id is taken; nobody has answered yet; or somebody has, so texts must stay.",
    410: "The survey is closed.",
    413: "The body is too large, or has more reports than an address may bring in an hour.",
    415: "The body must be sent as bytes.",
    429: "Too many requests, reports or bytes from this address; Retry-After tells when there may be more.",
    503: (
        "Too many questions or submissions wait, it is shutting down, or the store cannot be written. "
        "Sending the same batch again is safe."
    ),
    507: "The disk is nearly full. Sending the same batch again later is safe.",
}


def _operation(
    summary: str,
    replies: Json,
    errors: tuple[int, ...],
    *,
    parameters: tuple[Json, ...] = (),
    body: Json | None = None,
    security: list[Json] | None = None,
) -> Json:
    """Describe a request, with ``errors`` besides those that parameters, body and security bring along."""
    described: Json = {"summary": summary}
    codes = [429, *errors]
    if parameters:
        described["parameters"] = list(parameters)
        codes.append(404)  # all of them have a survey's name
    if body is not None:
        described["requestBody"] = {"required": True, "content": body}
        codes += [408, 413]
    if security is not None:
        described["security"] = security
        codes += [401, 403]
    refusals = {str(code): _json(record({"error": TEXT}), _ERRORS[code]) for code in codes}
    return {**described, "responses": {**replies, **refusals}}


def _query(name: str, schema: Json, what: str, *, required: bool = False) -> Json:
    return {"name": name, "in": "query", "required": required, "schema": schema, "description": what}


def _path(name: str, pattern: str) -> Json:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": {"type": "string", "pattern": f"^{pattern}$"},
    }


_SURVEY_NAME, _BATCH_ID = _path("name", NAME), _path("batch", BATCH)
_CONFIDENCE = _query(
    "confidence",
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "default": 0.95},
    "How often an interval is to hold the truth.",
)
_DENOISE = _query("denoise", {"type": "boolean", "default": False}, "Less error for a little bias.")
_EVERYONE = _query(
    "everyone",
    {"type": "boolean", "default": False},
    "Ask of all people, also of those who gave no answer: “no answer” is then a value.",
)
_POPULATION = _query(
    "population",
    {
        "type": "string",
        "pattern": f"^({POPULATION}|{RESPONDENTS}|[1-9][0-9]*(,[0-9]{{3}})*(\\.[0-9]+)?([eE][+]?[0-9]+)?)$",
        "default": POPULATION,
    },
    "Whom intervals speak of: an endless population, just those who answered, or so many people.",
)
_ADMINISTRATOR: list[Json] = [{"administrator": []}]
_ANALYST: list[Json] = [{"analyst": []}, {"administrator": []}]
_ANALYST_OR_PUBLIC = [*_ANALYST, {}]
_NAMES: Json = many({"type": "string", "minLength": 1})
_ATTRIBUTE = _query(
    "attribute",
    {"type": "string", "minLength": 1},
    "Which attribute this is about, where a survey has several.",
)
_ATTRIBUTES = _query(
    "attribute", _NAMES, "Which attributes this is about, where a survey has several; each once."
)


_GIVEN = tuple(
    _query(name, _NAMES, what)
    for name, what in (
        ("given", "Other attributes: what is asked is then asked of the people in ranges of them."),
        ("given_low", "Where these ranges begin; as many as given attributes."),
        ("given_high", "Where these ranges end; as many as given attributes."),
    )
)


def _question(summary: str, answer: Json, *parameters: Json, several: Json | None = None) -> Json:
    """Describe a question, and its answer where it is asked of several attributes at once."""
    answers = [
        record({**ASKED, **WHOM, **ABOUT, **each}, optional=tuple(ABOUT))
        for each in (answer, several)
        if each is not None
    ]
    schema = answers[0] if several is None else {"oneOf": answers}
    return {
        "get": _operation(
            summary,
            {"200": _json(schema, "The answer and its interval.")},
            (400, 409, 503),
            parameters=(_SURVEY_NAME, *parameters, *_GIVEN, _CONFIDENCE, _DENOISE, _EVERYONE, _POPULATION),
            security=_ANALYST_OR_PUBLIC,
        )
    }


_BOUND = {"type": "string", "minLength": 1}
_BOUNDS = {**many(_BOUND), "minItems": 1}
_BAND = {"enum": ["pointwise", "simultaneous"], "default": "pointwise"}
_AT = "/api/surveys/{name}"

DESCRIPTION: Json = {
    "openapi": "3.1.0",
    "info": {
        "title": "ldprange collector",
        "version": "1",
        "description": "Takes randomised reports, and answers questions about all of them together.",
    },
    "components": {
        "securitySchemes": {
            role: {"type": "http", "scheme": "bearer", "description": f"The {role}'s token."}
            for role in ("administrator", "analyst")
        }
    },
    "paths": {
        "/api/surveys": {
            "post": _operation(
                "Make a survey",
                {"201": _json(SURVEY, "It is open.")},
                (400, 409, 503),
                body={"application/json": {"schema": NEW}},
                security=_ADMINISTRATOR,
            ),
            "get": _operation(
                "List the surveys",
                {"200": _json(record({"surveys": many(LISTED)}), "All of them, oldest first.")},
                (400,),
                security=_ANALYST,
            ),
        },
        _AT: {
            "get": _operation(
                "See a survey and its plan",
                {"200": _json(SURVEY, "As anybody may see it.")},
                (400,),
                parameters=(_SURVEY_NAME,),
            ),
            "patch": _operation(
                "Close a survey, open it again, make its answers public, let it take batches; "
                "or, before anybody answers, correct its question or unit",
                {"200": _json(SURVEY, "As it is now.")},
                (400, 409, 503),
                parameters=(_SURVEY_NAME,),
                body={"application/json": {"schema": CHANGES}},
                security=_ADMINISTRATOR,
            ),
            "delete": _operation(
                "Delete a survey and all that is kept of it, for good",
                {"204": {"description": "It is gone."}},
                (400, 503),
                parameters=(_SURVEY_NAME,),
                security=_ADMINISTRATOR,
            ),
        },
        "/api/plans": {
            "post": _operation(
                "See the best plan for a survey, and how accurate its answers will be",
                {"200": _json(PLANNED, "The plan, to make a survey with.")},
                (400,),
                body={"application/json": {"schema": WANTED}},
                security=_ADMINISTRATOR,
            ),
        },
        f"{_AT}/batches/{{batch}}": {
            "put": _operation(
                "Submit a batch of reports, packed, under an id of 16 random bytes",
                {
                    "201": _json(KEPT, "Durable, and counted."),
                    "200": _json(KEPT, "It was there already; nothing changed."),
                },
                (400, 409, 410, 415, 503, 507),
                parameters=(_SURVEY_NAME, _BATCH_ID),
                body={BYTES: {"schema": {"type": "string", "format": "binary"}}},
            )
        },
        f"{_AT}/range": _question(
            "The share between two values, or in a range of each of several attributes",
            {"attributes": many(TEXT), "from": many(VALUE), "to": many(VALUE), **NOTED},
            _query("low", _BOUNDS, "In the domain's own units; as many as attributes.", required=True),
            _query("high", _BOUNDS, "In the domain's own units; as many as attributes.", required=True),
            _ATTRIBUTES,
        ),
        f"{_AT}/prefix": _question(
            "The share up to a value",
            {"to": VALUE, **NOTED},
            _query("value", _BOUND, "In the domain's own units.", required=True),
            _ATTRIBUTE,
        ),
        f"{_AT}/quantiles": _question(
            "The values up to which shares of the people lie",
            QUARTILES,
            _query(
                "q",
                {**many({"type": "number", "minimum": 0, "maximum": 1}), "minItems": 1},
                "Shares.",
                required=True,
            ),
            _ATTRIBUTE,
        ),
        f"{_AT}/mean": _question("The mean of people's numbers", MEAN, _ATTRIBUTE),
        f"{_AT}/cdf": _question(
            "The share up to every bin",
            {"band": TEXT, "to": many(VALUE), **SHARES},
            _query("band", _BAND, "Whether each interval holds on its own, or all hold at once."),
            _ATTRIBUTE,
        ),
        f"{_AT}/histogram": _question(
            "The share of every bin, or of two attributes’ cells: 32 × 32 at most and those beyond open ends",
            {"from": many(VALUE), "to": many(VALUE), **SHARES},
            _ATTRIBUTES,
            several={"attributes": many(TEXT), **TABLE},
        ),
        f"{_AT}/overview": {
            "get": _operation(
                "All that a dashboard draws: of one attribute or, where a survey has several, of one or two",
                {"200": _json(OVERVIEW, "As of now."), "204": {"description": "Nothing changed since."}},
                (400, 503),
                parameters=(
                    _SURVEY_NAME,
                    _query("since", {"type": "integer"}, "The version that is known already."),
                    _ATTRIBUTES,
                    _query("confidence", {"enum": [*CONFIDENCES], "default": 0.95}, "As of a question."),
                    _DENOISE,
                ),
                security=_ANALYST_OR_PUBLIC,
            )
        },
        f"{_AT}/check": {
            "get": _operation(
                "Whether the reports are what honest clients send",
                {"200": _json(CHECK, "As of now.")},
                (400, 503),
                parameters=(_SURVEY_NAME,),
                security=_ANALYST_OR_PUBLIC,
            )
        },
        "/health": {
            "get": _operation(
                "Whether reports can be taken",
                {"200": _json(record({"status": {"const": "ok"}}), "They can.")},
                (503,),
            )
        },
        "/metrics": {
            "get": _operation(
                "Figures for Prometheus",
                {"200": {"description": "Its text format.", "content": {"text/plain": {"schema": TEXT}}}},
                (400,),
                security=_ANALYST,
            )
        },
    },
}
