"""The names of the chat models that agents may choose."""

from typing import Final

from app.core.errors import InvalidInput

QUOTATIONS: Final = "none"  # chosen in place of a model
USUAL: Final = "usual"  # how trials name the usual model, which agents choose by ""


class ChatModelNames(tuple[str, ...]):
    """Of the installation, besides its usual model."""

    @property
    def choices(self) -> tuple[str, ...]:
        """What may be tried."""
        return (USUAL, *self, QUOTATIONS)

    def check(self, name: str) -> None:
        """Raises InvalidInput unless it is one of them, "" for the usual model, or QUOTATIONS."""
        if name not in (*self, "", QUOTATIONS):
            known = f"Choose one of: {', '.join(self)}." if self else "This installation offers none (DOCENT_MODELS)."
            more = f"Empty: the usual one. {QUOTATIONS}: quotations."
            raise InvalidInput("chat_model", f"There is no such model. {known} {more}")


NO_NAMES: Final = ChatModelNames()
