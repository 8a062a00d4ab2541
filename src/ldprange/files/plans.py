"""Plan files: the plan's JSON text."""

from ldprange.files.sniffing import SWAP, Kind, expect
from ldprange.files.sources import Name, opened
from ldprange.plan import Plan
from ldprange.support.whole_files import text_of


def read_plan(path: Name) -> Plan:
    """Read a plan from a file, or from standard input for ``-``."""
    with opened(path) as file:
        expect(Kind.PLAN, file, "a plan", dict.fromkeys(Kind, SWAP))
        return Plan.from_json(text_of(file.read()))
