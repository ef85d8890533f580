"""What happens when a turn ends, with every feature of this distribution."""

from typing import Final

from app.bootstrap.features import FEATURES
from app.bootstrap.infrastructure import turn_end_listeners

TURN_END_LISTENERS: Final = turn_end_listeners(FEATURES)
