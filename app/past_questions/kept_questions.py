"""Makes gaps, proposed answers and golden questions of what an import has shown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated
from uuid import UUID, uuid4, uuid5

from app.agents.agent import LiveAgent
from app.agents.own_agent import OwnAgent
from app.answers.curated.curated_answer import MAX_PATTERNS, MAX_PATTERNS_CHARS, CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedAnswers, CuratedProposals
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.core.actor import Actor
from app.core.list_page import collected
from app.core.setting import between
from app.core.turn import Channel, TurnEnd, TurnRequest, VisitorSession, question_key
from app.kit.pattern_matcher import PatternMatcher
from app.past_questions.past_conversation import PastQuestion
from app.past_questions.past_questions import PastQuestions, QuestionGroup, QuestionReplay
from app.quality.golden_question import GoldenOrigin, GoldenQuestion, cited_pages
from app.quality.golden_questions import GoldenQuestions
from app.store.system_of_record import SystemOfRecord, Transaction


@dataclass(frozen=True, slots=True)
class Kept:
    """What to keep of the first `top` unanswered groups (gaps, proposed answers) and answered ones (golden
    questions)."""

    top: Annotated[int, between(1, 100), "How many groups to keep at most, of either."] = 20
    gaps: Annotated[bool, "Make gaps of the groups that are not answered."] = False
    answers: Annotated[bool, "Propose the team's replies to them as curated answers, for approval."] = False
    golden: Annotated[bool, "Make golden questions of the groups that are answered."] = False


class KeptQuestions:
    """Skips whatever an earlier import has added. Every method returns how many it has added, and raises NotFound for
    an agent that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord, past: PastQuestions, patterns: PatternMatcher) -> None:
        self._records = records
        self._past = past
        self._answers = CuratedAnswers(records, patterns)
        self._proposals = CuratedProposals(records, patterns)
        self._golden = GoldenQuestions(records, patterns)

    async def keep(self, actor: Actor, agent: LiveAgent, made: QuestionReplay, kept: Kept) -> dict[str, int]:
        """Store the kinds that `kept` wants; return how many of each were added. Raises what the methods below do."""
        unanswered, answered = made.unanswered[: kept.top], made.answered[: kept.top]
        added: dict[str, int] = {}
        if kept.gaps:
            added["questions_of_gaps"] = await self.as_gaps(actor, agent, unanswered)
        if kept.answers:
            added["proposed_answers"] = await self.as_proposed_answers(actor, agent, unanswered)
        if kept.golden:
            added["golden_questions"] = await self.as_golden_questions(actor, agent, answered)
        return added

    async def as_gaps(self, actor: Actor, agent: LiveAgent, groups: Sequence[QuestionGroup]) -> int:
        """Store each question as a turn that a new visitor has asked now, on the command line. Wordings that the agent
        answers are left out. Raises like `PastQuestions.ask`."""
        added = 0
        for group in groups:
            ends = {question_key(group.question): group.end}
            for question in group.questions:
                key = question_key(question.text)
                if key not in ends:
                    ends[key] = await self._past.ask(actor, agent.id, question.text)
            ended = [(each, ends[question_key(each.text)]) for each in group.questions]
            added += await OwnAgent(self._records, actor, agent.id).write(
                lambda tx: sum(_was_stored(tx, agent, each, end) for each, end in ended if end.gap is not None)
            )
        return added

    async def as_proposed_answers(self, actor: Actor, agent: LiveAgent, groups: Sequence[QuestionGroup]) -> int:
        """Propose the team's replies to the groups, for approval. Raises InvalidInput if too many are open."""
        known = await collected(lambda page: self._answers.answers(actor, agent.id, page))
        taken = {question_key(pattern) for answer in known for pattern in answer.patterns}
        wanted = [group for group in groups if group.reply and question_key(group.question) not in taken]
        for group in wanted:
            await self._proposals.propose_new(actor, _proposed(agent.id, group))
        return len(wanted)

    async def as_golden_questions(self, actor: Actor, agent: LiveAgent, groups: Sequence[QuestionGroup]) -> int:
        """Add each question with the pages that its answer cites. Raises InvalidInput if the agent has too many."""
        known = {question_key(each.question) for each in await self._golden.all_of_agent(actor, agent.id)}
        added = 0
        for group in groups:
            pages = cited_pages(group.end.citations)
            if not pages or question_key(group.question) in known:
                continue
            golden = GoldenQuestion(
                uuid4(), agent.id, group.question, pages, group.end.language, GoldenOrigin.CONVERSATION
            )
            await self._golden.create(actor, golden)
            added += 1
        return added


def _was_stored(tx: Transaction, agent: LiveAgent, question: PastQuestion, end: TurnEnd) -> bool:
    """Store the question as a turn; False if it is there already."""
    turn_id = uuid5(agent.id, f"{question.key}\n{question.text}")
    if StoredTurnRecords(tx).find(turn_id) is not None:
        return False
    visitor = ConversationRecords(tx).new_visitor(agent.id)
    conversation = ConversationRecords(tx).start(visitor, Channel.CLI)
    session = VisitorSession(agent.workspace_id, agent.id, visitor.id, conversation.id, Channel.CLI)
    TurnRecords(tx).begin(session, TurnRequest(turn_id, question.text, ""), agent.version, "import")
    TurnRecords(tx).finish(turn_id, end)
    return True


def _proposed(agent_id: UUID, group: QuestionGroup) -> CuratedAnswer:
    wordings = dict.fromkeys(each.text for each in group.questions)
    answer = CuratedAnswer(uuid4(), agent_id, Trigger.SEMANTIC, "", group.reply, language=group.end.language)
    lines: list[str] = []
    for wording in wordings:
        if len(lines) < MAX_PATTERNS and len("\n".join([*lines, wording])) <= MAX_PATTERNS_CHARS:
            lines.append(wording)
    return replace(answer, pattern="\n".join(lines))
