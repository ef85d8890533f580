"""`docent ...`: every command, each a thin reading of its arguments over the use cases."""

import typer

from app.cli import (
    agents,
    answers,
    curated_answers,
    discovery,
    evaluation,
    knowledge,
    operators,
    secret_keys,
    serving,
    source_files,
    sources,
    tokens,
)
from app.cli.demo import command as demo

cli = typer.Typer(
    name="docent",
    help="Answers a website's visitors from that website.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
serving.register(cli)
knowledge.register(cli)
answers.register(cli)
evaluation.register(cli)
demo.register(cli)
cli.add_typer(tokens.commands, name="token")
cli.add_typer(secret_keys.commands, name="secrets")
cli.add_typer(operators.commands, name="operator")
cli.add_typer(agents.commands, name="agent")
agents.commands.command("curated")(curated_answers.list_)
sources.commands.command("discover")(discovery.discover)
sources.commands.command("add-file")(source_files.add_file)
cli.add_typer(sources.commands, name="source")


def main() -> None:
    """The `docent` entry point."""
    cli()
