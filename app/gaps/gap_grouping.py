"""Groups questions into gaps by agglomerative clustering with complete linkage: a question joins a group only if it is
near to every member. Also decides which existing gap a group keeps."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import heapify, heappop, heappush
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Wording:
    """One wording of an open gap. If `is_settled`, it stands for a whole gap that an operator has worked on: the gap
    may take others in, but is never split.

    `key` is derived from the normalised question. `question` is the text as last asked, in a turn of this `language`.
    `askings` counts the askings of the wording; `since` is when its gap was first asked. `meaning` is the stored vector
    of a settled gap's question.
    """

    gap_id: UUID
    key: str
    question: str
    language: str | None
    askings: int
    since: datetime
    is_settled: bool = False
    meaning: tuple[float, ...] | None = None

    @property
    def name(self) -> str:
        """Unique among all wordings of an agent, and stable."""
        return f"{self.key} {self.gap_id.hex}"


@dataclass(frozen=True, slots=True)
class UnplacedGap:
    """A gap that was not compared with the others yet. `language` is that of its first turn."""

    id: UUID
    agent_id: UUID
    question: str
    language: str | None


@dataclass(frozen=True, slots=True)
class Move:
    """Moves wordings into the gap `into`, or into a new gap if that is None."""

    into: UUID | None
    wordings: tuple[Wording, ...]


def grouped(names: Iterable[str], near: Mapping[tuple[str, str], float]) -> list[tuple[str, ...]]:
    """Partition the names into groups. `near` maps the pairs that may share a group to their nearness, each pair once,
    in either order. The nearness of two groups is that of their least near pair; the nearest groups are merged until
    none are left whose pairs are all in `near`. The order of names and pairs has no effect."""
    groups = {name: [name] for name in names}  # each by its first name
    links: dict[str, dict[str, float]] = {name: {} for name in groups}
    for (one, other), nearness in near.items():
        links[one][other] = links[other][one] = nearness
    nearest = [(-nearness, min(pair), max(pair)) for pair, nearness in near.items()]
    heapify(nearest)
    while nearest:
        distance, first, second = heappop(nearest)
        if first not in groups or links[first].get(second) != -distance:
            continue  # outdated: one of the groups was merged since
        groups[first] += groups.pop(second)
        of_first, of_second = links[first], links.pop(second)
        for other in of_first.keys() | of_second.keys():
            if other in links:
                links[other].pop(first, None)
                links[other].pop(second, None)
        links[first] = {other: min(of_first[other], of_second[other]) for other in of_first.keys() & of_second.keys()}
        for other, nearness in links[first].items():
            links[other][first] = nearness
            heappush(nearest, (-nearness, min(first, other), max(first, other)))
    return [tuple(sorted(group)) for _, group in sorted(groups.items())]


def moves(groups: Sequence[Sequence[Wording]]) -> list[Move]:
    """The moves that turn these groups into gaps; no group may have two settled gaps. A group keeps its settled gap,
    else the gap with most of its askings, else the oldest; no two groups keep the same gap. Empty if the groups are the
    existing gaps."""
    claims: dict[tuple[int, UUID], tuple[bool, int, datetime, int]] = {}
    for place, group in enumerate(groups):
        askings = sum(wording.askings for wording in group)
        for wording in group:
            is_free, held, *_ = claims.get((place, wording.gap_id), (True, 0))
            is_free = is_free and not wording.is_settled
            # Between two groups with equal shares of a gap, the smaller group keeps it.
            claims[place, wording.gap_id] = (is_free, held - wording.askings, wording.since, askings)
    kept: dict[int, UUID] = {}
    taken: set[UUID] = set()
    for place, gap_id in sorted(claims, key=lambda claim: (claims[claim], claim[1], claim[0])):
        if place not in kept and gap_id not in taken:
            kept[place] = gap_id
            taken.add(gap_id)
    moved = [
        Move(kept.get(place), tuple(wording for wording in group if wording.gap_id != kept.get(place)))
        for place, group in enumerate(groups)
    ]
    return [move for move in moved if move.wordings]
