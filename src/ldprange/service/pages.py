"""The pages and their files, under a strict policy: nothing comes from, or goes to, anywhere else."""

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ldprange.service.refusal import Refusal
from ldprange.service.replies import collector_of

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "cache-control": "no-cache",
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain"}


def _read_all() -> dict[str, bytes]:
    static = files("ldprange.service") / "static"
    return {entry.name: entry.read_bytes() for entry in static.iterdir() if entry.is_file()}


_FILES = _read_all()


async def home_page(request: Request) -> Response:
    """Say what this is; which surveys there are is not for everybody."""
    collector_of(request)
    return HTMLResponse(_FILES["home.html"], headers=_HEADERS)


async def survey_page(request: Request) -> Response:
    """Return the page on which people answer."""
    return _page(request, "survey.html")


async def dashboard_page(request: Request) -> Response:
    """Return the page on which the distribution appears; its figures need a token of their own."""
    return _page(request, "dashboard.html")


def _page(request: Request, name: str) -> Response:
    """Return a survey's page; whoever mistypes its name is a person, to whom JSON says little."""
    if request.path_params["name"] not in collector_of(request).surveys:
        return HTMLResponse(_FILES["missing.html"], 404, headers=_HEADERS)
    return HTMLResponse(_FILES[name], headers=_HEADERS)


async def static_file(request: Request) -> Response:
    """Return a script, a style or a picture of the pages."""
    name = request.path_params["file"]
    kind = _TYPES.get(name[name.rfind(".") :])
    if name not in _FILES or kind is None:
        raise Refusal(404, "there is no such file")
    return Response(_FILES[name], media_type=kind, headers=_HEADERS)
