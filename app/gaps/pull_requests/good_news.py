"""Tells people who asked a gap and left an address that there is an answer now."""

from app.agents.records import AgentRecords
from app.core.errors import InvalidInput
from app.core.gap_state import GapState
from app.gaps.gap import DueGap, TrialAnswer
from app.gaps.pull_requests.records import PullRequestRecords
from app.gaps.records.gaps import GapRecords
from app.mail.mail import Mail, MailLink
from app.mail.mailer import Mailer
from app.store.system_of_record import Transaction


class GoodNews:
    def __init__(self, mailer: Mailer) -> None:
        self._mailer = mailer

    def close(self, tx: Transaction, due: DueGap, answer: TrialAnswer) -> bool:
        """When all questions of a gap pass and a pull request for it was merged, close it as answered and mail everyone
        who asked it and left an address, once, in this transaction. False for a gap without a merged pull request."""
        page = PullRequestRecords(tx).merged_page(due.gap.id)
        if page is None:
            return False
        GapRecords(tx).set_state(due.workspace_id, due.gap.id, GapState.ANSWERED, due.gap.note)
        if self._mailer.is_on:
            self._tell(tx, due, page, answer.answer)
        return True

    def _tell(self, tx: Transaction, due: DueGap, page: str, answer: str) -> None:
        site = AgentRecords(tx).agent(due.workspace_id, due.gap.agent_id).draft.name
        for one in PullRequestRecords(tx).waiting(due.gap.id):
            mail = Mail(
                to=one.email,
                subject=f"{site}: your question is answered",
                paragraphs=(f"You asked:\n{one.question}", answer),
                link=MailLink("Read it on the page", page),
                footer="You get this mail once, because you asked this question and left your address.",
            )
            try:
                self._mailer.put(tx, due.workspace_id, mail)
            except InvalidInput:
                continue  # nothing can be sent to what they left
