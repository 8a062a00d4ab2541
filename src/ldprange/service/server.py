"""Running the collector on a port."""

import resource
import socket
from collections.abc import Callable

import uvicorn

from ldprange.errors import StoreError
from ldprange.service.app import make_app
from ldprange.service.collector import Collector

_GRACE = 10  # seconds that requests under way are given at the end
_MIN_CONNECTIONS = 64  # connections that are always taken; and files that are left for all else


def listen(host: str, port: int) -> socket.socket:
    """Take a port, or say who cannot have it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, UnicodeError) as error:
        listening.close()
        raise StoreError(
            f"{host}:{port} must be an address of this machine and free, and it is not "
            f"({getattr(error, 'strerror', None) or error}); choose another --host or --port"
        ) from None
    return listening


class _Server(uvicorn.Server):
    """A server that ends at once if it was told to end before it took the signals itself."""

    def __init__(self, config: uvicorn.Config, ended: Callable[[], bool]) -> None:
        super().__init__(config)
        self._ended = ended

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start; signals have been the server's own since before, so that none falls in between."""
        await super().startup(sockets)
        self.should_exit = self.should_exit or self._ended()


def make_server(
    collector: Collector, *, proxy: str | None = None, ended: Callable[[], bool] = lambda: False
) -> uvicorn.Server:
    """Return a server of ``collector``, to be run on a socket that listens.

    ``proxy`` is the address or the network of a proxy, which alone is believed when it tells whom requests
    come from; ``ended`` says whether the process was told to end while it started.
    """
    config = uvicorn.Config(
        make_app(collector),
        access_log=False,  # it would tell who answered, and when
        log_level="warning",
        lifespan="on",
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",  # said here, or the environment might say it
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_GRACE,
        backlog=4096,
        limit_concurrency=max(
            _MIN_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _MIN_CONNECTIONS
        ),
    )
    return _Server(config, ended)
