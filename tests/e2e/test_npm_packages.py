"""The npm packages as a website takes them: packed, installed in a bare project, rendered on a server, and used in a
browser against the real processes."""

import json
import os
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.docs.fenced_blocks import ROOT
from tests.e2e.conftest import Site
from tests.e2e.real_docent import WARRANTY, RealDocent

WIDGET = ROOT / "widget"
TOOLS = WIDGET / "node_modules" / ".bin"
NAMES = ("client", "react", "vue")
GUIDE = (ROOT / "docs/how-to/npm.md").read_text("utf-8")
TYPESCRIPT = [
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--jsx",
    "react-jsx",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "--target",
    "es2022",
    "--lib",
    "es2022,dom,dom.iterable",
    "--types",
    "react",
]
TYPED = """
import { DocentWidget, useDocentChat, type Turn } from "@docent/react";
import { Chat, Failure, mountWidget } from "@docent/client";
import { useDocentChat as useInVue } from "@docent/vue";

export function Help(): React.JSX.Element {
  const { turns, ask, connection } = useDocentChat({ base: "https://chat.example.com", agent: "a" });
  const last: Turn | undefined = turns.at(-1);
  const id: string | null = ask("Why?");
  const widget = <DocentWidget base="x" agent="a" onAnswer={({ text }) => text.length} />;
  return <p title={connection + id}>{last?.answer}{widget}</p>;
}
export const chat = new Chat({ base: "https://chat.example.com", agent: "a" });
export const turns = (): readonly Turn[] => useInVue({ base: "", agent: "a" }).state.value.turns;
mountWidget({ base: "", agent: "a", position: "left" }).on("feedback", ({ rating }) => rating === "up");
export const isFailure = (error: unknown): boolean => error instanceof Failure;
// @ts-expect-error an agent is needed
mountWidget({ base: "" });
"""
IN_A_PAGE = """
import "./docent-client.js";

const docent = window.Docent;
if (docent && !Array.isArray(docent)) {
  docent.open();
  docent.ask("How do returns work?");
  docent.on("answer", ({ text, citations }) => text.length + citations.length);
  const stop: () => void = docent.on("unread", ({ count }) => count + 1);
  stop();
  const agents: string[] = Object.keys(docent.agents);
  docent.element.dataset.agents = agents.join();
  // @ts-expect-error there is no such call
  docent.shout();
}
// As the page's snippet queues them before the script is there.
(window.Docent ??= []).push(["ask", "Why?"]);
// @ts-expect-error there is no such call
(window.Docent ??= []).push(["shout"]);
"""
SERVER = """
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { createSSRApp, h } from "vue";
import { renderToString as renderVue } from "vue/server-renderer";
import "@docent/client/element";
import { Chat } from "@docent/client";
import * as forReact from "@docent/react";
import * as forVue from "@docent/vue";

const agent = { base: "https://chat.example.com", agent: "a" };
const Turns = () => createElement("p", null, forReact.useDocentChat(agent).turns.length);
const setup = () => {
  const { state } = forVue.useDocentChat(agent);
  return () => h("p", state.value.turns.length);
};
console.log(JSON.stringify([
  new Chat(agent).state.connection,
  renderToString(createElement(forReact.DocentWidget, agent)),
  renderToString(createElement(Turns)),
  await renderVue(createSSRApp(forVue.DocentWidget, agent)),
  await renderVue(createSSRApp({ setup })),
]));
"""


