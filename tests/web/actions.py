"""An action for tests of the edge, and right bodies for its calls."""

import json
from collections.abc import Mapping
from uuid import UUID, uuid4

from app.actions.action import Action
from app.actions.action_request import proposed_change
from app.actions.actions import Actions
from app.actions.api import EXAMPLE, ActionFields
from app.core.turn import VisitorSession
from tests.doubles.shop_api import SHOP
from tests.web.ended_turn import store_turn
from tests.web.house import House, Json

ORDER_STATUS: Json = {**EXAMPLE, "url": f"{SHOP}/orders/{{order}}", "fixed": {}}
BODIES: Mapping[str, Json] = {
    "createAction": {**ORDER_STATUS, "name": "s{unique}", "headers": {"X-Api-Key": "a key"}},
    "editAction": {"title": "Your order"},
    "decideConfirmation": {"answer": "no"},
    "tryAction": {"arguments": {"order": "A-17"}, "visitor": {"id": "ann"}},
}


CANCEL_ORDER: Json = {
    **ORDER_STATUS,
    "name": "cancel_order",
    "title": "Cancel an order",
    "description": "Cancels an order, by its number.",
    "method": "DELETE",
    "changes": True,
    "summary": "Cancel order {order}?",
    "done_text": "Order {order} is cancelled: {result}.",
    "result_path": "status",
}


async def an_action(house: House) -> UUID:
    """The agent's; return its id."""
    action = ActionFields.model_validate(ORDER_STATUS).written_for(house.agent.id)
    made = await house.parts.get(Actions).create(house.actor, action, {"Authorization": "Bearer opensesame"})
    return made.id


async def a_change(house: House, **changes: object) -> Action:
    """One that changes something."""
    written = ActionFields.model_validate_json(json.dumps({**CANCEL_ORDER, **changes})).written_for(house.agent.id)
    return await house.parts.get(Actions).create(house.actor, written, {"Authorization": "Bearer opensesame"})


async def a_confirmation(house: House, session: VisitorSession, action: Action | None = None) -> UUID:
    """What a turn of this visitor has proposed; return its id."""
    action = action or await a_change(house, name=f"cancel_{uuid4().hex[:8]}")
    proposed = proposed_change(action, {"order": "A-17"}, {})
    await store_turn(house, session, uuid4(), "Please cancel my order A-17.", proposed=proposed)
    return proposed.id
