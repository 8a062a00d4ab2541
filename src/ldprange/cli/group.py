"""The command ``ldprange``: finds its subcommands, and turns errors into messages and exit codes."""

import sys
from importlib import import_module
from typing import Any

import click

from ldprange import __version__
from ldprange.cli.command import write_examples
from ldprange.errors import LdprangeError
from ldprange.support.optional import optional_packages

COMMANDS = {
    "plan": ("plan", "Make a plan, and predict how accurate its answers will be."),
    "compare": ("compare", "Compare all kinds of plans, best first."),
    "need": ("need", "Tell how many people, how much ε, or how many bins you need."),
    "audit": ("audit", "Show that what is shipped is as private as a plan says."),
    "encode": ("encode", "Rehearse: randomise a file of values as clients would."),
    "aggregate": ("aggregate", "Count report files into an aggregate."),
    "merge": ("aggregate", "Add aggregates up."),
    "query": ("query", "Answer questions from an aggregate."),
    "check": ("check", "Tell whether reports are what honest clients send."),
    "serve": ("serve", "Collect reports: a service, a survey page, a dashboard."),
    "survey": ("survey", "Make, list, correct, close, open and delete surveys."),
    "tokens": ("serve", "Make new tokens for a collector."),
    "export": ("export", "Write a survey's reports as Parquet files."),
    "simulate": ("simulate", "Compare predicted and measured error on your own data."),
    "demo": ("demo", "See it all at work on a made-up population."),
}
"""Every command: the module that holds it, which is imported only when it is used, and what it is for."""

_EXAMPLES = (
    "ldprange demo",
    "ldprange plan --low 0 --high 119 --epsilon 1.1 --users 1000000 -o ages.plan.json",
    "ldprange encode ages.plan.json people.csv --column age -o reports.parquet",
    "ldprange aggregate ages.plan.json reports.parquet -o monday.agg",
    "ldprange query monday.agg --range 18 64 --quantile 0.5",
)

FAILURE = 2
INTERRUPTED = 130  # what shells give a process that Ctrl-C ended


class Failure(click.ClickException):
    """Something that the user can put right: a message, no traceback."""

    exit_code = FAILURE

    def show(self, file: Any = None) -> None:
        """Print the message."""
        click.echo(f"error: {self.format_message()}", file=file or sys.stderr)


class Commands(click.Group):
    """A group whose commands are imported when they are used, so that help comes at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names in the order in which one uses them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in COMMANDS:
            return None
        module, summary = COMMANDS[cmd_name]
        with optional_packages():
            command: click.Command = getattr(import_module(f"ldprange.cli.{module}"), cmd_name)
        command.short_help = summary
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the whole way from a plan to an answer below the commands."""
        write_examples(_EXAMPLES, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error of this package or of the file system becomes a message."""
        try:
            return super().invoke(ctx)
        except LdprangeError as error:
            raise Failure(str(error)) from error
        except BrokenPipeError:
            raise  # whoever read our output has seen enough; click ends quietly
        except OSError as error:
            name = f"{error.filename}: " if error.filename else ""
            raise Failure(f"{name}{error.strerror or error}") from error
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(__version__, prog_name="ldprange", help="Print the version.")
def commands() -> None:
    """Ranges, prefixes and quantiles of numbers that nobody else ever sees.

    Each person's value is randomised on their own device. From the reports anyone can tell which share lies
    in a range or below a bound, and what the quantiles are, with an interval that says how sure we are.
    """
