"""Words without case, accents and marks, because visitors often leave them out."""

import unicodedata

_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'"})


def plain_words(text: str) -> str:
    """The text's words, one blank between two. "Ça va ?" is "ca va"."""
    return " ".join("".join(each if _is_of_word(each) else " " for each in without_marks(text.casefold())).split())


def without_marks(text: str) -> str:
    """NFKD without nonspacing marks. Compare the result only with text treated in the same way: some languages cannot
    be written without their marks."""
    parted = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES))
    return "".join(each for each in parted if unicodedata.category(each) != "Mn")


def _is_of_word(character: str) -> bool:
    return character == "'" or unicodedata.category(character)[0] in "LNM"
