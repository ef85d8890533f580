"""The files of a widget as its build leaves them, with little in them."""

from pathlib import Path


def a_built_widget(folder: Path) -> Path:
    (folder / "words").mkdir(parents=True)
    (folder / "widget.js").write_text("var one = 1;\n")
    (folder / "widget.js.map").write_text("{}")
    for name in ("panel", "people", "page", "past", "proof", "confirm", "code", "search", "inline", "invite", "webmcp"):
        (folder / f"{name}.js").write_text("var one = 1;\n")
        (folder / f"{name}.js.map").write_text("{}")
    (folder / "docent-client.js").write_text("export {};\n")
    (folder / "docent-client.d.ts").write_text("export {};\n")
    (folder / "words" / "de.json").write_text('{"close":"Schließen"}', "utf-8")
    return folder
