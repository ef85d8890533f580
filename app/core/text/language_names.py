"""Names of languages (CLDR), in English for prompts, because models know "Slovenian" better than "sl", and in the
languages that Docent speaks."""

import tomllib
from functools import cache
from importlib import resources

from app.core.text.languages import LANGUAGES, language_table


@cache
def _names() -> dict[str, str]:
    return tomllib.loads(resources.files(__package__).joinpath("language_names.toml").read_text(encoding="utf-8"))


def language_name(language: str) -> str:
    """The English name of a language (BCP 47 primary subtag), "" if it is not listed."""
    return _names().get(language, "")


def own_name(language: str, said_in: str) -> str:
    """The name of `language` in the language `said_in` (BCP 47 primary subtags), or in English if Docent does not speak
    that one; "" if it is not listed."""
    names: dict[str, str] = language_table(said_in if said_in in LANGUAGES else "en")["language_names"]
    return names.get(language, "")
