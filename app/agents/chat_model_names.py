"""The names of the chat models that agents may choose."""

from typing import Final

from app.core.errors import InvalidInput


class ChatModelNames(tuple[str, ...]):
    """Of the installation, besides its usual model."""

    def check(self, name: str) -> None:
        """Raises InvalidInput unless it is one of them, or "" for the usual model."""
        if name and name not in self:
            known = f"Choose one of: {', '.join(self)}." if self else "This installation offers none (DOCENT_MODELS)."
            raise InvalidInput("chat_model", f"There is no such model. {known} Empty: the usual one.")


NO_NAMES: Final = ChatModelNames()
