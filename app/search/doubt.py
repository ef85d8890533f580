"""Why an agent does not rely on what it found, in words for its operator: the rule of `confidence.is_low`, told."""

from collections.abc import Sequence

from app.search.confidence import ENOUGH_SURVIVORS, SURE, is_low


def why_unsure(confidences: Sequence[float], threshold: float, *, needs_two: bool = False) -> str:
    """`confidences` are those of the passages found, each in [0, 1]. "" if they are enough to rely on."""
    ordered = sorted(confidences, reverse=True)
    if not ordered:
        return "Nothing was found."
    best, survivors = ordered[0], sum(confidence >= threshold for confidence in ordered)
    if not is_low(survivors, best, needs_two=needs_two):
        return ""
    if not survivors:
        return f"The best passage has a confidence of {best:.0%}; the agent answers from {threshold:.0%}."
    second = f"and the second best has {ordered[1]:.0%}." if len(ordered) >= ENOUGH_SURVIVORS else "and there is none."
    if needs_two:
        return f"The best passage has {best:.0%}. This agent needs two passages of {threshold:.0%}, {second}"
    return (
        f"The best passage has {best:.0%}. One passage alone needs {SURE:.0%}; below that, a second one must have "
        f"{threshold:.0%}, {second}"
    )
