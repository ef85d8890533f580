"""`python -m training.glosses.pairs`: pairs of texts out of what `packages` unpacked, a file for each language."""

import argparse
import bz2
import lzma
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from training.glosses.catalogues import json_pairs, mo_pairs, php_pairs, po_pairs
from training.glosses.documents import block_pairs, description_pairs, descriptions, mallard_pairs, stamp_pairs
from training.glosses.text_pairs import FOLDER, LANGUAGES, Pair, cleaned, language_of

_BILINGUAL: Final[dict[str, Callable[[bytes], Iterable[Pair]]]] = {".mo": mo_pairs, ".gmo": mo_pairs, ".po": po_pairs}
_PARALLEL: Final[dict[str, Callable[[bytes, bytes], Iterable[Pair]]]] = {
    ".json": json_pairs,
    ".inc": php_pairs,
    ".page": mallard_pairs,
    ".docbook": block_pairs,
    ".html": block_pairs,
}
_STAMPS: Final = "stamps"  # the folder of Tux Paint's, a text file for each with all languages
_ENGLISH: Final = ("en", "en-US", "en_US", "en-us", "en_GB", "C")
_FILES_AT_ONCE: Final = 20


@dataclass(frozen=True, slots=True)
class Translation:
    """A file in `language`, and that in English beside it where the format does not hold both."""

    language: str
    path: Path
    english: Path | None = None

    def pairs(self) -> Iterator[Pair]:
        """Raises ValueError where a file is not of its format."""
        content, suffix = self.path.read_bytes(), self.path.suffix
        if self.english is None:
            found = _BILINGUAL[suffix](content)
        else:
            found = _PARALLEL[suffix](self.english.read_bytes(), content)
        read = (cleaned(pair, has_accelerators=self.english is None) for pair in found)
        yield from (pair for pair in read if pair)


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    found: dict[str, dict[Pair, None]] = {language: {} for language in LANGUAGES}
    for language, pair in _found(arguments.packages, arguments.descriptions):
        found[language][pair] = None
    arguments.out.mkdir(parents=True, exist_ok=True)
    for language, pairs in found.items():
        lines = (f"{pair.english}\t{pair.other}\n" for pair in pairs)
        (arguments.out / f"{language}.tsv").write_text("".join(lines), "utf-8")
        print(f"{language}: {len(pairs)} pairs")


def is_read(path: PurePath) -> bool:
    """Whether a file of a package is one that this module reads, or the English beside one."""
    if path.suffix == ".txt":
        return _STAMPS in path.parts
    names = (*path.parts[:-1], *_names_in(path.stem))
    is_known = path.suffix in _BILINGUAL or path.suffix in _PARALLEL
    return is_known and any(name in _ENGLISH or language_of(name) for name in names)


def translations(packages: Path) -> Iterator[Translation]:
    """Of the folders of packages in `packages`, always in the same order."""
    for path in sorted(packages.rglob("*")):
        place = path.relative_to(packages)
        language = _language(place)
        if language is None or not path.is_file():
            continue
        if path.suffix in _BILINGUAL:
            if path.suffix != ".po" or not path.with_suffix(".mo").exists():  # it is compiled from the other
                yield Translation(language, path)
        elif path.suffix in _PARALLEL:
            english = next((each for each in _english_of(place) if (packages / each).is_file()), None)
            if english:
                yield Translation(language, path, packages / english)


def _language(place: PurePath) -> str | None:
    """That of the innermost folder that is named after one, else that of the file's name."""
    names = (*_names_in(place.stem), *place.parts[1:-1])
    return next((language for name in reversed(names) if (language := language_of(name))), None)


def _names_in(stem: str) -> tuple[str, ...]:
    """`de` of `de.json`, of `django-de.mo` and of `messages.de.po`."""
    return stem.rpartition("-")[2], stem.rpartition(".")[2], stem


def _english_of(place: PurePath) -> Iterator[Path]:
    """Where the English may be: beside `de.json`, or at the same place in a folder beside `de/`."""
    if language_of(place.stem):
        yield from (Path(place.with_stem(name)) for name in _ENGLISH)
        return
    named = [index for index, part in enumerate(place.parts[:-1]) if index and language_of(part)]
    if named:
        before, after = place.parts[: named[-1]], place.parts[named[-1] + 1 :]
        yield from (Path(*before, name, *after) for name in _ENGLISH)


def _found(packages: Path, translated: Path) -> Iterator[tuple[str, Pair]]:
    unread = Counter[str]()
    with ProcessPoolExecutor() as processes:
        files = list(translations(packages))
        for file, pairs in zip(files, processes.map(_pairs_of, files, chunksize=_FILES_AT_ONCE), strict=True):
            if pairs is None:
                unread[file.path.suffix] += 1
            else:
                yield from ((file.language, pair) for pair in pairs)
    for path in sorted(packages.rglob(f"{_STAMPS}/**/*.txt")):
        for language, pair in stamp_pairs(path.read_bytes()):
            if read := cleaned(pair, has_accelerators=False):
                yield language, read
    for suite in sorted(path for path in translated.glob("*") if path.is_dir()):
        yield from _described(suite)
    print("files that are not of their format:", dict(unread))


def _pairs_of(file: Translation) -> list[Pair] | None:
    try:
        return list(file.pairs())
    except (ValueError, LookupError):  # LookupError: a charset that is none
        return None


def _described(suite: Path) -> Iterator[tuple[str, Pair]]:
    """Pairs of the descriptions of a suite's packages."""
    read = {path.name.partition(".")[0].removeprefix("Translation-"): path for path in sorted(suite.iterdir())}
    english = _descriptions(read["en"])
    for name, path in read.items():
        if language := language_of(name):
            for key, texts in _descriptions(path).items():
                for pair in description_pairs(english.get(key, []), texts):
                    if each := cleaned(pair, has_accelerators=False):
                        yield language, each


def _descriptions(path: Path) -> dict[tuple[str, str], list[str]]:
    content = path.read_bytes()
    opened = bz2.decompress(content) if path.suffix == ".bz2" else lzma.decompress(content)
    return descriptions(opened.decode("utf-8", "replace").splitlines())


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, default=FOLDER / "packages", help="a folder for each package")
    parser.add_argument("--descriptions", type=Path, default=FOLDER / "descriptions", help="a folder for each suite")
    parser.add_argument("--out", type=Path, default=FOLDER / "pairs")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
