"""Languages by their English names (CLDR's), for prompts: a model knows "Slovenian" better than "sl"."""

import tomllib
from functools import cache
from importlib import resources


@cache
def _names() -> dict[str, str]:
    return tomllib.loads(resources.files(__package__).joinpath("language_names.toml").read_text(encoding="utf-8"))


def language_name(language: str) -> str:
    """The English name of a language (BCP 47 primary subtag), "" if it is not listed."""
    return _names().get(language, "")
