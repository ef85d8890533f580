"""The names of the chat models that agents may choose."""

from typing import Final
from uuid import UUID

from app.agents.model_endpoint import QUOTATIONS, USUAL
from app.agents.records import ModelEndpointRecords
from app.core.errors import InvalidInput
from app.store.transaction import Transaction


class ChatModelNames(tuple[str, ...]):
    """The names of the installation's models (DOCENT_MODELS), which every workspace may choose besides its own."""

    def choices(self, tx: Transaction, workspace_id: UUID) -> tuple[str, ...]:
        own = (each.name for each in ModelEndpointRecords(tx).of_workspace(workspace_id))
        return (USUAL, *dict.fromkeys((*self, *own)), QUOTATIONS)

    def check(self, tx: Transaction, workspace_id: UUID, name: str) -> None:
        """Raises InvalidInput unless it is one of them, "" for the usual model, or QUOTATIONS."""
        if name in ("", QUOTATIONS):
            return
        _, *known, _ = self.choices(tx, workspace_id)
        if name not in known:
            those = f"Choose one of: {', '.join(known)}." if known else "There are none yet: add one, or DOCENT_MODELS."
            more = f"Empty: the usual one. {QUOTATIONS}: quotations."
            raise InvalidInput("chat_model", f"There is no such model. {those} {more}")


NO_NAMES: Final = ChatModelNames()
