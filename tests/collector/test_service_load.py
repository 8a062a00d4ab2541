"""Load does not let the collector grow. ``python benchmarks/collector_load.py`` goes on for longer."""

from __future__ import annotations

import pytest

from collector_load import loaded


@pytest.mark.slow
def test_memory_is_bounded_under_load() -> None:
    found = loaded(6, reports=20_000, senders=4)
    assert found.acknowledged > 100
    assert found.refused == 0  # a moment's wait may be asked for, and then every batch is taken, once
    assert found.counted == 20_000 * found.acknowledged
    third = found.memory[len(found.memory) // 3]
    assert max(found.memory) < third + 64  # MiB: what waits to be counted, and a commit