def run(command: list[str], folder: Path, typed: str = "") -> str:
    ended = subprocess.run(command, cwd=folder, input=typed, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By its name, each package as `npm publish` would send it."""
    run(["node", "packages.mjs"], WIDGET)
    into = tmp_path_factory.mktemp("packed")
    for name in NAMES:
        run(["npm", "pack", "--silent", "--pack-destination", str(into)], WIDGET / "packages" / name)
    return {name: next(into.glob(f"docent-{name}-*.tgz")) for name in NAMES}


@pytest.fixture(scope="session")
def project(packed: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare project that has these packages and what they stand beside."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{"type": "module"}')
    modules = folder / "node_modules"
    for name, file in packed.items():
        with tarfile.open(file) as archive:
            archive.extractall(folder / "packed" / name, filter="data")
        (modules / "@docent").mkdir(parents=True, exist_ok=True)
        (folder / "packed" / name / "package").rename(modules / "@docent" / name)
    for each in (WIDGET / "node_modules").iterdir():
        if not each.name.startswith("."):
            os.symlink(each, modules / each.name)
    return folder


def test_a_package_holds_its_module_its_types_and_nothing_else(packed: dict[str, Path]) -> None:
    for name, file in packed.items():
        with tarfile.open(file) as archive:
            names = {member.name.removeprefix("package/") for member in archive.getmembers()}
            about = json.load(archive.extractfile("package/package.json") or pytest.fail(name))
        assert {"LICENSE", "README.md", "package.json", "dist/index.js"} <= names
        strays = {
            each
            for each in names
            if not re.fullmatch(r"LICENSE|README\.md|package\.json|dist/[\w./]+\.(js|d\.ts)", each)
        }
        assert strays == set()
        assert not any(".test." in each for each in names)
        exported = json.dumps(about["exports"])
        assert all(path in names for path in re.findall(r'"\./(dist/[^"]+)"', exported)), exported
        assert about["publishConfig"] == {"access": "public", "provenance": True}
        assert "scripts" not in about, "nothing runs where it is installed"
        assert set(about.get("dependencies", {})) <= {"@docent/client"}


def test_versions_are_those_of_docent(packed: dict[str, Path]) -> None:
    version = re.search(r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version
    assert {file.name for file in packed.values()} == {f"docent-{name}-{version[1]}.tgz" for name in NAMES}


def test_a_strict_typescript_project_compiles(project: Path) -> None:
    (project / "help.tsx").write_text(TYPED)
    run([f"{TOOLS}/tsc", *TYPESCRIPT, "help.tsx"], project)


def test_a_page_s_own_script_finds_the_types_of_its_widget(tmp_path: Path) -> None:
    types = (WIDGET / "dist" / "docent-client.d.ts").read_text("utf-8")
    (tmp_path / "docent-client.d.ts").write_text(types, "utf-8")
    (tmp_path / "page.ts").write_text(IN_A_PAGE)
    alone = [word for word in TYPESCRIPT if word not in {"--types", "react"}]
    run([f"{TOOLS}/tsc", *alone, "page.ts"], tmp_path)


def test_a_server_renders_pages_with_them(project: Path) -> None:
    (project / "server.mjs").write_text(SERVER)
    connection, *drawn = json.loads(run(["node", "server.mjs"], project))
    assert connection == "none"
    assert drawn == ["", "<p>0</p>", "<!---->", "<p>0</p>"]


def example(language: str, docent: RealDocent, about: str = "") -> str:
    """The first one of the guide that names what it is `about`."""
    fences = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    found: str = next(each for each in fences if about in each)
    return found.replace("https://chat.example.com", docent.base).replace("AGENT_ID", docent.agent_id)


def bundled(project: Path, entry: str) -> str:
    (project / "main.jsx").write_text(entry)
    define = ["--define:process.env.NODE_ENV='\"development\"'", "--jsx=automatic", "--jsx-dev"]
    run(
        [f"{WIDGET}/node_modules/.bin/esbuild", "main.jsx", "--bundle", "--format=iife", *define, "--outfile=main.js"],
        project,
    )
    return (project / "main.js").read_text("utf-8").replace("</script", "<\\/script")


def visit(page: Page, docent: RealDocent, script: str) -> None:
    docent.host.write(f'<div id="root"></div><script>{script}</script>')
    page.goto(f"{docent.host.origin}/")


def ask(page: Page) -> None:
    page.get_by_label("Question", exact=True).fill(WARRANTY)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("article")).to_contain_text("3 years")


def test_react_draws_a_conversation_and_carries_the_widget(page: Page, docent: RealDocent, project: Path) -> None:
    """In strict mode, where every effect runs twice."""
    (project / "help.jsx").write_text(example("jsx", docent))
    entry = """
    import { StrictMode, useState } from "react";
    import { createRoot } from "react-dom/client";
    import { Help, Layout } from "./help.jsx";
    function App() {
      const [isShown, show] = useState(true);
      const page = isShown ? <Layout><Help /></Layout> : <Help />;
      return <StrictMode><button onClick={() => show(!isShown)}>Toggle</button>{page}</StrictMode>;
    }
    createRoot(document.getElementById("root")).render(<App />);
    """
    visit(page, docent, bundled(project, entry))
    widget = page.locator("docent-widget")
    expect(widget).to_have_count(1)
    ask(page)
    page.get_by_role("button", name="Helpful").click()
    expect(page.get_by_role("button", name="Helpful")).to_have_count(0)
    page.get_by_role("button", name="Toggle").click()
    expect(widget).to_have_count(0)
    page.get_by_role("button", name="Toggle").click()
    expect(widget).to_have_count(1)
    expect(page.get_by_role("article"), "it goes on with what was said before").to_contain_text("3 years")


HOOK = """
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Help } from "./help.jsx";
createRoot(document.getElementById("root")).render(<Help />);
"""


def test_a_hook_proves_work_by_itself_in_a_worker(page: Page, wary: RealDocent, project: Path) -> None:
    (project / "help.jsx").write_text(example("jsx", wary))
    visit(page, wary, bundled(project, HOOK))
    with page.expect_worker():
        ask(page)
    expect(page.get_by_role("article")).to_have_count(1)


def test_a_program_proves_work_by_itself(wary: RealDocent, project: Path) -> None:
    """Under Node, which has no worker of a page's kind, and whose requests name no website by themselves."""
    script = example("js", wary, "asWebsite").replace("https://www.example.com", wary.host.origin)
    (project / "program.mjs").write_text(script)
    assert "3 years" in run(["node", "program.mjs"], project)


