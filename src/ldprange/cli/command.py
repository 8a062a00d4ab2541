"""A command whose help ends with examples, printed as they are typed."""

from collections.abc import Callable, Sequence
from typing import Any

import click


class Command(click.Command):
    """A command with examples."""

    def __init__(self, *arguments: Any, examples: Sequence[str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples below the options."""
        write_examples(self.examples, formatter)


def command(
    *examples: str, of: Any = click, kind: type[Command] = Command, **options: Any
) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a function a command of a ``kind``, with ``examples``, ``of`` a group."""
    made: Callable[[Callable[..., None]], Command] = of.command(cls=kind, examples=examples, **options)
    return made


def with_options(function: Callable[..., None], *options: Callable[[Any], Any]) -> Callable[..., None]:
    """Return ``function`` with ``options``, in the order in which the help has them."""
    for option in reversed(options):  # the one applied last comes first in the help
        function = option(function)
    return function


def write_examples(examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    """Write examples without breaking their lines, so that they can be copied."""
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
