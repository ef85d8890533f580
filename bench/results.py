"""The figures of one run of all benchmarks, as `bench/results.json` keeps them, and the comparison with a later run.

Each figure is better the lower it is. Those in OF_ONE_MACHINE are compared only with the same machine's; all others are
ratios of two things that were measured in turns.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

COMMITTED: Final = Path(__file__).resolve().parent / "results.json"
ALLOWED_GROWTH: Final = 0.15
OF_ONE_MACHINE: Final = frozenset({
    "conversation_search_cpu_ms", "gaps_page_cpu_ms", "new_question_cpu_ms", "rest_memory_mib", "start_seconds",
    "streams_300_first_token_p95_ms",
})  # fmt: skip
_NOT_MEASURED: Final = "not_measured"


class BadResults(Exception):
    """Of a file; the message names what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Results:
    """`ratios` has no entry for what was not measured; `benchmarks` holds what each benchmark printed, by its module.
    `date` is ISO 8601, in UTC."""

    machine: Mapping[str, str | int]
    versions: Mapping[str, str]
    date: str
    ratios: Mapping[str, float]
    benchmarks: Mapping[str, Any]

    @property
    def not_measured(self) -> dict[str, str]:
        """Why, by figure: what this machine lacked. A figure that no benchmark speaks of is not among them."""
        said = (figures.get(_NOT_MEASURED, {}) for figures in self.benchmarks.values())
        return {figure: why for reasons in said for figure, why in reasons.items()}

    def write(self, file: Path) -> None:
        file.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")


def leave_out(figure: str, why: str, *, as_json: bool) -> None:
    """What a benchmark says where the machine lacks something that it needs. Raises SystemExit unless `as_json`."""
    if not as_json:
        raise SystemExit(why)
    print(json.dumps({"ratios": {}, _NOT_MEASURED: {figure: why}}))


def read_results(file: Path) -> Results:
    """Raises BadResults."""
    try:
        written = json.loads(file.read_text(encoding="utf-8"))
        results = Results(**written)
        for name, value in written["ratios"].items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise BadResults(f"{file.name}: ratios.{name} is {value!r}, not a number above 0. Run make bench.")
    except FileNotFoundError:
        raise BadResults(f"{file.name} is not there. Run make bench, and commit what it writes.") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise BadResults(f"{file.name} is not what make bench writes: {error}. Run make bench.") from error
    return results


@dataclass(frozen=True, slots=True)
class Comparison:
    """Sentences about figures: those that grew too much or are gone, and those that could not be compared."""

    failures: tuple[str, ...]
    skipped: tuple[str, ...]


def compared(now: Results, committed: Results) -> Comparison:
    """Each committed figure beside today's. A new one has nothing to be compared with."""
    failures, skipped = [], []
    for name, before in committed.ratios.items():
        value, most = now.ratios.get(name), before * (1 + ALLOWED_GROWTH)
        if value is None and name in now.not_measured:
            skipped.append(f"{name}: {before:.3g} is committed; not measured here: {now.not_measured[name]}")
        elif value is None:
            failures.append(f"{name}: not measured; {before:.3g} is committed")
        elif name in OF_ONE_MACHINE and now.machine != committed.machine:
            skipped.append(f"{name}: {value:.3g}; the committed {before:.3g} is another machine's")
        elif value > most:
            failures.append(
                f"{name}: {value:.3g}; {before:.3g} is committed, and {most:.3g} ({ALLOWED_GROWTH:.0%} more) the limit"
            )
    return Comparison(tuple(failures), tuple(skipped))
