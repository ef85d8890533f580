"""`python -m training.glosses.lists`: writes the lists that the embedder reads, out of what `alignment` counted."""

import argparse
import json
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from app.providers.indexes.keyword_analysis import stemmer
from training.glosses.choice import entries
from training.glosses.counts import read_counts
from training.glosses.text_pairs import FOLDER

# Statistics read them as sentences do, "comment" as "comment" and "come" as "as"; in questions they ask.
_QUESTION_WORDS: Final = Path(__file__).with_name("question_words.json")
_LISTS: Final = Path("app/weights/embedder/glosses")


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    arguments.out.mkdir(parents=True, exist_ok=True)
    by_hand = json.loads(_QUESTION_WORDS.read_text("utf-8"))
    for path in sorted(arguments.counts.glob("*.json.xz")):
        language = path.name.partition(".")[0]
        found = entries(read_counts(path), stemmer(language), by_hand.get(language))
        out = arguments.out / f"{language}.txt.xz"
        with lzma.open(out, "wt", encoding="utf-8", preset=9) as lines:
            lines.writelines(f"{text}\t{english}\n" for text, english in sorted(found.items()))
        phrases = sum(" " in text for text in found)
        print(
            f"{language}: {len(found)} entries, {phrases} of them phrases, {out.stat().st_size >> 10} KiB", flush=True
        )


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", type=Path, default=FOLDER / "counts")
    parser.add_argument("--out", type=Path, default=_LISTS)
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
