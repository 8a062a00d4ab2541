"""How fast the library is, as ratios within one run: ``python benchmarks/speed.py [name …]``.

Each line prints what was measured, beside the bar that it is held to. Machines differ and are
noisy, so wherever it can be the unit is one copy of the same data in the same run. The bars of the first
few, and of the transform, are for the compiled kernels.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

import ldprange as ldp
from ldprange import kernels
from ldprange.kernels import numpy_kernels

BINS = 1 << 16
EPSILON = 1.1


def seconds(work: Callable[[], object], repetitions: int = 5) -> float:
    """Return the least time of a few runs, after one to warm up."""
    work()
    best = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def side_by_side(works: Sequence[Callable[[], object]], rounds: int = 5) -> list[tuple[float, float]]:
    """Return the least time, and the least time of processors, of each of ``works``, which take turns.

    A busy machine slows all of them, and processors' time the least.
    """
    best = [(float("inf"), float("inf"))] * len(works)
    for turn in range(rounds + 1):
        for number, work in enumerate(works):
            start, busy = time.perf_counter(), time.process_time()
            work()
            took = time.perf_counter() - start, time.process_time() - busy
            if turn:  # the first warms up
                best[number] = min(best[number][0], took[0]), min(best[number][1], took[1])
    return best


def plan(bins: int, decomposition: ldp.Haar | ldp.Tree | ldp.Flat, oracle: object) -> ldp.Plan:
    """Return a plan over whole numbers."""
    assert isinstance(oracle, ldp.HadamardHashing | ldp.OUE | ldp.OLH | ldp.GRR)  # noqa: S101 (for the type checker)
    return ldp.Plan(ldp.Domain.integers(0, bins - 1), EPSILON, decomposition, oracle)


def show(what: str, measured: str, bar: str) -> None:
    """Print one line."""
    print(f"{what:<58} {measured:>24}   bar: {bar}", flush=True)


def default() -> None:
    """Plans that are chosen by default beside HaarHRR: many people's reports, their bytes, and one report."""
    chunk = 1 << 22
    for bins in (1 << 10, 1 << 16, 1 << 20):
        chosen = ldp.choose_plan(ldp.Domain.integers(0, bins - 1), epsilon=EPSILON, expected_users=10**6)
        haar = plan(bins, ldp.Haar(), ldp.HRR())
        values = np.random.default_rng(1).integers(0, bins, chunk, dtype=np.uint32)
        users = max(
            chunk, -(-chosen.counters // chunk) * chunk
        )  # as many as counters, or counting is about those

        def rehearse(of: ldp.Plan, users: int = users, values: np.ndarray = values) -> None:
            ldp.simulate_values(of, iter([values] * (users // chunk)), seed=1)

        ours, theirs = side_by_side([partial(rehearse, chosen), partial(rehearse, haar)])
        show(
            f"default plan, D = {bins}: encode + tally, {users >> 20} M users",
            f"HaarHRR's / {ours[1] / theirs[1]:.1f}",
            "HaarHRR's / 4, of processors' time",
        )
        rates = [users / took / 1e6 for took, _ in (ours, theirs)]
        show("", f"{rates[0]:.0f} and {rates[1]:.0f} M users/s", "none")
        batches = [ldp.encode_many(each, values[: 10**6], seed=1) for each in (chosen, haar)]
        sizes = [len(ldp.wire.pack(batch)) / 1e6 for batch in batches]
        show(
            "    bytes a report in a batch of 10^6, and HaarHRR's",
            f"{sizes[0]:.2f}, {sizes[1]:.2f}",
            "2.6 at D = 2^16",
        )
        for version in ldp.wire.VERSIONS:
            data = ldp.wire.pack(batches[0], version=version)
            packing = partial(ldp.wire.pack, batches[0], version=version)
            took = side_by_side([packing, partial(ldp.wire.unpack, chosen, data)])
            show(
                f"    pack and unpack, version {version}",
                ", ".join(f"{busy * 1e3:.0f}" for _, busy in took) + " ns a report",
                "none",
            )
        ours, theirs = side_by_side([partial(_encode_each, ldp.Client(each)) for each in (chosen, haar)], 300)
        show("    Client.encode", f"{ours[1] / theirs[1]:.2f} × HaarHRR's", "1.5 × HaarHRR's")


def _encode_each(client: ldp.Client) -> None:
    for _ in range(200):  # few, so that some of the turns find the machine quiet
        client.encode(123)


def encoding() -> None:
    """HaarHRR, encode many and tally, end to end."""
    users, chunk = 1 << 26, 1 << 22
    haar = plan(BINS, ldp.Haar(), ldp.HRR())
    values = np.random.default_rng(1).integers(0, BINS, chunk, dtype=np.uint16)
    packed = np.ones(users, np.uint32)  # written to, or all of it would be one page of zeros
    target = np.empty_like(packed)
    copy = seconds(lambda: np.copyto(target, packed))
    took = seconds(lambda: ldp.simulate_values(haar, iter([values] * (users // chunk)), seed=1), 3)
    show(
        "HaarHRR, 2^26 users: encode + tally", f"{took / copy:.1f} copies", "15 copies of the packed reports"
    )
    show("", f"{users / took / 1e6:.0f} M users/s", "about 160 M users/s")


def counting() -> None:
    """Tally of packed reports against reading them."""
    codes = np.random.default_rng(1).integers(0, BINS, 1 << 26, dtype=np.uint32)
    read = seconds(codes.max)
    took = seconds(lambda: kernels.tally(codes, BINS))
    show("tally of 2^26 packed 32-bit reports", f"{took / read:.1f} × reading", "6 × reading them")


def hashing() -> None:
    """OLH decoding, against NumPy's."""
    users, cells = 1 << 12, 1 << 12
    mechanism = ldp.OLH().on(cells, EPSILON)
    column = mechanism.encode_many(np.arange(users, dtype=np.uint32) % cells, np.random.default_rng(1))
    asked = (column.T[:3], column.T[3], cells, 13, 4)
    took = seconds(lambda: kernels.sum_supports(*asked))
    plain = seconds(lambda: numpy_kernels.sum_supports(*asked), 2)
    show("OLH decoding, 2^12 reports by 2^12 cells", f"NumPy's / {plain / took:.0f}", "NumPy's / 15")
    show("", f"{took / users / cells * 1e9:.2f} ns a hash", "none")


def drawing() -> None:
    """OUE's aggregate is drawn in time that does not depend on the number of users."""
    tree = plan(BINS, ldp.Tree(4), ldp.OUE())

    def draw(users: int) -> float:
        return seconds(lambda: ldp.simulate(tree, np.full(BINS, users // BINS), seed=1), 2)

    few, many = draw(1 << 22), draw(1 << 30)
    show("TreeOUE drawn: 2^30 users against 2^22", f"{many / few:.2f} × the time", "does not grow with users")


def transform() -> None:
    """Walsh–Hadamard against a copy of the array."""
    values = np.random.default_rng(1).standard_normal(1 << 22)
    target = np.empty_like(values)
    copy = seconds(lambda: np.copyto(target, values), 20)
    took = seconds(lambda: kernels.walsh_hadamard(target), 20)  # in place; twice is 2^22 times what it was
    show("Walsh–Hadamard of 2^22 doubles", f"{took / copy:.1f} copies", "5 copies")


def estimating() -> None:
    """Aggregate to estimate on a large domain."""
    for name, decomposition, oracle in (
        ("HaarHRR", ldp.Haar(), ldp.HRR()),
        ("Tree 4, OUE", ldp.Tree(4), ldp.OUE()),
        ("Tree 4, Hadamard hashing", ldp.Tree(4), ldp.HadamardHashing()),
    ):
        aggregate = ldp.simulate(plan(1 << 22, decomposition, oracle), np.ones(1 << 22, np.int64), seed=1)
        took = seconds(partial(ldp.estimate, aggregate), 3)
        show(f"estimate, D = 2^22, {name}", f"{took:.2f} s", "3 s")


def answering() -> None:
    """Range answers a second."""
    aggregate = ldp.simulate(plan(BINS, ldp.Haar(), ldp.HRR()), np.full(BINS, 64), seed=1)
    estimate = ldp.estimate(aggregate)
    lows, highs = np.sort(np.random.default_rng(1).integers(0, BINS, (2, 1 << 22)), axis=0)
    plain = seconds(lambda: estimate.ranges(lows, highs, confidence=None), 3)
    sure = seconds(lambda: estimate.ranges(lows, highs), 3)
    show("range answers", f"{lows.size / plain / 1e6:.1f} M/s", "10 M/s")
    show("range answers with intervals", f"{lows.size / sure / 1e6:.2f} M/s", "1 M/s")


def joint() -> None:
    """Two attributes: decoding, and rectangles with intervals."""
    bins, number = 1 << 10, 1 << 17
    people = ldp.Domain.product(age=ldp.Domain.integers(0, bins - 1), income=ldp.Domain.integers(0, bins - 1))
    rng = np.random.default_rng(1)
    ages, incomes = (tuple(np.sort(rng.integers(0, bins, (2, number)), axis=0)) for _ in range(2))
    for name, asked in (
        ("Tree 4, Hadamard hashing", ldp.Plan(people, EPSILON, ldp.Tree(4), ldp.HadamardHashing())),
        ("Tree 4, HRR", ldp.Plan(people, EPSILON, ldp.Tree(4), ldp.HRR())),
        ("the chosen plan", ldp.choose_plan(people, epsilon=EPSILON, expected_users=1e6)),
    ):
        aggregate = ldp.simulate(asked, np.ones((bins, bins), np.int64), seed=1)

        def decode(aggregate: ldp.Aggregate = aggregate) -> ldp.JointEstimate:
            estimate = ldp.estimate(aggregate)
            estimate.range(age=(7, 100), income=(7, 100))  # the first question brings the grids together
            return estimate

        show(f"joint, D = 2^10 × 2^10, {name}: estimate", f"{seconds(decode, 3):.2f} s", "5 s")
        took = seconds(partial(decode().ranges, age=ages, income=incomes))
        show("    rectangles with intervals", f"{number / took / 1e3:.0f} k/s", "100 k/s")


def client() -> None:
    """One person's report."""
    for bins in (1 << 8, 1 << 16, 1 << 22):
        one = ldp.Client(plan(bins, ldp.Haar(), ldp.HRR()))

        def many(one: ldp.Client = one) -> None:
            for _ in range(10_000):
                one.encode(123)

        show(f"Client.encode, HaarHRR, D = {bins}", f"{seconds(many, 3) * 100:.1f} µs", "20 µs")


def starting() -> None:
    """Import and help."""
    timed = "import time; s = time.perf_counter(); import ldprange; print(time.perf_counter() - s)"
    took = min(float(subprocess.check_output([sys.executable, "-c", timed])) for _ in range(5))
    show("import ldprange", f"{took:.2f} s", "0.35 s")
    helped = seconds(lambda: subprocess.check_output([sys.executable, "-m", "ldprange", "--help"]))
    show("ldprange --help", f"{helped:.2f} s", "0.5 s")


def names() -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield every benchmark by its name."""
    for work in (
        default,
        encoding,
        counting,
        hashing,
        drawing,
        transform,
        estimating,
        answering,
        joint,
        client,
        starting,
    ):
        yield work.__name__, work


if __name__ == "__main__":
    known = dict(names())
    wrong = [name for name in sys.argv[1:] if name not in known]
    if wrong:
        sys.exit(f"no benchmark {', '.join(wrong)}; there are {', '.join(known)}")
    print(f"kernels: {kernels.KIND}")
    for name in sys.argv[1:] or known:
        known[name]()
