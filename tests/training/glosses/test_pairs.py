"""Which files of packages are read, in what language, and beside which English file."""

import bz2
import lzma
from pathlib import Path, PurePosixPath

from tests.every_row import every_row
from training.glosses.pairs import is_read, main, translations


@every_row(
    "place",
    [
        "usr/share/locale/de/LC_MESSAGES/app.mo",
        "django/locale/pt_BR/LC_MESSAGES/django.po",
        "usr/share/wordpress/languages/admin-de_DE.mo",
        "package/locales/en.json",
        "usr/share/help/C/gedit/index.page",
        "usr/share/tuxpaint/stamps/food/apple.txt",
    ],
)
def test_catalogues_and_pages_of_a_language_are_read(place: str) -> None:
    assert is_read(PurePosixPath(place))


@every_row("place", ["usr/share/locale/ja/app.mo", "package/package.json", "usr/bin/de", "doc/de/a.txt"])
def test_other_files_are_not(place: str) -> None:
    assert not is_read(PurePosixPath(place))


def test_a_translation_is_found_with_the_english_beside_it(tmp_path: Path) -> None:
    for name in (
        "a/locales/en.json",
        "a/locales/de.json",
        "a/alone/de.json",
        "b/help/C/app/index.page",
        "b/help/fr/app/index.page",
        "c/locale/it/LC_MESSAGES/c.po",
        "c/locale/it/LC_MESSAGES/c.mo",
        "c/locale/tr/LC_MESSAGES/c.po",
        "de/readme/x.mo",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = list(translations(tmp_path))
    assert {(each.language, each.path.relative_to(tmp_path).as_posix()) for each in found} == {
        ("de", "a/locales/de.json"),
        ("fr", "b/help/fr/app/index.page"),
        ("it", "c/locale/it/LC_MESSAGES/c.mo"),
        ("tr", "c/locale/tr/LC_MESSAGES/c.po"),
    }
    english = {each.path.name: each.english for each in found}
    assert english["index.page"] == tmp_path / "b/help/C/app/index.page"
    assert english["de.json"] == tmp_path / "a/locales/en.json"


def test_pairs_of_all_sources_are_written_once_by_language(tmp_path: Path) -> None:
    packages, suite = tmp_path / "packages", tmp_path / "descriptions" / "bookworm"
    for name, content in (
        ("shop/en.json", '{"add": "Add to cart", "again": "Add to cart"}'),
        ("shop/de.json", '{"add": "In den Warenkorb", "again": "In den Warenkorb"}'),
        ("broken/en.json", "{"),
        ("broken/de.json", "{"),
        ("paint/stamps/bicycle.txt", "A bicycle.\nde.utf8=Ein Fahrrad.\n"),
    ):
        path = packages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    suite.mkdir(parents=True)
    entry = "Package: tool\nDescription-md5: 1a\nDescription-{}: {}\n"
    (suite / "Translation-en.xz").write_bytes(lzma.compress(entry.format("en", "makes things").encode()))
    (suite / "Translation-de.bz2").write_bytes(bz2.compress(entry.format("de", "baut Dinge").encode()))
    folders = ["--packages", str(packages), "--descriptions", str(suite.parent), "--out", str(tmp_path / "pairs")]
    main(folders)
    assert (tmp_path / "pairs" / "de.tsv").read_text("utf-8") == (
        "Add to cart\tIn den Warenkorb\nA bicycle.\tEin Fahrrad.\nmakes things\tbaut Dinge\n"
    )
    assert (tmp_path / "pairs" / "fr.tsv").read_text("utf-8") == ""
