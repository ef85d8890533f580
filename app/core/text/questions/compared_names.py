"""The names that a question compares: "How does the Plus plan differ from Pro?"."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from app.core.text.languages import LANGUAGES, in_any_language, language_table

_NAME: Final = r"([^;:?!؟？()\n]{1,60}?)"
_QUOTE_MARKS: Final = re.compile(r"\A[\"'«„“`]|[\"'»“”`]\Z")


def compared_names(question: str) -> list[str]:
    """Two or more names, as the question writes them, without articles; empty if it asks for no difference."""
    for comparison in _comparisons():
        if found := comparison.search(question):
            names = [*found[1].split(","), found[2]]
            return [name for each in names if (name := _bare(each))]
    return []


def _bare(name: str) -> str:
    return _QUOTE_MARKS.sub("", _article().sub("", name.strip()).strip())


@cache
def _comparisons() -> Sequence[re.Pattern[str]]:
    end = rf"(?=\s+{in_any_language('comparison', 'ends')}|\s*(?:[?!.,;:(؟？]|\Z))"
    forms = [form for language in sorted(LANGUAGES) for form in language_table(language)["comparison"]["forms"]]
    return [re.compile(form.replace("{name}", _NAME).replace("{end}", end), re.IGNORECASE) for form in forms]


@cache
def _article() -> re.Pattern[str]:
    listed = (language_table(language)["comparison"]["articles"] for language in sorted(LANGUAGES))
    return re.compile(rf"\A(?:{'|'.join(filter(None, listed))})(?:\s{{1,3}}|(?<='))", re.IGNORECASE)
