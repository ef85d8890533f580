"""The chat model that writes an agent's answers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.agents.chat_model_names import QUOTATIONS
from app.providers.chat.chat_model import ChatModel


@dataclass(frozen=True, slots=True)
class WritingModel:
    """A chat model, and whether it gets the short form of the prompt."""

    model: ChatModel
    is_short: bool = False


class AgentModels:
    """The `usual` model and those that agents choose by name. Those in `short_for`, "" for the usual one, get the short
    form of the prompt."""

    def __init__(
        self, usual: ChatModel | None, named: Mapping[str, ChatModel] | None = None, short_for: Collection[str] = ()
    ) -> None:
        self.usual = WritingModel(usual, "" in short_for) if usual else None
        self._named = {name: WritingModel(model, name in short_for) for name, model in (named or {}).items()}

    async def chosen(self, workspace_id: UUID, name: str) -> WritingModel | None:
        """By an agent's `chat_model`, or one of the choices; the usual one for a name that is gone. None: answers are
        quotations."""
        return None if name == QUOTATIONS else self._named.get(name, self.usual)


NO_MODELS: Final = AgentModels(None)
