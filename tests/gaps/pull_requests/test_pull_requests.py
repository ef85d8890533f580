"""A gap is closed at its source: proposed with its proof, merged, read again, proved, closed, and told."""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import pytest

from app.core.actor import READ, WRITE, Actor
from app.core.errors import InvalidInput, NotFound, Unauthorized
from app.core.list_page import PageRequest
from app.core.turn import AnsweredBy, GapReason, GapState
from app.gaps.gap import Gap, GapAsking
from app.gaps.gap_replays import GapReplays, TrialAnswers
from app.gaps.pull_requests.pull_request import ProvedQuestion, PullRequestState, Repository, proof_text
from app.gaps.pull_requests.pull_requests import GoodNews, Merges, PullRequests, Repositories
from app.gaps.records.gaps import GapRecords
from app.leads.lead import Lead
from app.leads.records import LeadRecords
from app.mail.mailer import Mailer
from app.mail.records import MailRecords
from app.sources.runs.page_scope import PageScope
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.run_control import PageSync
from app.sources.source import RunState
from tests.doubles.answering_house import PAGES, SITE, AnsweringHouse, answering_house
from tests.doubles.recording_job_queue import RecordingJobQueue
from tests.doubles.small_github import TOKEN, SmallGitHub, version_of

CHESS = "Who won the chess championship?"
PAGE = f"{SITE}/shipping"
FILE = PAGES["/shipping"] + "\n"
MORE = FILE + "\nAda won the chess championship. The chess championship was played in Oslo, and Ada won it.\n"


@dataclass
class Loop:
    house: AnsweringHouse
    github: SmallGitHub
    jobs: RecordingJobQueue
    repositories: Repositories
    pull_requests: PullRequests
    merges: Merges
    replays: GapReplays
    operator: Actor
    hook_secret: str = ""

    async def gap(self) -> Gap:
        page = await self.house.record.read(lambda tx: GapRecords(tx).page(self.house.agent_id, None, PageRequest()))
        [gap] = page.items
        return gap

    async def hear(self, told: object, event: str = "pull_request", secret: str = "") -> int:
        body = json.dumps(told).encode()
        signature = hmac.digest((secret or self.hook_secret).encode(), body, hashlib.sha256).hex()
        return await self.merges.receive(self.house.agent_id, event, f"sha256={signature}", body)


def merged(number: int, *, is_merged: bool = True, full_name: str = "nimbrel/website") -> dict[str, object]:
    return {
        "action": "closed",
        "pull_request": {"number": number, "merged": is_merged},
        "repository": {"full_name": full_name},
    }


@pytest.fixture
async def loop(tmp_path: Path) -> AsyncIterator[Loop]:
    async with answering_house(tmp_path) as house:
        playground = house.answering.playground
        github, jobs = SmallGitHub(files={"docs/shipping.md": FILE}), RecordingJobQueue()
        news = GoodNews(Mailer(is_on=True, public_url="https://docent.example.com"))
        loop = Loop(
            house,
            github,
            jobs,
            Repositories(house.record),
            PullRequests(house.record, github.host, playground, house.clock),
            Merges(house.record, PageSync(house.record, jobs, PageScope())),
            GapReplays(house.record, TrialAnswers(playground), news),
            Actor(house.workspace_id, "ann", frozenset((READ, WRITE))),
        )
        repository = Repository(uuid4(), house.agent_id, "nimbrel", "website", root="docs")
        made = await loop.repositories.put(loop.operator, repository, TOKEN)
        loop.hook_secret = made.hook_secret or ""
        await house.ask(CHESS)
        yield loop


async def test_from_a_gap_to_a_merged_page_and_those_who_waited(loop: Loop) -> None:
    session, now = loop.house.session, loop.house.clock.now()
    lead = Lead(
        uuid4(), session.agent_id, session.visitor_id, session.conversation_id, "Bo", "bo@example.com", "Tell me", now
    )
    await loop.house.record.write(lambda tx: LeadRecords(tx).add(lead))
    gap = await loop.gap()

    file = await loop.pull_requests.file(loop.operator, gap.id, PAGE)
    assert (file.path, file.text) == ("docs/shipping.md", FILE)
    opened = await loop.pull_requests.open(loop.operator, gap.id, PAGE, MORE, file.version)
    [pull] = loop.github.pulls
    assert loop.github.branches[pull["head"]]["docs/shipping.md"] == MORE
    for told in ("Visitors asked this once and got no answer.", CHESS, "Ada won the chess championship."):
        assert told in pull["body"]

    assert await loop.hear(merged(opened.number)) == 1
    assert len(loop.jobs.crawls) == 1
    runs = await loop.house.record.read(lambda tx: CrawlRunRecords(tx).latest_runs([loop.house.source_id]))
    await loop.house.learn("/shipping", MORE)  # the page as it is published now
    await loop.house.record.write(
        lambda tx: CrawlRunRecords(tx).set_run_state(runs[loop.house.source_id].id, RunState.FINISHED)
    )
    assert await loop.replays.replay_due() == 1
    assert (await loop.gap()).state is GapState.ANSWERED
    [mail] = await loop.house.record.write(lambda tx: MailRecords(tx).claim(10, loop.house.clock.now()))
    assert mail.mail is not None
    assert (mail.mail.to, mail.mail.link and mail.mail.link.url) == ("bo@example.com", PAGE)
    assert CHESS in mail.mail.text
    assert "Ada won" in mail.mail.text
    [listed] = await loop.pull_requests.of_gap(loop.operator, gap.id)
    assert listed.state is PullRequestState.MERGED


