"""A text that operators write repeatedly: saved once, and inserted into a live chat with its variables filled in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from app.conversations.live_chat import MAX_TEXT_CHARS
from app.core.errors import InvalidInput
from app.core.setting import required

VARIABLES: Final[Mapping[str, str]] = {
    "agent": "the agent's name",
    "operator": "your name, as the visitor sees it",
    "question": "the first question of the conversation",
    "page": "the address of the page on which the visitor last asked",
    "user": "who the visitor is, where your website has signed it",
}
_VARIABLE: Final = re.compile(r"\{\{([^{}]*+)\}\}")


@dataclass(frozen=True, slots=True)
class SavedReply:
    """A text that may be inserted into live chats."""

    id: UUID
    workspace_id: UUID
    agent_id: Annotated[UUID | None, "The agent whose live chats have it; null: those of the whole workspace."]
    title: Annotated[str, required(100)]
    text: Annotated[
        str,
        required(MAX_TEXT_CHARS, rows=4),
        "May hold " + "; ".join(f"{{{{{name}}}}}: {means}" for name, means in VARIABLES.items()) + ".",
    ]


def check_variables(text: str) -> None:
    """Raises InvalidInput for an unknown one."""
    for name in map(str.strip, _VARIABLE.findall(text)):
        if name not in VARIABLES:
            known = ", ".join(f"{{{{{each}}}}}" for each in VARIABLES)
            raise InvalidInput("text", f"{{{{{name}}}}} is unknown. Use one of {known}, or remove the braces.")


def filled(text: str, values: Mapping[str, str]) -> str:
    """Fill in the variables of the text; those without a value become empty. Values are not searched for variables."""
    return _VARIABLE.sub(lambda found: values.get(found[1].strip(), ""), text)
