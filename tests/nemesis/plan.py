"""What will happen in a run, all of it from one seed: what each client and provider does, and when a process dies."""

from dataclasses import dataclass
from random import Random
from typing import Literal
from uuid import UUID

from tests.doubles.postgres_server import Failure

ClientFault = Literal["close", "reset", "stall"]
ProviderFault = Literal["refuse", "busy", "torn", "silent", "error object"]
Blow = Literal["terminate", "kill", "redis", "pause"] | Failure

FIRST, SECOND = "a", "b"  # the providers
BLOW_EVERY_TURNS = 25
_CLIENT_FAULTS: tuple[ClientFault, ...] = ("close", "reset", "stall")
_PROVIDER_FAULTS: tuple[ProviderFault, ...] = ("refuse", "busy", "torn", "silent", "error object")
_BLOWS: tuple[Blow, ...] = ("terminate", "kill", "kill", "redis", "pause")
POSTGRES_BLOWS: tuple[Failure, ...] = ("fast", "immediate", "standby", "read-only")


@dataclass(frozen=True, slots=True)
class Cut:
    """After `frames` frames of a connection the client does `fault`, and then asks the same turn again with POST or
    reads on with GET, from the same web process or, as behind a balancer, from the next."""

    fault: ClientFault
    frames: int
    stall_seconds: float
    posts_again: bool
    moves: bool


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """`fault` befalls the providers `faulty` at token `fault_at`. `comes_back` is False for a visitor who leaves at the
    first cut and is never seen again."""

    number: int
    turn_id: UUID
    tokens: int
    pace_seconds: float
    fault: ProviderFault | None
    fault_at: int
    faulty: str
    cuts: tuple[Cut, ...]
    comes_back: bool
    home: int  # the web process that is asked first

    @property
    def question(self) -> str:
        return f"How long is the warranty of a lamp? (t{self.number}x)"

    def words(self, provider: str) -> list[str]:
        """The answer of one provider, token by token: no two turns and no two providers say the same."""
        return [f"{provider}{self.number}w{position} " for position in range(self.tokens)]


@dataclass(frozen=True, slots=True)
class PlannedBlow:
    """Falls when turn `at_turn` begins. `home` is the process it falls on."""

    at_turn: int
    blow: Blow
    home: int


@dataclass(frozen=True, slots=True)
class Plan:
    turns: tuple[TurnPlan, ...]
    blows: tuple[PlannedBlow, ...]


def planned(seed: int, turn_count: int, homes: int, *, on_postgres: bool = False) -> Plan:
    """On Postgres every second blow falls on it."""
    chance = Random(seed)
    turns = tuple(_turn(chance, number, homes) for number in range(turn_count))
    blows = tuple(
        PlannedBlow(
            at + chance.randrange(BLOW_EVERY_TURNS // 2),
            chance.choice(POSTGRES_BLOWS if on_postgres and number % 2 else _BLOWS),
            chance.randrange(homes),
        )
        for number, at in enumerate(range(BLOW_EVERY_TURNS // 2, turn_count, BLOW_EVERY_TURNS))
    )
    return Plan(turns, blows)


def _turn(chance: Random, number: int, homes: int) -> TurnPlan:
    tokens = chance.randint(100, 200) if chance.random() < 0.12 else chance.randint(4, 40)
    return TurnPlan(
        number=number,
        turn_id=UUID(int=chance.getrandbits(128), version=4),
        tokens=tokens,
        pace_seconds=chance.uniform(0.01, 0.04),
        fault=chance.choice(_PROVIDER_FAULTS) if chance.random() < 0.25 else None,
        fault_at=chance.choice((0, chance.randrange(tokens))),
        faulty=chance.choice((FIRST, SECOND, FIRST + SECOND)),
        cuts=tuple(_cut(chance) for _ in range(chance.choice((0, 0, 0, 1, 1, 2, 3)))),
        comes_back=chance.random() > 0.1,
        home=chance.randrange(homes),
    )


def _cut(chance: Random) -> Cut:
    return Cut(
        fault=chance.choice(_CLIENT_FAULTS),
        frames=chance.choice((0, 1, 2, 3, 4, chance.randrange(40))),
        stall_seconds=chance.uniform(0.2, 3),
        posts_again=chance.random() < 0.35,
        moves=chance.random() < 0.3,
    )
