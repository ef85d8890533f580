"""A turn that has ended, with an answer that was not sure of itself."""

from uuid import UUID

from app.conversations.records.turns import TurnRecords
from app.core.confirmation import ProposedChange
from app.core.turn import (
    AnsweredBy,
    Channel,
    Citation,
    Finish,
    GapReason,
    TurnEnd,
    TurnRequest,
    TurnState,
    VisitorSession,
)
from tests.web.house import PAGE, House


async def store_turn(
    house: House,
    session: VisitorSession,
    turn_id: UUID,
    question: str = "What does it cost?",
    curated_answer_id: UUID | None = None,
    proposed: ProposedChange | None = None,
) -> None:
    assert session.channel is Channel.WIDGET
    with house.record.writing() as tx:
        TurnRecords(tx).begin(session, TurnRequest(turn_id, question, PAGE), 1, "tests")
        TurnRecords(tx).finish(
            turn_id,
            TurnEnd(
                state=TurnState.DONE,
                answer="12 euros [1].",
                answered_by=AnsweredBy.EXTRACTIVE,
                confidence=0.2,
                low_confidence=True,
                finish=Finish.COMPLETE,
                citations=(Citation(1, PAGE, "Pricing", None),),
                gap=GapReason.LOW_CONFIDENCE,
                curated_answer_id=curated_answer_id,
                trace={"stages": []},
                proposed=proposed,
            ),
        )
