"""A workspace's own chat models, which operators list, add, change, test and delete, and the names to choose from."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol
from urllib.parse import urlsplit
from uuid import UUID

from app.agents.model_endpoint import MAX_ENDPOINTS, QUOTATIONS, USUAL, ModelEndpoint
from app.agents.records import ModelEndpointRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.setting import check_limits
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

changes_of(
    "model_endpoint",
    "Chat model",
    "Chat models",
    {"create": "Chat model added", "edit": "Chat model changed", "delete": "Chat model removed"},
)


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


class EndpointProbe(Protocol):
    def canonical(self, url: str) -> str:
        """The canonical form of an address that may be called. Raises InvalidInput for `url`."""
        ...

    async def probe(self, endpoint: ModelEndpoint, key: str) -> str:
        """Ask the model for a word; returns what it answered. Raises ModelUnavailable or ModelInterrupted."""
        ...


class ModelEndpoints(Wired):
    """Every method raises NotFound for what does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _probe: EndpointProbe
    _names: ChatModelNames

    @reads
    def of_workspace(self, tx: Transaction, actor: Actor) -> list[ModelEndpoint]:
        """By name."""
        return ModelEndpointRecords(tx).of_workspace(actor.workspace_id)

    @reads
    def endpoint(self, tx: Transaction, actor: Actor, endpoint_id: UUID) -> ModelEndpoint:
        return ModelEndpointRecords(tx).endpoint(actor.workspace_id, endpoint_id)

    @writes
    def create(self, tx: Transaction, actor: Actor, endpoint: ModelEndpoint, key: str) -> ModelEndpoint:
        """Raises InvalidInput."""
        endpoint, key = self._checked(endpoint), _checked_key(key)
        known = [each.name for each in ModelEndpointRecords(tx).of_workspace(actor.workspace_id)]
        if endpoint.name in (*self._names, *known, USUAL, QUOTATIONS):
            raise InvalidInput("name", "This name is taken. Choose another one.")
        if len(known) >= MAX_ENDPOINTS:
            raise InvalidInput("", f"A workspace can have at most {MAX_ENDPOINTS} chat models. Remove one first.")
        ModelEndpointRecords(tx).add(endpoint, key)
        AuditRecords(tx).acted(actor, "model_endpoint.create", endpoint.id)
        return endpoint

    @writes
    def change(
        self,
        tx: Transaction,
        actor: Actor,
        endpoint_id: UUID,
        change: Callable[[ModelEndpoint], ModelEndpoint],
        key: str = "",
    ) -> ModelEndpoint:
        """Store what `change` returns, for the next answer on. Without a `key`, the stored one stays if scheme and host
        are the same, so that no other host gets it. Raises InvalidInput, and SecretsLocked if it cannot be unsealed."""
        key = _checked_key(key)
        before = ModelEndpointRecords(tx).endpoint(actor.workspace_id, endpoint_id)
        after = self._checked(replace(change(before), name=before.name, revision=before.revision + 1))
        if not key and urlsplit(after.url)[:2] == urlsplit(before.url)[:2]:
            key = ModelEndpointRecords(tx).key(actor.workspace_id, endpoint_id)
        ModelEndpointRecords(tx).save(after, key)
        AuditRecords(tx).acted(actor, "model_endpoint.edit", endpoint_id)
        return after

    @writes
    def delete(self, tx: Transaction, actor: Actor, endpoint_id: UUID) -> None:
        """Raises InvalidInput, naming the agents, if any uses the model in its published version or draft."""
        endpoint = ModelEndpointRecords(tx).endpoint(actor.workspace_id, endpoint_id)
        if users := ModelEndpointRecords(tx).users(endpoint):
            raise InvalidInput("", f"Choose another chat model for {', '.join(users)} first, and publish.")
        ModelEndpointRecords(tx).remove(actor.workspace_id, endpoint_id)
        AuditRecords(tx).acted(actor, "model_endpoint.delete", endpoint_id)

    async def test(self, actor: Actor, endpoint_id: UUID) -> str:
        """Ask the model for a word, and return its answer. Raises SecretsLocked, ModelUnavailable, ModelInterrupted."""

        def work(tx: Transaction) -> tuple[ModelEndpoint, str]:
            endpoint = ModelEndpointRecords(tx).endpoint(actor.workspace_id, endpoint_id)
            return endpoint, ModelEndpointRecords(tx).key(actor.workspace_id, endpoint_id)

        return await self._probe.probe(*await self._records.of_workspace(actor.workspace_id).read(work))

    def _checked(self, endpoint: ModelEndpoint) -> ModelEndpoint:
        check_limits("", endpoint)
        return replace(endpoint, url=self._probe.canonical(endpoint.url))


def _checked_key(key: str) -> str:
    """The key without surrounding blanks. Raises InvalidInput if it cannot be sent in a header."""
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        raise InvalidInput("key", "Use only ASCII letters, digits and punctuation, on one line.")
    return key
