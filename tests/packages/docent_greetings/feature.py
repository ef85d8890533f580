from pathlib import Path
from typing import Final

from app.core.webhook_event import Event, NoticeText, WebhookEvent
from app.feature import Edge, Feature

GREETED: Final = Event(
    WebhookEvent("greetings.sent"),
    "an operator sends a greeting",
    200,
    ("greeting",),
    NoticeText("a greeting", '"{agent}" is greeted: {greeting}', "{pages}/greetings", "See the greetings"),
)


def _edge() -> Edge:
    from docent_greetings.api import AdminGreetings
    from docent_greetings.pages import GreetingPages

    return Edge({AdminGreetings: None}, (GreetingPages,))


FEATURE: Final = Feature(name="greetings", edge=_edge, events=(GREETED,), templates=Path(__file__).parent / "templates")