def test_an_interface_around_a_client_of_its_own_proves_work(page: Page, wary: RealDocent, project: Path) -> None:
    visit(page, wary, bundled(project, example("js", wary, "proveTo")))
    expect(page.locator("#root")).to_contain_text("3 years")


def test_vue_draws_a_conversation_and_carries_the_widget(page: Page, docent: RealDocent, project: Path) -> None:
    (project / "Help.vue").write_text(example("vue", docent))
    compiler = """
    import { readFileSync, writeFileSync } from "node:fs";
    import { compileScript, parse } from "vue/compiler-sfc";
    const { descriptor } = parse(readFileSync("Help.vue", "utf8"));
    writeFileSync("help_vue.js", compileScript(descriptor, { id: "help", inlineTemplate: true }).content);
    """
    (project / "compile.mjs").write_text(compiler)
    run(["node", "compile.mjs"], project)
    entry = 'import { createApp } from "vue"; import Help from "./help_vue.js"; createApp(Help).mount("#root");'
    visit(page, docent, bundled(project, entry))
    widget = page.locator("docent-widget")
    expect(widget).to_have_count(1)
    ask(page)
    toggle = page.get_by_role("button", name="Show or hide the widget")
    toggle.click()
    expect(widget).to_have_count(0)
    toggle.click()
    expect(widget).to_have_count(1)


def test_the_element_carries_the_widget_and_tells_what_it_says(page: Page, docent: RealDocent, project: Path) -> None:
    entry = example("js", docent) + 'chat.addEventListener("docent:open", () => document.body.append("It is open."));'
    visit(page, docent, bundled(project, entry))
    launcher = page.locator("docent-widget").get_by_role("button").first
    launcher.click()
    expect(page.get_by_text("It is open.")).to_be_visible()
    page.evaluate("document.querySelector('docent-chat').setAttribute('color', '#aa0000')")
    expect(page.locator("docent-widget")).to_have_count(1)
    page.evaluate("document.querySelector('docent-chat').remove()")
    expect(page.locator("docent-widget")).to_have_count(0)


