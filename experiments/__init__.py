"""The paper's evaluation, run again."""

import sys
from importlib.util import find_spec

if missing := [package for package in ("click", "rich", "matplotlib") if find_spec(package) is None]:
    print(
        f"the experiments need {', '.join(missing)}, which is not installed; run scripts/experiments, or "
        "pip install '.[cli,plot]' in this folder",
        file=sys.stderr,
    )
    sys.exit(2)
