"""The pages and their files, under a strict policy: nothing comes from, or goes to, anywhere else."""

from collections.abc import Sequence
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ldprange.service.refusal import Refusal
from ldprange.service.replies import collector_of

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_IN_A_FRAME = POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
_WITH_FRAMES = f"{POLICY}; frame-src 'self'"
MAX_TOGETHER = 5
"""Surveys on one page."""
_HEADERS = {
    "cache-control": "no-cache",
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain"}


_FILES = {
    entry.name: entry.read_bytes()
    for entry in (files("ldprange.service") / "static").iterdir()
    if entry.is_file()
}


async def home_page(request: Request) -> Response:
    """Say what this is; which surveys there are is not for everybody."""
    collector_of(request)
    return HTMLResponse(_FILES["home.html"], headers=_HEADERS)


async def surveys_page(request: Request) -> Response:
    """Return the owner's page; all that it shows needs a token of its own."""
    collector_of(request)
    return HTMLResponse(_FILES["surveys.html"], headers=_HEADERS)


async def survey_page(request: Request) -> Response:
    """Return the page on which people answer a survey or, named a+b, several of them."""
    names = request.path_params["name"].split("+")
    if len(names) == 1:
        return _page(request, "survey.html", names, _IN_A_FRAME)
    if len(set(names)) < len(names) or len(names) > MAX_TOGETHER:
        names = []  # an address that nobody gave out
    return _page(request, "together.html", names, _WITH_FRAMES)


async def dashboard_page(request: Request) -> Response:
    """Return the page on which the distribution appears; its figures need a token of their own."""
    return _page(request, "dashboard.html", [request.path_params["name"]], POLICY)


def _page(request: Request, file: str, names: Sequence[str], policy: str) -> Response:
    """Return the page of surveys; whoever mistypes their names is a person, to whom JSON says little."""
    known = collector_of(request).surveys
    if not names or not all(name in known for name in names):
        return HTMLResponse(_FILES["missing.html"], 404, headers=_HEADERS)
    return HTMLResponse(_FILES[file], headers={**_HEADERS, "content-security-policy": policy})


async def static_file(request: Request) -> Response:
    """Return a script, a style or a picture of the pages."""
    name = request.path_params["file"]
    kind = _TYPES.get(name[name.rfind(".") :])
    if name not in _FILES or kind is None:
        raise Refusal(404, "there is no such file")
    return Response(_FILES[name], media_type=kind, headers=_HEADERS)
