"""What befalls the machines and what they share, all of it from one seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

Blow = Literal["kill web", "kill worker", "redis", "postgres fast", "postgres immediate"]

# Each deck is shuffled by itself, so that every kind of blow falls early and late.
_DECK: tuple[Blow, ...] = ("kill web", "kill worker", "redis", "postgres fast", "kill web", "postgres immediate")


@dataclass(frozen=True, slots=True)
class FleetBlow:
    """Falls when so many pages have been read. `machine` is whose process is killed."""

    at_page: int
    blow: Blow
    machine: int


def planned_blows(chance: Random, page_count: int, rounds: int, machines: int) -> Sequence[FleetBlow]:
    """In order, spread over the reading of the pages."""
    drawn = [blow for _ in range(rounds) for blow in chance.sample(_DECK, len(_DECK))]
    share = page_count / (len(drawn) + 1)
    return [FleetBlow(round((place + 1) * share), blow, chance.randrange(machines)) for place, blow in enumerate(drawn)]
