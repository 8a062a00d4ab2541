"""Fuzz one parser where there is no Atheris: ``python fuzzing/unguided.py TARGET INPUTS FAULTS [SEED]``.

Inputs are those of the corpus, changed by chance. Nothing guides the changes; a seed repeats them.
It stops at the first fault, as ``scripts/fuzz`` says, and writes that input into the folder FAULTS.
"""

from __future__ import annotations

import faulthandler
import random
import resource
import sys
import time
from hashlib import sha1
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "tests/helpers")]

import fuzz_targets  # noqa: E402 (helpers come first)
from changed_inputs import changed, kept_inputs  # noqa: E402

LONGEST = 10.0  # seconds for one input
MEMORY = 1024  # MB at most


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    """Fuzz with a number of inputs, or until a fault is found."""
    name, inputs, faults, *seed = sys.argv[1:]
    target, kept = fuzz_targets.TARGETS[name], kept_inputs(name)
    chance = random.Random(f"{name} {' '.join(seed)}")  # noqa: S311 (the same changes in every run)
    longest, good = 0.0, 0
    for _ in range(int(inputs)):
        data = changed(chance, kept)
        for _ in range(chance.choice([0, 0, 1, 3])):
            data = changed(chance, [data, chance.choice(kept)]) or data
        began, fault = time.perf_counter(), ""
        faulthandler.dump_traceback_later(2 * LONGEST, exit=True)  # one that does not end
        try:
            good += not fuzz_targets.refused(target, data)
        except Exception as error:  # whatever is not ours is a fault
            fault = f"{type(error).__name__}: {error}"
        faulthandler.cancel_dump_traceback_later()
        took = time.perf_counter() - began
        longest = max(longest, took)
        if took > LONGEST or _memory() > MEMORY:
            fault = f"{took:.1f} s, {_memory()} MB"
        if fault:
            place = Path(faults) / f"{name}-{sha1(data, usedforsecurity=False).hexdigest()}"
            place.write_bytes(data)
            sys.exit(f"{name}: {fault}; the input is {place}")
    fuzz_targets.stop()
    print(
        f"{name}: {inputs} inputs (not guided), of which {good} were not refused, {_memory()} MB at most, "
        f"the longest took {1000 * longest:.0f} ms"
    )


if __name__ == "__main__":
    main()
