"""What a newcomer types first works whatever is installed beside the library."""

from __future__ import annotations

import subprocess
import sys

WITHOUT_SCIKIT_LEARN = """
import inspect, pydoc, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "sklearn":
            raise ImportError("No module named 'sklearn'")

sys.meta_path.insert(0, Missing())
import ldprange as ldp

assert "Aggregate" in pydoc.render_doc(ldp)
assert dict(inspect.getmembers(ldp))["Plan"] is ldp.Plan
assert not hasattr(ldp, "NaiveBayes")
assert getattr(ldp, "NaiveBayes", None) is None
assert "NaiveBayes" not in dir(ldp)
assert set(ldp.__all__) <= set(dir(ldp))
try:
    ldp.NaiveBayes()
except AttributeError as error:
    print(error)
"""


def test_the_library_can_be_looked_at_without_scikit_learn() -> None:
    command = [sys.executable, "-c", WITHOUT_SCIKIT_LEARN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "NaiveBayes: models need scikit-learn" in done.stdout
    assert "install" in done.stdout


def test_models_are_listed_where_scikit_learn_is_there() -> None:
    script = "import ldprange, sys; assert 'sklearn' not in sys.modules; print(*dir(ldprange))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {"NaiveBayes", "DecisionStump"} <= set(done.stdout.split())
