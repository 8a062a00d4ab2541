"""Whatever is sent, there is no reply of 500 or above, and replies are as the description says."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ldprange as ldp
from ldprange import wire
from ldprange.service.openapi import DESCRIPTION
from running_collector import ADMINISTRATOR, ANALYST, PLAN, Service, packed, serving

EXAMPLES = 30  # beside those at the bounds of what is described, which are several times as many
HOMES = ldp.Plan(
    ldp.Domain.product(rooms=ldp.Domain.integers(0, 7), size=ldp.Domain.ordered(["S", "M", "L"])),
    1.1,
    ldp.Tree(2),
    ldp.HRR(),
)
OPERATIONS = [
    f"{method.upper()} {path}" for path, methods in DESCRIPTION["paths"].items() for method in methods
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("fuzzed")) as running:
        for name in ("ages", "bytes"):
            running.create(name)
            running.put(packed(list(range(120)), 1), name=name)
        running.create("homes", HOMES)
        people: Any = {"rooms": list(range(8)) * 9, "size": ["S", "M", "L"] * 24}
        running.put(wire.pack(ldp.encode_many(HOMES, people, seed=1)), name="homes")
        yield running


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    with requests.Session() as kept:  # a new one for each request would take as long as the request
        kept.trust_env = False  # nor need proxies be looked for
        yield kept


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_description_is_kept(operation: str, service: Service, session: requests.Session) -> None:
    """Each operation has a name of its own: by schemathesis' they had all one, and pytest-xdist ran one."""
    import schemathesis  # here, as every process would take long to import it, and to make up what is sent
    from schemathesis.checks import not_a_server_error
    from schemathesis.core.result import Ok
    from schemathesis.pytest.lazy import get_all_tests
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    ]

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), deadline=None, derandomize=True)
    def kept(case: schemathesis.Case[Any]) -> None:
        chance = zlib.crc32(repr((case.query, case.path_parameters, case.body)).encode())
        if "name" in (case.path_parameters or {}) and chance % 4:
            case.path_parameters["name"] = "ages" if chance % 8 < 4 else "homes"
            given = (case.query or {}).get("attribute")
            if given is not None and chance % 3:  # made-up names are hardly ever theirs
                known = ["rooms", "size"][: len(given)] if isinstance(given, list) else "rooms"
                case.query["attribute"] = known
        if case.method == "DELETE":  # others need the rest
            service.create("doomed")
            case.path_parameters["name"] = "doomed"
        some = {0: ANALYST, 1: None}  # who are refused most things, whatever they send
        for token in (ADMINISTRATOR, *(token for place, token in some.items() if chance % 5 == place)):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            case.call_and_validate(
                base_url=f"http://127.0.0.1:{service.port}", session=session, headers=headers, checks=checks
            )

    schema = schemathesis.openapi.from_dict(DESCRIPTION).include(name=operation)
    (made,) = get_all_tests(schema=schema, test_func=kept, settings=None, given_kwargs={})
    assert isinstance(made, Ok)
    _, test = made.ok()
    test()


PREFIX = bytes([1]) + bytes.fromhex(PLAN.fingerprint)


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(body=st.one_of(st.binary(max_size=200), st.binary(max_size=200).map(lambda rest: PREFIX + rest)))
def test_any_bytes_are_a_batch_or_refused(body: bytes, service: Service) -> None:
    assert service.put(body, name="bytes").status in (201, 400)


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"PUT /api/surveys/ages/batches/x HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"PUT /api/surveys/ages/batches/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /%00%ff/..%2f..%2fetc HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /static/..%2fapp.py HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /s/\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00",
    ],
)
def test_what_is_hardly_http_does_no_harm(service: Service, sent: bytes) -> None:
    connection = HTTPConnection("127.0.0.1", service.port, timeout=2)
    connection.connect()
    assert connection.sock is not None
    connection.sock.sendall(sent)
    try:
        answer = connection.sock.recv(1 << 16)
    except TimeoutError:
        answer = b""
    connection.close()
    assert b" 50" not in answer[:20]
    assert service.get("/health").status == 200


def test_half_a_batch_is_not_counted(service: Service) -> None:
    """A connection that ends within a body leaves nothing behind."""
    body = packed([1] * 50, 3)
    before = _reports(service)

    def cut(at: int) -> None:
        connection = HTTPConnection("127.0.0.1", service.port, timeout=5)
        connection.connect()
        assert connection.sock is not None
        head = (
            f"PUT /api/surveys/bytes/batches/{at:032x} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
        )
        head += "Content-Type: application/octet-stream\r\n\r\n"
        connection.sock.sendall(head.encode() + body[:at])
        connection.close()

    threads = [threading.Thread(target=cut, args=[at]) for at in range(0, len(body), 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _reports(service) == before


def _reports(service: Service) -> Any:
    return {survey["name"]: survey["reports"] for survey in service.get("/api/surveys").json["surveys"]}[
        "bytes"
    ]
