"""The widget in websites that real builders made by the recipes, used in a browser on two of their pages."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.chat import Chat
from tests.e2e.real_docent import WARRANTY, RealDocent
from tests.recipes.packed_packages import packed_into
from tests.recipes.recipe_blocks import snippet
from tests.recipes.tools import VITEPRESS_PACKAGES, npm_project, python_programs, run
from tests.recipes.website import Website

INDEX = "# Harbour\n\nWelcome to the harbour.\n\n[To the crane](crane.md)\n"
CRANE = "# The crane\n\nThe harbour crane lifts 40 tonnes.\n"

pytestmark = pytest.mark.timeout(1800)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def visit(page: Page, site: Website, complaints: list[str], *, stays: bool) -> None:
    """A visitor asks, follows a link with the panel open, and asks about the page that it led to. With `stays` the
    builder changes pages by script, without the browser loading another."""
    chat = Chat.opened(page, f"{site.origin}/")
    chat.ask(WARRANTY)
    chat.finish()
    expect(chat.answer).to_contain_text("3 years")
    page.evaluate("window.isTheSame = true")
    page.get_by_role("link", name="To the crane").click()
    expect(page.get_by_role("heading", name="The crane")).to_be_visible()
    assert page.evaluate("window.isTheSame === true") is stays
    expect(page.locator("docent-widget")).to_have_count(1)
    expect(page.locator("docent-widget .panel")).to_be_visible()
    expect(chat.answer).to_contain_text("3 years")
    with page.expect_request("**/messages/stream") as asked:
        chat.ask("What does it lift?")
    question: dict[str, str] = asked.value.post_data_json or {}
    assert "crane" in question["page_url"]
    assert "The harbour crane lifts 40 tonnes." in question["page_context"]
    assert "Welcome to the harbour" not in question["page_context"]
    expect(chat.questions).to_have_count(2)
    chat.finish()
    assert complaints == []


def test_docusaurus(page: Page, site: Website, docent: RealDocent, complaints: list[str]) -> None:
    config = """
    import recipe from "./recipe.mjs";
    export default {
      title: "Harbour", url: "https://www.example.com", baseUrl: "/",
      presets: [["classic", { docs: { routeBasePath: "/", sidebarPath: false }, blog: false }]],
      ...recipe,
    };
    """
    with npm_project(
        "@docusaurus/core@3.10.2", "@docusaurus/preset-classic@3.10.2", "react@19.3.1", "react-dom@19.3.1"
    ) as project:
        write(
            project,
            {
                "package.json": '{"private": true}',
                "docusaurus.config.js": config,
                "recipe.mjs": snippet(docent, "Docusaurus"),
                "docs/index.md": f"---\nslug: /\n---\n{INDEX}",
                "docs/crane.md": CRANE,
            },
        )
        run(["../node_modules/.bin/docusaurus", "build", "--out-dir", str(site.folder)], project)
    visit(page, site, complaints, stays=True)


def test_vitepress(page: Page, site: Website, docent: RealDocent, complaints: list[str]) -> None:
    with npm_project(*VITEPRESS_PACKAGES) as project:
        write(
            project,
            {
                "package.json": '{"private": true, "type": "module"}',
                ".vitepress/config.mts": snippet(docent, "VitePress"),
                "index.md": INDEX,
                "crane.md": CRANE,
            },
        )
        run(["../node_modules/.bin/vitepress", "build", "--outDir", str(site.folder)], project)
    visit(page, site, complaints, stays=True)


@pytest.mark.parametrize(
    ("theme", "stays"),
    [
        pytest.param("name: mkdocs\n  highlightjs: false", False, id="its own theme"),
        pytest.param("name: material\n  font: false\n  features: [navigation.instant]", True, id="Material, instant"),
    ],
)
def test_mkdocs(
    page: Page, site: Website, docent: RealDocent, complaints: list[str], tmp_path: Path, theme: str, stays: bool
) -> None:
    project = tmp_path / "project"
    about = f"site_name: Harbour\nsite_url: {site.origin}\nsite_dir: {site.folder}\n"
    write(
        project,
        {
            "mkdocs.yml": f"{about}{snippet(docent, 'MkDocs')}  {theme}\n",
            "overrides/main.html": snippet(docent, "MkDocs", 1),
            "docs/index.md": INDEX,
            "docs/crane.md": CRANE,
        },
    )
    run([str(python_programs() / "mkdocs"), "build", "--quiet"], project)
    visit(page, site, complaints, stays=stays)


def test_sphinx(page: Page, site: Website, docent: RealDocent, complaints: list[str], tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(
        project,
        {
            "conf.py": snippet(docent, "Sphinx"),
            "index.rst": "Harbour\n=======\n\nWelcome to the harbour.\n\n:doc:`To the crane <crane>`\n\n"
            ".. toctree::\n   :hidden:\n\n   crane\n",
            "crane.rst": "The crane\n=========\n\nThe harbour crane lifts 40 tonnes.\n",
        },
    )
    shutil.rmtree(site.folder)
    run([str(python_programs() / "sphinx-build"), "--quiet", ".", str(site.folder)], project)
    visit(page, site, complaints, stays=False)


NEXT = ("next@16.4.6", "react@19.3.1", "react-dom@19.3.1")
NEXT_CONFIG = """
import { dirname } from "node:path";
export default { output: "export", trailingSlash: true, turbopack: { root: dirname(process.cwd()) } };
"""
NEXT_INDEX = """
import Link from "next/link";
export const metadata = { title: "Harbour" };
const link = <Link href="/crane/">To the crane</Link>;
export default () => <main><h1>Harbour</h1><p>Welcome to the harbour.</p>{link}</main>;
"""
NEXT_CRANE = """
export const metadata = { title: "The crane" };
export default () => <main><h1>The crane</h1><p>The harbour crane lifts 40 tonnes.</p></main>;
"""
NEXT_LAYOUT = """
import { Docent } from "./docent";
export default ({ children }) => <html lang="en"><body>{children}<Docent /></body></html>;
"""


@pytest.mark.parametrize("is_package", [False, True], ids=["the script", "the npm package"])
def test_next(page: Page, site: Website, docent: RealDocent, complaints: list[str], is_package: bool) -> None:
    with npm_project(*NEXT) as project:
        layout = {"app/layout.jsx": snippet(docent, "Next.js")}
        if is_package:
            layout = {"app/layout.jsx": NEXT_LAYOUT, "app/docent.jsx": snippet(docent, "Next.js", 1)}
            packed_into(project / "node_modules")
        write(
            project,
            {
                "package.json": '{"private": true}',
                "next.config.mjs": NEXT_CONFIG,
                "app/page.jsx": NEXT_INDEX,
                "app/crane/page.jsx": NEXT_CRANE,
                **layout,
            },
        )
        run(["../node_modules/.bin/next", "build"], project)
        shutil.rmtree(site.folder)
        shutil.copytree(project / "out", site.folder)
    visit(page, site, complaints, stays=True)
