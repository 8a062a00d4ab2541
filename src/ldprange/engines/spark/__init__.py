"""Apache Spark: count, encode and follow reports on a cluster.

The session is yours, classic or Spark Connect, and its workers do the work; the driver, that is this process,
must see the same files as they do. The result is the aggregate that one machine would have, bit for bit.
"""

from ldprange.support.optional import optional_packages

with optional_packages():
    from ldprange.engines.spark.counting import aggregate, count
    from ldprange.engines.spark.encoding import encode, write
    from ldprange.engines.spark.reading import files_of
    from ldprange.engines.spark.sessions import session
    from ldprange.engines.spark.streaming import live, stream

__all__ = ["aggregate", "count", "encode", "files_of", "live", "session", "stream", "write"]
