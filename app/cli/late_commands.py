"""Commands that are imported when they are called."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command


@dataclass(frozen=True, slots=True)
class LateCommand:
    """`place` is "module:name" of a function or of a `typer.Typer`; `beside` are modules that add commands to it.
    `help` is its line in the list, the first sentence of its own help."""

    name: str
    place: str
    help: str
    beside: Sequence[str] = ()

    def load(self) -> Any:
        """The command itself, as Click runs it."""
        module, _, attribute = self.place.partition(":")
        found = getattr(import_module(module), attribute)
        for name in self.beside:
            import_module(name)
        if isinstance(found, typer.Typer):
            command = get_command(found)
        else:
            alone = typer.Typer(add_completion=False)
            alone.command()(found)
            command = get_command(alone)
        command.name = self.name
        return command


class LateGroup(TyperGroup):
    """Lists its commands by their names and lines alone."""

    late: ClassVar[Sequence[LateCommand]] = ()

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for command in self.late:
            self.add_command(TyperCommand(command.name, help=command.help))

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            # Typer reads values by pydantic and passes its words on.
            if error.__cause__ is not None:
                error.message = _in_our_words(error.__cause__, error.message)
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, listed, rest = super().resolve_command(ctx, args)
        for command in self.late:
            if command.name == name:
                return name, command.load(), rest
        return name, listed, rest


def _in_our_words(cause: BaseException, message: str) -> str:
    from pydantic import ValidationError

    from app.web.validation_messages import messages_by_field

    return next(iter(messages_by_field(cause).values())) if isinstance(cause, ValidationError) else message
