"""What a visitor is asked to confirm: an action with its arguments, as it is shown and as it is sent."""

import json
import unicodedata
from collections.abc import Mapping
from typing import Any, Final
from uuid import uuid4

from app.actions.action import Action, filled_template
from app.actions.action_request import request_of
from app.actions.action_schema import WrongArguments
from app.core.confirmation import ProposedChange, ShownValue

_JOINERS: Final = "\u200c\u200d"  # letters and emoji of some scripts are written with them
_UNSEEN: Final = frozenset({"Cf", "Zl", "Zp", "Co", "Cn"})


def proposed_change(action: Action, arguments: Mapping[str, Any], fixed: Mapping[str, str]) -> ProposedChange:
    """`arguments` are checked ones. Raises WrongArguments for what cannot be sent, or would look like something else
    than it is: nobody confirms what they cannot see."""
    for name, value in arguments.items():
        if isinstance(value, str) and not _is_seen(value):
            raise WrongArguments(f"{name}: characters that nobody sees")
    request = request_of(action, {**arguments, **fixed}, {})
    labels = {name: told.get("title") or name for name, told in action.parameters.get("properties", {}).items()}
    shown = tuple(ShownValue(name, labels[name], shown_value(value)) for name, value in arguments.items())
    return ProposedChange(
        id=uuid4(),
        action_id=action.id,
        revision=action.revision,
        action=action.name,
        title=action.title,
        summary=filled_template(action.summary, {each.name: each.value for each in shown}),
        shown=shown,
        method=request.method,
        url=request.url,
        body=None if request.body is None else request.body.decode(),
    )


def shown_value(value: Any) -> str:
    """As it is sent, a text without its quotes."""
    return value if isinstance(value, str) else json.dumps(value)


def _is_seen(text: str) -> bool:
    """No mark turns the direction of what follows, and nothing is invisible but what joins letters."""
    return not any(unicodedata.category(each) in _UNSEEN and each not in _JOINERS for each in text)
