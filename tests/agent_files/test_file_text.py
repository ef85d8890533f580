"""An agent's file is YAML as people write it, and what is wrong in it is named by where it stands."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from app.agent_files.agent_file import MAX_FILE_CHARS, AgentContents, FileSource
from app.agent_files.api.file_models import AgentFileModel
from app.agent_files.api.file_text import read, written
from app.agents.agent import AgentConfig
from app.agents.agent_choices import PublishGate
from app.agents.widget_settings import Invitation, InvitationText, Translation
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.live_chat.saved_reply import SavedReply
from app.quality.golden_question import GoldenOrigin, GoldenQuestion
from app.sources import kinds
from app.sources.source import SourceConfig
from app.web.request_body import MAX_DEPTH
from tests.actions.test_action import ACTION
from tests.every_row import every_row

_AGENT, _WORKSPACE = uuid4(), uuid4()
_CONTENTS = AgentContents(
    AgentConfig(
        name="Döcs",
        persona="Line one.\nLine two: with a colon.",
        publish_gate=PublishGate.OFF,
        invitations=(Invitation("returns", "Send it back?", "How?", ("/shop/*",), 5),),
        translations=(Translation("de", invitations=(InvitationText("returns", "Passt es nicht?"),)),),
    ),
    [
        CuratedAnswer(uuid4(), _AGENT, Trigger.ANY_OF, "hours\nopen", "# 9 to 17\n\n- *Not* on Sundays", priority=3),
        CuratedAnswer(uuid4(), _AGENT, Trigger.EXACT, "no", "On.", expires_at=datetime(2027, 1, 31, tzinfo=UTC)),
    ],
    [GoldenQuestion(uuid4(), _AGENT, "Open?", ("https://www.example.com/",), "en", GoldenOrigin.CONVERSATION)],
    [SavedReply(uuid4(), _WORKSPACE, None, "Hello", "I am {{operator}}.")],
    [FileSource(SourceConfig(kinds.SITE, "Docs", "https://www.example.com", exclude=("/old/*",)), every_hours=24)],
    ["Handbook\n.pdf"],
    [replace(ACTION, agent_id=_AGENT, fixed={"customer": "{{visitor.id}}"}, header_names=("X-Api-Key",))],
)


def test_what_is_written_is_read_again() -> None:
    text = written(_CONTENTS)
    file = read(text).for_agent(Actor(_WORKSPACE, "cli", frozenset()), _AGENT)
    assert file.settings(AgentConfig(name="?")) == _CONTENTS.config
    assert [replace(each, id=_AGENT) for each in file.curated_answers or ()] == [
        replace(each, id=_AGENT) for each in _CONTENTS.curated_answers
    ]
    assert [replace(each, id=_AGENT) for each in file.golden_questions or ()] == [
        replace(each, id=_AGENT) for each in _CONTENTS.golden_questions
    ]
    assert [(each.agent_id, each.title, each.text) for each in file.saved_replies or ()] == [
        (None, "Hello", "I am {{operator}}.")
    ]
    assert file.sources == _CONTENTS.sources
    assert [replace(each, id=_AGENT) for each in file.actions or ()] == [
        replace(each, id=_AGENT, header_names=()) for each in _CONTENTS.actions
    ]
    assert "X-Api-Key" not in text


@every_row("persona", ["1e3", "9:30", "010", "-0", "true", "off", "~", "1" * 30, "2027-01-31", "=", "<<"])
def test_a_text_that_looks_like_a_value_stays_a_text(persona: str) -> None:
    text = written(replace(_CONTENTS, config=replace(_CONTENTS.config, persona=persona)))
    assert (
        read(text).for_agent(Actor(_WORKSPACE, "cli", frozenset()), _AGENT).settings(AgentConfig(name="?")).persona
        == persona
    )


def test_a_time_without_quotes_is_a_text() -> None:
    """YAML 1.1 reads 9:30 as the number 570."""
    text = "curated_answers: [{trigger: exact, pattern: 010, answer: 9:30}]"
    assert _answers(read(text)) == [("010", "9:30")]


def test_it_reads_well_and_names_what_it_leaves_out() -> None:
    text = written(_CONTENTS)
    assert text.startswith("# Not in this file: the source Handbook .pdf\ndocent: 1\nsettings:\n  name: Döcs\n")
    assert "  answer: |-\n    # 9 to 17\n\n    - *Not* on Sundays\n" in text


def test_a_part_that_is_left_out_is_not_spoken_of() -> None:
    file = read("settings: {tone: short}").for_agent(Actor(_WORKSPACE, "cli", frozenset()), _AGENT)
    before = AgentConfig(name="Docs", persona="A clerk.")
    assert file.settings(before) == replace(before, tone="short")
    parts = (file.curated_answers, file.golden_questions, file.saved_replies, file.sources, file.actions)
    assert parts == (None, None, None, None, None)


def test_words_that_yaml_once_read_as_something_else_are_texts() -> None:
    text = "settings: {publish_gate: off}\ncurated_answers: [{trigger: exact, pattern: yes, answer: 2027-01-31}]"
    model = read(text)
    assert model.settings.model_dump()["publish_gate"] is PublishGate.OFF
    assert _answers(model) == [("yes", "2027-01-31")]


@every_row(
    ("text", "message"),
    [
        ("", "This is not an agent file"),
        ("- settings", "This is not an agent file"),
        ("settings: [", ": this is not valid YAML"),
        ("settings: {tone: a}\nsettings: {tone: b}", "a key is repeated"),
        ("a: &a [x]\nb: *a", "aliases are not allowed"),
        ("settings: !!binary aGk=", "JSON does not have"),
        ("settings: !!python/object:os.system {}", "not valid YAML"),
        ("settings: {confidence_threshold: .nan}", "settings.confidence_threshold: Send a number"),
        ("settings: {confidence_threshold: 1e999}", "JSON does not have"),
        ("settings: {confidence_threshold: !!float .nan}", "not valid YAML: this is no number of JSON"),
        ('settings: {tone: "a\\0b"}', "settings.tone: This contains a NUL character"),
        ("settings: {1: 2}", "settings.1: There is no such field."),
        ("docent: 2", "docent: Choose one of: 1."),
        ("settings: {tome: short}", "settings.tome: There is no such field. Did you mean tone?"),
        ("settings: {theme: {greting: Hi}}", "settings.theme.greting: There is no such field. Did you mean greeting?"),
        ("curated_answer: []", "curated_answer: There is no such field. Did you mean curated_answers?"),
        (
            "curated_answers: [{trigger: exact, pattern: Hi, answer: Hello, prio: 2}]",
            "curated_answers.0.prio: There is no such field. Did you mean priority?",
        ),
        ("curated_answers: [{trigger: exact, pattern: Hi}]", "curated_answers.0.answer: This is required. Add it."),
        ("sources: [{kind: site, schedule: {every_hours: x}}]", "sources.0.schedule.every_hours: Send a whole number."),
        ("x" * (MAX_FILE_CHARS + 1), "characters. Use at most"),
        ("[" * (MAX_DEPTH + 1), "nested deeper than"),
        # Newer versions of PyYAML refuse this one before the first event of it is read.
        ("[" * 100_000, "nest"),
    ],
)
def test_what_is_wrong_is_named_with_its_fix(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read(text)
    assert message in str(refused.value)


def _answers(model: AgentFileModel) -> list[tuple[str, str]]:
    return [
        (each.pattern, each.answer) for each in (given.written_for(_AGENT) for given in model.curated_answers or ())
    ]
