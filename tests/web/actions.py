"""An action for tests of the edge, and right bodies for its calls."""

from collections.abc import Mapping
from uuid import UUID

from app.actions.actions import Actions
from app.actions.api import EXAMPLE, ActionFields
from tests.doubles.shop_api import SHOP
from tests.web.house import House, Json

ORDER_STATUS: Json = {**EXAMPLE, "url": f"{SHOP}/orders/{{order}}", "fixed": {}}
BODIES: Mapping[str, Json] = {
    "createAction": {**ORDER_STATUS, "name": "s{unique}", "headers": {"X-Api-Key": "a key"}},
    "editAction": {"title": "Your order"},
    "tryAction": {"arguments": {"order": "A-17"}, "visitor": {"id": "ann"}},
}


async def an_action(house: House) -> UUID:
    """The agent's; return its id."""
    action = ActionFields.model_validate(ORDER_STATUS).written_for(house.agent.id)
    made = await house.parts.get(Actions).create(house.actor, action, {"Authorization": "Bearer opensesame"})
    return made.id
