"""What differs between two values is told field by field, in words."""

from dataclasses import replace

from app.agents.agent import AgentConfig
from app.agents.agent_choices import PublishGate
from app.agents.widget_settings import Invitation, Theme
from app.core.difference import Difference, differences

_BEFORE = AgentConfig(name="Docs", starter_prompts=("Hi?", "Open?"))


def test_fields_inside_are_named_by_where_they_stand() -> None:
    after = replace(_BEFORE, theme=Theme(greeting="Hello!"), live_chat=True, publish_gate=PublishGate.REFUSE)
    assert differences(_BEFORE, after) == [
        Difference("publish_gate", "warn", "refuse"),
        Difference("live_chat", "off", "on"),
        Difference("theme.greeting", "nothing", "Hello!"),
    ]


def test_lists_are_told_entry_by_entry() -> None:
    assert differences(_BEFORE, replace(_BEFORE, starter_prompts=())) == [
        Difference("starter_prompts", "Hi?, Open?", "nothing")
    ]


def test_values_in_a_list_are_told_by_what_they_say() -> None:
    after = replace(_BEFORE, invitations=(Invitation("returns", "Send it back?", pages=("/shop/*",)),))
    told = "returns · Send it back? · /shop/* · 10"
    assert differences(_BEFORE, after) == [Difference("invitations", "nothing", told)]


def test_what_is_the_same_is_no_difference() -> None:
    assert differences(_BEFORE, replace(_BEFORE, theme=Theme())) == []
