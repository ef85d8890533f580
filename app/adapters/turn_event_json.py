"""Turn events as JSON between our own processes: whole, with what visitors do not see."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from app.domain.turn_events import Citations, Done, Error, NumberedEvent, Start, Status, Token, TurnEvent

_KINDS: dict[str, TypeAdapter[Any]] = {
    kind.name: TypeAdapter(kind) for kind in (Start, Status, Token, Citations, Done, Error)
}


def events_to_json(events: Sequence[NumberedEvent]) -> str:
    """ "[[number, name, fields], ...]"."""
    return json.dumps(
        [[n.number, n.event.name, _KINDS[n.event.name].dump_python(n.event, mode="json")] for n in events]
    )


def events_from_json(text: str | bytes) -> list[NumberedEvent]:
    return [NumberedEvent(number, _event(name, fields)) for number, name, fields in json.loads(text)]


def _event(name: str, fields: dict[str, Any]) -> TurnEvent:
    event: TurnEvent = _KINDS[name].validate_python(fields)
    return event
