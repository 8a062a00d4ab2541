"""A command in which every ``--question`` has options of its own: those that follow it."""

from collections.abc import Sequence
from typing import Any

import click

from ldprange.cli.command import Command


class SurveyCommand(Command):
    """A command whose function gets ``described``: for each question, all options that hold for it.

    These are the ones between it and the next question, and those before the first, which hold for all.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the whole line, and then once more what belongs to each question."""
        common, *each = _split_at_questions(args)
        rest = super().parse_args(ctx, args)
        ctx.params["described"] = (
            [self._read_alone(ctx, [*common, *part]) for part in each]
            if len(each) > 1
            else [dict(ctx.params)]
        )
        return rest

    def _read_alone(self, ctx: click.Context, args: list[str]) -> dict[str, Any]:
        """Return the options of a line with one question."""
        with self.make_context(ctx.info_name, args, ctx.parent) as alone:
            [options] = alone.params["described"]
        return dict(options)


def _split_at_questions(args: Sequence[str]) -> list[list[str]]:
    """Return what comes before the first question, and then each question with what follows it.

    >>> _split_at_questions(["--public", "--question", "How old?", "--low", "0", "--question=How tall?"])
    [['--public'], ['--question', 'How old?', '--low', '0'], ['--question=How tall?']]
    """
    parts: list[list[str]] = [[]]
    for typed in args:
        if typed.partition("=")[0] == "--question":
            parts.append([])
        parts[-1].append(typed)
    return parts
