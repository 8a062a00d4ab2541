"""A survey's address, and the way there."""

from __future__ import annotations

import pytest

import ldprange as ldp


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://example.org/s/commute", "https://example.org/s/commute"),
        ("https://example.org:8443/a/s/commute-2/", "https://example.org:8443/a/s/commute-2"),
        ("http://localhost:8000/api/surveys/x", "http://localhost:8000/s/x"),
        ("http://[::1]:8000/s/x", "http://[::1]:8000/s/x"),
        ("http://127.1.2.3/s/s", "http://127.1.2.3/s/s"),
    ],
)
def test_an_address_is_a_survey_s_page_or_its_interface(url: str, address: str) -> None:
    assert repr(ldp.Sender(url)) == f"Sender('{address}')"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "commute",
        "example.org/s/commute",
        "ftp://example.org/s/commute",
        "file:/s/commute",
        "https:///s/commute",
        "https://example.org",
        "https://example.org/d/commute",
        "https://example.org/s/",
        "https://example.org/s/Commute",
        "https://example.org/s/a b",
        "https://example.org/s/../s/a%2e",
        "https://example.org/s/commute?x=1",
        "https://example.org/s/commute#token=1",
        "https://me:secret@example.org/s/commute",
        "https://example.org:port/s/commute",
        "https://[::1/s/commute",
        "https://example.org:0/s/commute",
        "https://example.org/a/../s/commute",
        "https://example.org/./s/commute",
        "https://example..org/s/commute",
        "https://exa mple.org/s/commute",
    ],
)
def test_any_other_address_is_refused(url: str) -> None:
    with pytest.raises(ldp.LdprangeError, match=r"must be like https://example\.org/s/commute, got"):
        ldp.Sender(url)


@pytest.mark.parametrize(
    "host", ["example.org", "10.0.0.1", "localhost.example.org", "127.0.0.1.example.org", "[::2]"]
)
def test_plain_http_to_another_machine_needs_a_word(host: str) -> None:
    with pytest.raises(ldp.LdprangeError, match=r"must have an https address.*insecure=True"):
        ldp.Sender(f"http://{host}/s/commute")
    ldp.Sender(f"http://{host}/s/commute", insecure=True)
