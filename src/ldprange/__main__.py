"""``python -m ldprange`` is the command line."""

from ldprange.cli import main

main()
