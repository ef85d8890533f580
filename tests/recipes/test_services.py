"""The recipes for services that run elsewhere, in a page of the shape that their documentation gives."""

import re
import shutil
import subprocess
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.chat import Chat
from tests.e2e.real_docent import WARRANTY, RealDocent
from tests.recipes.recipe_blocks import snippet
from tests.recipes.tools import npm_project, run
from tests.recipes.website import Website

THEME = """<!doctype html>
<html class="no-js" lang="{{ request.locale.iso_code }}">
  <head>
    <meta charset="utf-8">
    <title>{{ page_title }}</title>
    {{ content_for_header }}
  </head>
  <body>
    <main id="MainContent">{{ content_for_layout }}</main>
RECIPE
  </body>
</html>
"""
DRAW = """
import { readFileSync, writeFileSync } from "node:fs";
import { Liquid } from "liquidjs";
const shop = {
  request: { locale: { iso_code: "en" } },
  page_title: "Lamps",
  content_for_header: "<meta name='shop' content='1'>",
  content_for_layout: "<h1>Lamps</h1>",
};
writeFileSync("page.html", await new Liquid().parseAndRender(readFileSync("theme.liquid", "utf8"), shop));
"""
WEBFLOW = """<!DOCTYPE html>
<html data-wf-page="1" data-wf-site="2" lang="en">
  <head><meta charset="utf-8"><title>Lamps</title><meta content="Webflow" name="generator"></head>
  <body class="body"><main><h1>Lamps</h1></main><script>document.documentElement.className += " w-mod-js";</script>
RECIPE
  </body>
</html>
"""
# What the plugin finds in WordPress: hooks, and wp_print_script_tag as its documentation describes it.
WORDPRESS = """
$hooks = [];
function add_action($hook, $callback) { global $hooks; $hooks[$hook][] = $callback; }
function esc_attr($text) { return htmlspecialchars($text, ENT_QUOTES); }
function wp_print_script_tag($attributes) {
    $said = '';
    foreach ($attributes as $name => $value) {
        if (is_bool($value)) { if ($value) $said .= ' ' . esc_attr($name); }
        else $said .= sprintf(' %1$s="%2$s"', esc_attr($name), esc_attr($value));
    }
    echo "<script$said></script>\\n";
}
require $argv[1];
echo '<!doctype html><html lang="en"><title>Lamps</title><body><main><h1>Lamps</h1></main>';
foreach ($hooks['wp_footer'] as $callback) $callback();
echo '</body></html>';
"""


def visit(page: Page, site: Website, complaints: list[str]) -> None:
    chat = Chat.opened(page, f"{site.origin}/")
    chat.ask(WARRANTY)
    chat.finish()
    expect(chat.answer).to_contain_text("3 years")
    assert complaints == []


def test_a_shopify_theme(page: Page, site: Website, docent: RealDocent, complaints: list[str]) -> None:
    with npm_project("liquidjs@10.30.1") as project:
        (project / "theme.liquid").write_text(THEME.replace("RECIPE", snippet(docent, "Shopify")))
        (project / "draw.mjs").write_text(DRAW)
        run(["node", "draw.mjs"], project)
        site.write((project / "page.html").read_text("utf-8"))
    visit(page, site, complaints)


def test_webflow_s_footer_code(page: Page, site: Website, docent: RealDocent, complaints: list[str]) -> None:
    site.write(WEBFLOW.replace("RECIPE", snippet(docent, "Webflow")))
    visit(page, site, complaints)


def test_a_wordpress_plugin(
    page: Page, site: Website, docent: RealDocent, complaints: list[str], tmp_path: Path
) -> None:
    """By PHP and doubles of the functions of WordPress that it calls."""
    php = shutil.which("php")
    assert php, "php is not installed: apt install php-cli"
    (tmp_path / "docent.php").write_text(snippet(docent, "WordPress"))
    command = [php, "-d", "display_errors=stderr", "-r", WORDPRESS, "--", str(tmp_path / "docent.php")]
    drawn = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert (drawn.returncode, drawn.stderr) == (0, "")
    assert re.search(r"<script async src=", drawn.stdout)
    site.write(drawn.stdout)
    visit(page, site, complaints)
