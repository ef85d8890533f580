"""The use case, which the application makes from the types that its constructor names."""

from uuid import UUID

from app.agents.own_agent import writes_agent
from app.core.actor import Actor
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord, Transaction
from docent_greetings.feature import GREETED


class Greetings:
    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    @writes_agent
    def send(self, tx: Transaction, actor: Actor, agent_id: UUID, greeting: str) -> None:
        """Raises NotFound for another workspace's agent."""
        Outbox(tx).add(agent_id, GREETED.name, {"greeting": greeting})
