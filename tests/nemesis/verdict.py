"""What the system of record holds, against what the visitors saw and the providers counted."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import Engine, column, text

from app.store.engine import is_sqlite
from app.store.schema import Id
from tests.nemesis.plan import FIRST, SECOND, TurnPlan
from tests.nemesis.planned_provider import PlannedProviders
from tests.nemesis.visitor import Seen

MAY_BE_SHORT_SECONDS = 2.5  # of text, after kill -9
_ENDED = ("done", "failed", "cut")


_TURNS = """
SELECT t.id AS turn_id, a.id AS message_id, t.state, t.owner, t.answered_by, a.text, q.text,
  (SELECT count(*) FROM messages m WHERE m.turn_id = t.id),
  (SELECT count(*) FROM usage u WHERE u.turn_id = t.id),
  (SELECT {joined} FROM outbox o WHERE o.turn_id = t.id AND o.kind LIKE 'turn.%')
FROM turns t
LEFT JOIN messages q ON q.turn_id = t.id AND q.role = 'visitor'
LEFT JOIN messages a ON a.turn_id = t.id AND a.role = 'agent'
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One turn as it is stored; `answer` is None where none is."""

    message_id: UUID | None
    state: str
    owner: str
    answered_by: str | None
    answer: str | None
    question: str | None
    message_count: int
    usage_count: int
    announced: str | None

    @property
    def owner_pid(self) -> int:
        return int(self.owner.rsplit("-", 2)[1])


def running_turns(record: Engine) -> int:
    with record.connect() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM turns WHERE state = 'running'").scalar_one())


def stored_turns(record: Engine) -> dict[UUID, Row]:
    joined = "group_concat(o.kind)" if is_sqlite(record) else "string_agg(o.kind, ',')"
    ids = (column("turn_id", Id), column("message_id", Id))
    statement = text(_TURNS.format(joined=joined)).columns(*ids)
    with record.connect() as connection:
        return {key: Row(message_id, *values) for key, message_id, *values in connection.execute(statement)}


@dataclass
class Verdict:
    """Each fault is a line that names its turn; a run is good when there is none."""

    faults: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    def blame(self, kind: str, turn: TurnPlan, detail: str = "") -> None:
        self.kinds[kind] += 1
        self.faults.append(f"{kind}: turn {turn.number} {turn.turn_id} {detail}".rstrip())


def judged(
    log: Sequence[Seen],
    rows: Mapping[UUID, Row],
    providers: PlannedProviders,
    killed_at: Mapping[int, float],
    record_away: Collection[tuple[float, float]],
    paused: Mapping[int, Collection[tuple[float, float]]],
) -> Verdict:
    """`killed_at` and `paused` are by pid; while `record_away` nothing could be stored."""
    verdict = Verdict()
    asked = Counter(row.question for row in rows.values())
    for seen in log:
        plan, row = seen.plan, rows.get(seen.plan.turn_id)
        if asked[plan.question] > 1:
            verdict.blame("duplicate turn", plan, f"{asked[plan.question]} turns")
        for what in seen.contradictions:
            verdict.blame("two texts for one turn", plan, what)
        if seen.gave_up:
            verdict.blame("visitor gave up", plan, " | ".join(seen.refusals[-2:]))
        if row is None:
            if seen.is_acknowledged:
                verdict.blame("acknowledged and missing", plan)
            continue
        _judge_row(verdict, seen, row, killed_at, [*record_away, *paused.get(row.owner_pid, ())])
        _judge_calls(verdict, plan, row, providers, was_paused=row.owner_pid in paused)
    return verdict


def had_stored_until(killed_at: float, could_not: Collection[tuple[float, float]]) -> float:
    """The moment up to which a killed process must have stored what it had said. What it says while the record takes
    nothing waits in its memory, and is stored once the record is back; a process that is paused stores nothing."""
    moment = killed_at - MAY_BE_SHORT_SECONDS
    for began, ended in sorted(could_not, reverse=True):
        if began < killed_at and moment < ended:
            moment = min(moment, began - MAY_BE_SHORT_SECONDS)
    return moment


def _judge_row(
    verdict: Verdict,
    seen: Seen,
    row: Row,
    killed_at: Mapping[int, float],
    could_not_store: Collection[tuple[float, float]],
) -> None:
    plan, answer = seen.plan, row.answer or ""
    if row.question != plan.question:
        verdict.blame("question is not stored", plan, repr(row.question))
    if row.state not in _ENDED:
        verdict.blame("left running", plan, row.owner)
        return
    if row.message_count != 2:
        verdict.blame("not one question and one answer", plan, f"{row.message_count} messages")
    if row.usage_count != 1:
        verdict.blame("not counted once", plan, f"{row.usage_count} rows of usage, {row.state}")
    said = sorted((row.announced or "").split(","))
    if said not in ([f"turn.{row.state}"], ["turn.cut", f"turn.{row.state}"]):  # cut while its process was stopped
        verdict.blame("end not announced once", plan, f"{row.state}, {row.announced}")
    due = seen.longest
    if row.state == "cut" and row.owner_pid in killed_at:
        due = seen.seen_before(had_stored_until(killed_at[row.owner_pid], could_not_store))
    if not answer.startswith(due):
        verdict.blame("stored less than was seen", plan, f"{row.state}: {len(answer)} of {len(due)} characters")
    if row.state == "cut" and row.owner_pid not in killed_at:
        verdict.blame("cut though its process was not killed", plan, row.owner)
    whole = [(end, bool(end["event"] == "done")) for end in seen.ends]
    for end, is_receipt in whole:
        if is_receipt and (row.state != "done" or answer != seen.longest or end["message_id"] != str(row.message_id)):
            verdict.blame("receipt for something else", plan, f"{row.state}, {len(answer)} of {len(seen.longest)}")
    if row.answered_by == "model" and not any("".join(plan.words(p)).startswith(answer) for p in (FIRST, SECOND)):
        verdict.blame("answer of two providers", plan, repr(answer[:60]))


def _judge_calls(verdict: Verdict, plan: TurnPlan, row: Row, providers: PlannedProviders, *, was_paused: bool) -> None:
    """A process that stood still takes its provider for silent, and asks the second one."""
    calls = [providers.answered[name, plan.number] for name in (FIRST, SECOND)]
    if max(calls) > 1 or (plan.fault is None and not was_paused and calls[1] and calls[0]):
        verdict.blame("asked a provider again", plan, f"first {calls[0]}, second {calls[1]}")
    if row.state == "done" and row.answered_by == "model" and not sum(calls):
        verdict.blame("answered without a provider", plan)


def counts(values: Iterable[str | None]) -> dict[str, int]:
    return dict(sorted(Counter(value or "none" for value in values).items()))
