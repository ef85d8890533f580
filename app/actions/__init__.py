"""HTTP calls that operators define for their agents, to look something up or change something in another system."""

from app.actions.action import ACTION_LIMIT_NEAR
from app.conversations.records.confirmations import ConfirmationRecords
from app.core.turn import TurnEnd, TurnState
from app.feature import Edge, Feature
from app.store.transaction import Transaction, TurnIds


def ask_to_confirm(tx: Transaction, turn: TurnIds, end: TurnEnd) -> None:
    """Store a change that the answer proposes, for the visitor to confirm."""
    if end.proposed is not None and end.state is TurnState.DONE:
        ConfirmationRecords(tx).ask(turn, end.proposed)


def _edge() -> Edge:
    from app.actions.api import AdminActions, WidgetConfirmations
    from app.actions.pages import ActionPages
    from app.answers.curated.api import AdminCuratedAnswers
    from app.conversations.privacy.api import WidgetTranscripts

    return Edge({WidgetConfirmations: WidgetTranscripts, AdminActions: AdminCuratedAnswers}, (ActionPages,))


FEATURE = Feature(name="actions", edge=_edge, on_turn_end=(ask_to_confirm,), events=(ACTION_LIMIT_NEAR,))
