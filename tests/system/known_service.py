"""What the service was told and has said, in plain values: whatever it holds must say the same."""

from dataclasses import dataclass, field

SITE = "https://site.example"


@dataclass
class Page:
    """`word` stands in its live text alone, None while it is removed; `words` are all that it ever had."""

    url: str
    source_id: str
    is_text: bool
    word: str | None
    words: list[str]


@dataclass
class KnownAgent:
    id: str
    site_id: str
    generation: int = 0
    is_deleted: bool = False
    pages: list[Page] = field(default_factory=list)

    @property
    def live(self) -> dict[str, str]:
        return {page.word: page.url for page in self.pages if page.word}


@dataclass
class Turn:
    """`seen` is the text that was read of it, `state` what the record must say."""

    id: str
    question: str
    state: str
    seen: str = ""


@dataclass
class KnownVisitor:
    """`mark` stands in all that they write."""

    agent: KnownAgent
    id: str
    conversation_id: str
    token: str
    mark: str
    turns: list[Turn] = field(default_factory=list)
    is_erased: bool = False
    was_erased_while_away: bool = False

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Origin": SITE}

    @property
    def running(self) -> Turn | None:
        return next((turn for turn in self.turns if turn.state == "running"), None)

    @property
    def is_here(self) -> bool:
        return not (self.is_erased or self.agent.is_deleted)