REACT_PANEL = """
import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { DocentPanel } from "@docent/react";
const panel = createElement(DocentPanel, { base: "BASE", agent: "AGENT", style: { height: 600 } });
createRoot(document.getElementById("root")).render(createElement(StrictMode, null, panel));
"""
VUE_PANEL = """
import { createApp, h } from "vue";
import { DocentPanel } from "@docent/vue";
createApp({ render: () => h(DocentPanel, { base: "BASE", agent: "AGENT", style: "height: 600px" }) }).mount("#root");
"""


@pytest.mark.parametrize("entry", [REACT_PANEL, VUE_PANEL], ids=["react", "vue"])
def test_the_conversation_fills_an_element(page: Page, docent: RealDocent, project: Path, entry: str) -> None:
    visit(page, docent, bundled(project, entry.replace("BASE", docent.base).replace("AGENT", docent.agent_id)))
    panel = page.locator("#root docent-widget").get_by_role("region")
    expect(panel).to_be_visible()
    box = panel.bounding_box()
    assert box
    assert box["height"] == 600
    page.get_by_role("textbox", name="Ask a question").fill(WARRANTY)
    page.get_by_role("textbox", name="Ask a question").press("Enter")
    expect(page.locator("docent-widget .answer")).to_contain_text("3 years")
    expect(page.locator("docent-widget")).to_have_count(1)


INVITING = {
    "client": """
        import { mountWidget } from "@docent/client";
        mountWidget({ base: "BASE", agent: "a1", invitations: SAID });
    """,
    "element": """
        import "@docent/client/element";
        document.body.innerHTML = '<docent-chat base="BASE" agent="a1"></docent-chat>';
        document.body.firstChild.toggleAttribute("invitations", SAID);
    """,
    "react": """
        import { createElement } from "react";
        import { createRoot } from "react-dom/client";
        import { DocentWidget } from "@docent/react";
        const widget = createElement(DocentWidget, { base: "BASE", agent: "a1", invitations: SAID });
        createRoot(document.getElementById("root")).render(widget);
    """,
    "vue": """
        import { createApp, h } from "vue";
        import { DocentWidget } from "@docent/vue";
        const widget = { render: () => h(DocentWidget, { base: "BASE", agent: "a1", invitations: SAID }) };
        createApp(widget).mount("#root");
    """,
}


def test_the_widget_comes_to_a_page_that_is_still_being_read(page: Page, site: Site, project: Path) -> None:
    """Its tag's script waits for the page's end, and has loaded before."""
    mount = f"mountWidget({{ base: '{site.api_origin}', agent: 'a1' }}).open();"
    script = bundled(project, f"import {{ mountWidget }} from '@docent/client'; {mount}")
    listens = "document.addEventListener('load', ({ target }) => (window.loaded = target.dataset.agent), true);"
    scripts = f'<script>{listens}{script}</script><script src="/held.js"></script>'
    site.api.pages[""] = f"<!doctype html><html lang=en><body>{scripts}</body></html>"

    def end_the_page(route: Route) -> None:
        page.wait_for_function("window.loaded")
        route.fulfill(body="")

    page.route("**/held.js", end_the_page)
    page.goto(site.origin)
    expect(page.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize("entry", INVITING.values(), ids=INVITING)
def test_invitations_come_with_the_widget_where_a_website_asks_for_them(
    page: Page, site: Site, project: Path, entry: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(site.api_origin)))
    of_one: dict[str, Any] = {
        "name": "returns",
        "text": "About returns?",
        "question": None,
        "pages": [],
        "after_seconds": 0,
    }
    site.api.invitations["en"] = [of_one]

    def open_page(said: str) -> None:
        script = bundled(project, entry.replace("BASE", site.api_origin).replace("SAID", said))
        site.api.pages[""] = (
            f'<!doctype html><html lang=en><body><div id="root"></div><script>{script}</script></body></html>'
        )
        page.goto(site.origin)
        page.locator("docent-widget .launcher").wait_for()

    open_page("false")
    page.wait_for_load_state("networkidle")
    assert "/widget/invite.js" not in asked
    open_page("true")
    expect(page.locator("docent-widget .invite")).to_contain_text("About returns?")
    assert "/widget/invite.js" in asked
