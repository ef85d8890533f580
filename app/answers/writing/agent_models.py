"""The chat model that writes an agent's answers."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog

from app.agents.model_endpoint import QUOTATIONS, USUAL, ModelEndpoint
from app.agents.records import ModelEndpointRecords
from app.core.errors import InvalidInput, SecretsLocked
from app.providers.chat.chat_model import ChatModel
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

OpenEndpoint = Callable[[ModelEndpoint, str], ChatModel]  # with its key; raises InvalidInput


@dataclass(frozen=True, slots=True)
class WritingModel:
    """A chat model, and whether it gets the short form of the prompt."""

    model: ChatModel
    is_short: bool = False


class OwnModels:
    """The models that workspaces have added, opened when they first write, and again once they were changed."""

    def __init__(self, records: SystemOfRecord, open_endpoint: OpenEndpoint) -> None:
        self._records = records
        self._open_endpoint = open_endpoint
        self._opened: dict[tuple[UUID, str], tuple[tuple[UUID, int], WritingModel | None]] = {}

    async def named(self, workspace_id: UUID, name: str) -> tuple[bool, WritingModel | None]:
        """Whether the workspace has one of that name, and the model: None if it cannot be called."""
        own = self._records.of_workspace(workspace_id)
        endpoint = await own.read(lambda tx: ModelEndpointRecords(tx).named(workspace_id, name))
        if endpoint is None:
            self._opened.pop((workspace_id, name), None)
            return False, None
        meant = endpoint.id, endpoint.revision
        opened, model = self._opened.get((workspace_id, name), (None, None))
        if opened != meant:
            try:
                key = await own.read(lambda tx: ModelEndpointRecords(tx).key(workspace_id, endpoint.id))
                model = WritingModel(self._open_endpoint(endpoint, key), endpoint.prompt == "short")
            except (InvalidInput, SecretsLocked) as error:
                log.warning("model_endpoint.refused", endpoint=str(endpoint.id), reason=str(error))
                model = None
            self._opened[workspace_id, name] = meant, model
        return True, model


class AgentModels:
    """The `usual` model and those that agents choose by name: a workspace's `own`, or those of the installation, which
    are `named`. Of the latter, those in `short_for`, "" for the usual one, get the short form of the prompt."""

    def __init__(
        self,
        usual: ChatModel | None,
        named: Mapping[str, ChatModel] | None = None,
        short_for: Collection[str] = (),
        own: OwnModels | None = None,
    ) -> None:
        self.usual = WritingModel(usual, "" in short_for) if usual else None
        self._named = {name: WritingModel(model, name in short_for) for name, model in (named or {}).items()}
        self._own = own

    async def chosen(self, workspace_id: UUID, name: str) -> WritingModel | None:
        """The model for an agent's `chat_model` or another choice; the usual one if that is gone; None: answers are
        quotations."""
        if name in ("", USUAL):
            return self.usual
        if name == QUOTATIONS:
            return None
        if self._own is not None:
            is_own, model = await self._own.named(workspace_id, name)
            if is_own:
                return model
        return self._named.get(name, self.usual)


NO_MODELS: Final = AgentModels(None)
