"""A gap as its row says it."""

from app.domain.gap import Gap, GapReason, GapState
from app.store.models import GapRow


def gap_of(row: GapRow) -> Gap:
    return Gap(
        id=row.id,
        agent_id=row.agent_id,
        question=row.question,
        state=GapState(row.state),
        reason=GapReason(row.reason),
        count=row.count,
        first_seen=row.first_seen,
        last_seen=row.last_seen,
        note=row.note,
        assignee=row.assignee,
    )