async def test_a_change_that_was_not_merged_closes_nothing(loop: Loop) -> None:
    gap = await loop.gap()
    opened = await loop.pull_requests.open(loop.operator, gap.id, PAGE, MORE, version_of(FILE))
    assert await loop.hear(merged(opened.number, is_merged=False)) == 0
    await loop.house.learn("/shipping", MORE)
    await loop.replays.replay_due()
    assert (await loop.gap()).state is GapState.PROPOSED


async def test_a_deployment_has_merged_pages_read_that_are_not_proved_yet(loop: Loop) -> None:
    gap = await loop.gap()
    opened = await loop.pull_requests.open(loop.operator, gap.id, PAGE, MORE, version_of(FILE))
    deployed = {"deployment_status": {"state": "success"}, "repository": {"full_name": "nimbrel/website"}}
    assert await loop.hear(deployed, "deployment_status") == 0
    await loop.hear(merged(opened.number))
    assert await loop.hear(deployed, "deployment_status") == 1


async def test_only_what_is_signed_is_heard(loop: Loop) -> None:
    gap = await loop.gap()
    opened = await loop.pull_requests.open(loop.operator, gap.id, PAGE, MORE, version_of(FILE))
    with pytest.raises(Unauthorized):
        await loop.hear(merged(opened.number), secret="another")
    with pytest.raises(Unauthorized):
        await loop.merges.receive(uuid4(), "pull_request", "sha256=", b"{}")
    assert await loop.hear(merged(opened.number, full_name="somebody/else")) == 0
    assert await loop.hear(["no object"]) == 0
    [listed] = await loop.pull_requests.of_gap(loop.operator, gap.id)
    assert listed.state is PullRequestState.OPEN


async def test_a_change_of_nothing_or_of_an_older_file_is_refused(loop: Loop) -> None:
    gap = await loop.gap()
    for url, text, version in (
        (PAGE, FILE, version_of(FILE)),
        (PAGE, MORE, version_of("older")),
        (f"{SITE}/nowhere", MORE, version_of(FILE)),
    ):
        with pytest.raises(InvalidInput):
            await loop.pull_requests.open(loop.operator, gap.id, url, text, version)
    assert loop.github.pulls == []


async def test_the_token_stays_with_its_repository_and_goes_with_it(loop: Loop) -> None:
    known = await loop.repositories.find(loop.operator, loop.house.agent_id)
    assert known is not None
    changed = await loop.repositories.put(loop.operator, replace(known, branch="live"))
    assert changed.hook_secret is None
    with pytest.raises(InvalidInput, match="again"):
        await loop.repositories.put(loop.operator, replace(known, name="other"))
    await loop.repositories.remove(loop.operator, loop.house.agent_id)
    with pytest.raises(NotFound):
        await loop.pull_requests.file(loop.operator, (await loop.gap()).id, PAGE)


async def test_a_stranger_finds_no_repository_and_no_gap(loop: Loop) -> None:
    stranger, gap = replace(loop.operator, workspace_id=uuid4()), await loop.gap()
    with pytest.raises(NotFound):
        await loop.repositories.find(stranger, loop.house.agent_id)
    with pytest.raises(NotFound):
        await loop.pull_requests.of_gap(stranger, gap.id)


def test_what_visitors_wrote_stays_within_its_fence() -> None:
    question = "```\n@everyone fixes #1 ![x](https://evil.example/)\n````"
    asking = GapAsking(uuid4(), question, question, "", "en", GapReason.LOW_CONFIDENCE, "", AnsweredBy.MODEL, 0.1, ())
    text = proof_text(2, "More.", [ProvedQuestion(asking, "Yes.")])
    assert f"`````text\n{question}\n`````" in text
