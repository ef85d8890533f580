"""`docent import`: reads past questions of another help desk, and shows which of them an agent would answer."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from time import perf_counter
from typing import Annotated, Any, Final

import typer
from rich.markup import escape

from app.bootstrap.answering import open_playground
from app.bootstrap.infrastructure import open_infrastructure
from app.cli.local_operator import NO_CHAT_MODELS, live_agent, local_operator, meant_agent
from app.cli.sources.crawl_progress import asking_progress
from app.cli.terminal import AgentName, AsJson, fail, out, print_json, run, settings_for, table
from app.core.errors import InvalidInput
from app.kit.language_guesser import LanguageGuesser
from app.kit.pattern_matcher import PatternMatcher
from app.past_questions.exports import Export, conversations
from app.past_questions.kept_questions import Kept, KeptQuestions
from app.past_questions.past_conversation import PastConversation, first_question
from app.past_questions.past_questions import PastQuestions, QuestionReplay
from app.settings import Settings

_MOST_BYTES: Final = 200_000_000
_SHOWN: Final = 20
_REPLY_CHARS: Final = 120
_NOTHING_SENT: Final[dict[str, Any]] = {**NO_CHAT_MODELS, "rerank_url": "", "action_hosts": ""}
_NEEDS_SENDING: Final = (
    "DOCENT_EMBEDDINGS_URL is set, so a question can be searched for only by sending it there. Add --send to do so."
)


def import_(
    kind: Annotated[
        Export, typer.Argument(metavar="KIND", help="intercom, zendesk, chatwoot, crisp, helpscout or csv.")
    ],
    file: Annotated[Path, typer.Argument(help="The exported file.", exists=True, dir_okay=False, readable=True)],
    agent: AgentName = None,
    top: Annotated[
        int, typer.Option(min=1, max=100, help="How many groups to show, and to keep with the next three options.")
    ] = _SHOWN,
    gaps: Annotated[bool, typer.Option("--gaps", help="Make gaps of the groups that are not answered.")] = False,
    answers: Annotated[
        bool, typer.Option("--answers", help="Propose the team's replies to them as curated answers, for approval.")
    ] = False,
    golden: Annotated[
        bool, typer.Option("--golden", help="Make golden questions of the groups that are answered.")
    ] = False,
    send: Annotated[
        bool, typer.Option("--send", help="Ask with the models that are set, which get the masked questions.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read past conversations of another help desk, and show which of their questions an agent would answer. Personal
    data is masked. Without --send, nothing leaves this installation: answers quote the pages."""
    began = perf_counter()
    settings = settings_for(**({} if send else _NOTHING_SENT))
    if settings.embeddings_url and not send:
        fail(_NEEDS_SENDING, 2)
    try:
        found = conversations(kind, _text(file))
    except InvalidInput as error:
        fail(str(error), 2)
    kept = Kept(top, gaps=gaps, answers=answers, golden=golden)
    made, added = run(_import(settings, agent, found, kept, shows=not as_json))
    seconds = round(perf_counter() - began, 1)
    if as_json:
        print_json(made.as_json() | {"added": added, "seconds": seconds})
        return
    for name, count in added.items():
        out.print(f"Added: {count} {name.replace('_', ' ')}.", highlight=False)
    out.print(f"Took {seconds:g} s.", highlight=False)


async def _import(
    settings: Settings, named: str | None, found: Sequence[PastConversation], kept: Kept, *, shows: bool
) -> tuple[QuestionReplay, dict[str, int]]:
    questions = [question for each in found if (question := first_question(each)) is not None]
    async with open_infrastructure(settings) as base, open_playground(base) as playground:
        actor = await local_operator(base)
        agent = await live_agent(base, await meant_agent(base, actor, named))
        past = PastQuestions(playground, base.models.questions, LanguageGuesser())
        with asking_progress() as show:
            made = await past.replay(actor, agent.id, len(found), questions, show)
        if shows:
            _print(made, kept.top)
        return made, await KeptQuestions(base.record, past, PatternMatcher()).keep(actor, agent, made, kept)


def _text(file: Path) -> str:
    """The file's text. Raises InvalidInput if it is too large, not UTF-8 or cannot be read."""
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise InvalidInput("file", f"{file} is larger than {_MOST_BYTES // 1_000_000} MB. Split it.")
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput("file", f"{file} is not UTF-8 text: {error}. Save it as UTF-8.") from error
    except OSError as error:
        raise InvalidInput("file", f"{file} cannot be read: {error.strerror}.") from error


def _print(made: QuestionReplay, top: int) -> None:
    share, unanswered = made.share, made.unanswered
    low, high = share.interval
    lines = (
        f"{made.conversations} conversations, {share.total} with a question, in {len(made.groups)} groups.",
        f"Would have answered {share.count} of {share.total} questions ({low:.0%} to {high:.0%} with 95 % confidence); "
        f"{len(unanswered)} groups not.",
    )
    for line in lines:
        out.print(line, highlight=False, markup=False)
    if not unanswered:
        return
    shown = table(("asked", "not answered", "the team's reply"))
    for group in unanswered[:top]:
        shown.add_row(str(len(group.questions)), escape(group.question), escape(shorten(group.reply, _REPLY_CHARS)))
    out.print(shown)
