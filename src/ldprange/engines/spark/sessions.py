"""A session of Spark, for whoever has none, and errors of the cluster in words."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ldprange import errors
from ldprange.errors import EngineError, FileError, LdprangeError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_REMOTE = "sc://"
_OURS = re.compile(r"ldprange\.errors\.(\w+): (.*)")
_CAUSE = re.compile(r"^Caused by: [\w.$]+: (.*)", re.MULTILINE)
_MISSING = "[PACKAGE_NOT_INSTALLED]"  # as Spark itself says
_MAX_MESSAGE_LENGTH = 300


@contextmanager
def session(master: str) -> Iterator[SparkSession]:
    """Start a session, and stop it when the block ends.

    Parameters
    ----------
    master
        ``spark://host:7077``, ``local[2]`` or any other master, for which all of Spark (``pyspark``) and Java
        are needed here; or ``sc://host`` for a server of Spark Connect, for which the client is enough.
    """
    check_installed()
    from pyspark.sql import SparkSession

    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the workers' Python is this one
    try:
        if master.startswith(_REMOTE):
            started = SparkSession.builder.remote(master).getOrCreate()
        else:
            settings: dict[str, bool | float | int | str | None] = {
                "spark.ui.enabled": "false",
                "spark.ui.showConsoleProgress": "false",
                "spark.log.level": "FATAL",  # what fails is told once, by us
            }
            started = (
                SparkSession.builder.master(master).appName("ldprange").config(map=settings).getOrCreate()
            )
    except Exception as error:
        raise EngineError(
            f"a session of Spark cannot be started on {master}: {_line(error)}; a master such as local[2] "
            "or spark://host:7077 takes all of Spark (pip install 'pandas<3' pyspark) and Java 17, sc://host "
            "the client"
        ) from None
    try:
        yield started
    finally:
        started.stop()


def check_installed() -> None:
    """Raise an error if there is no PySpark."""
    if find_spec("pyspark") is None:
        raise EngineError(
            "Spark's Python package must be installed: pip install 'ldprange[spark]' for a server of Spark "
            "Connect, or pip install 'ldprange[cli]' 'pandas<3' pyspark for all of Spark"
        )


def partition() -> int:
    """On a worker: return the number of the partition that this task is about."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


@contextmanager
def translated(files: Sequence[str] = ()) -> Iterator[None]:
    """Turn a failure of the cluster into one line, which names the file if it was one."""
    try:
        yield
    except LdprangeError:
        raise
    except Exception as error:
        text = str(error)
        ours = _OURS.search(text)
        kind = getattr(errors, ours[1], None) if ours else None
        if ours and isinstance(kind, type) and issubclass(kind, LdprangeError):
            raise kind(ours[2].strip()) from error
        named = [name for name in files if _is_named(name, text)]
        if named:
            raise FileError(
                f"{max(named, key=len)}: the file must be a whole Parquet file, and the cluster could not "
                f"read it ({_line(error)})"
            ) from error
        if _MISSING in text:
            raise EngineError(
                f"Spark needs another package for this, here and on its workers: {_line(error).rstrip('.')}; "
                "pip install 'pandas<3' pyarrow"
            ) from error
        raise EngineError(f"the cluster failed, and nothing was counted: {_line(error)}") from error


def _is_named(name: str, text: str) -> bool:
    return name in text or (Path(name).is_absolute() and Path(name).as_uri().removeprefix("file://") in text)


def _line(error: Exception) -> str:
    """Return what went wrong at the root of a long tale."""
    text = str(error).strip()
    causes = _CAUSE.findall(text)
    return (causes[-1] if causes else text.split("\n")[0])[:_MAX_MESSAGE_LENGTH] or type(error).__name__
