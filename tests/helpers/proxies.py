"""Caddy and nginx in front of a collector, with the files of ``deploy``, on ports of this machine."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"
_PATIENCE = 100.0  # seconds: Caddy, if its own cleaning took away a certificate, tries again after 60


@dataclass(frozen=True)
class Proxy:
    """A proxy that runs: where it answers, and the certificate that vouches for it."""

    port: int
    authority: Path

    @property
    def origin(self) -> str:
        return f"https://localhost:{self.port}"

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.authority))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def configuration(name: str, changes: dict[str, str]) -> str:
    """Return the text of a file of ``deploy`` after ``changes``; each must have a place there."""
    text = (DEPLOY / name).read_text()
    for old, new in changes.items():
        assert old in text, f"{name} must say {old}"
        text = text.replace(old, new)
    return text


@contextmanager
def caddy(folder: Path, collector: int, port: int) -> Iterator[Proxy]:
    """Run Caddy on a port before a collector; its certificate is of an authority of its own."""
    program = _found("caddy")
    here = "\n\t".join(
        (
            *("{", "admin off", "local_certs", "skip_install_trust", "auto_https disable_redirects"),
            f"storage file_system {folder}",
        )
    )
    text = configuration(
        "Caddyfile",
        {"survey.example.org": f"https://localhost:{port}", "127.0.0.1:8000": f"127.0.0.1:{collector}"},
    )
    text = re.sub(r"^\{", here, text, count=1, flags=re.MULTILINE)
    (folder / "Caddyfile").write_text(text)
    command = [program, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    authority = folder / "pki/authorities/local/root.crt"
    with _running(command, folder, port, authority):
        yield Proxy(port, authority)


@contextmanager
def nginx(folder: Path, collector: int, port: int) -> Iterator[Proxy]:
    """Run nginx on a port before a collector, with a certificate that vouches for itself."""
    program = _found("nginx")
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    made += ["-addext", "subjectAltName=DNS:localhost", "-keyout", "privkey.pem", "-out", "fullchain.pem"]
    subprocess.run(made, cwd=folder, check=True, capture_output=True)
    site = configuration(
        "nginx.conf",
        {
            "/etc/letsencrypt/live/survey.example.org": str(folder),
            "/var/log/nginx": str(folder),
            "survey.example.org": "localhost",
            "listen 80;": f"listen 127.0.0.1:{free_port()};",
            "listen [::]:80;": "",
            "listen 443 ": f"listen 127.0.0.1:{port} ",
            "listen [::]:443 ssl http2;": "",
            "127.0.0.1:8000": f"127.0.0.1:{collector}",
        },
    )
    (folder / "site.conf").write_text(site)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    user = "user root;" if os.geteuid() == 0 else ""  # whoever else may not read this folder
    around = f"{user} pid {folder}/pid; events {{}} http {{ {paths} include {folder}/site.conf; }}"
    (folder / "whole.conf").write_text(around)
    command = [program, "-p", str(folder), "-e", "errors", "-c", "whole.conf", "-g", "daemon off;"]
    with _running(command, folder, port, folder / "fullchain.pem"):
        yield Proxy(port, folder / "fullchain.pem")


def _found(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if found is None:
        pytest.skip(
            f"{name} is not installed (Debian: apt-get install {name}), so deploy/ was NOT tested with it"
        )
    return found


@contextmanager
def _running(command: list[str], folder: Path, port: int, authority: Path) -> Iterator[None]:
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "HOME": str(folder)})
    try:
        ready = time.monotonic() + _PATIENCE
        while not _answers(port, authority):
            alive = process.poll() is None and time.monotonic() < ready
            assert alive, f"{command[0]} does not answer: {(folder / 'log').read_text()}"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(_PATIENCE)


def _answers(port: int, authority: Path) -> bool:
    """Tell whether a proxy has its certificate, and speaks TLS with it."""
    try:
        context = ssl.create_default_context(cafile=str(authority))
        with socket.create_connection(("127.0.0.1", port), 1) as plain:
            context.wrap_socket(plain, server_hostname="localhost").close()
    except OSError:
        return False
    return True
