"""The Node program that runs the JavaScript client."""

from __future__ import annotations

import pytest

from node_client import node_program


@pytest.fixture(scope="session")
def node() -> str:
    """Return the program that runs the JavaScript client."""
    return node_program()
