"""What the widget's tag may say can be said in each of its forms: tag, call, npm packages, custom element."""

import re
from collections.abc import Callable

import pytest

from tests.docs.fenced_blocks import ROOT
from tests.every_row import every_row

PACKAGES = ROOT / "widget/packages"
OF_THE_TAG_ALONE = {"agent", "locale", "open"}  # they stand for good
OF_PACKAGES_ALONE = {
    "base",
    "nonce",
    "mode",
    "invitations",
}  # the tag has them as its `src`, its own attribute, the attribute of inline.js and the tag of invite.js
OF_AN_INTERFACE = {"user", "into"}


def camel(name: str) -> str:
    return re.sub("-(.)", lambda found: found[1].upper(), name)


def names_in(path: str, block: str, name: str = r"^  (\w+)\??:") -> set[str]:
    found = re.search(block, (ROOT / path).read_text("utf-8"), re.DOTALL)
    assert found, path
    return set(re.findall(name, found[1], re.MULTILINE))


def of_the_tag() -> set[str]:
    return {
        camel(name) for name in names_in("docs/widget.md", r"\n## Attributes\n(.*?)\n\n[^|\n]", r"^\| `data-([\w-]+)`")
    }


def of_the_client() -> set[str]:
    return names_in("widget/packages/client/src/mount.ts", r"interface WidgetOptions \{(.*?)\n\}") - OF_AN_INTERFACE


def of_react() -> set[str]:
    path = "widget/packages/react/src/index.ts"
    taken = names_in(path, r"const \{ ([^}]*) \} = props;", r"\w+") - {"user"}
    assert taken == names_in(path, r"\}, \[(base,[^\]]*), into\]\);", r"\w+"), "a change of each mounts it anew"
    passed = names_in(path, r"const looks = \{ ([^}]*) \};", r"\w+")
    assert taken == passed | {"base", "agent"}
    return taken


def of_vue() -> set[str]:
    path = "widget/packages/vue/src/index.ts"
    alone = names_in(path, r'name: "DocentWidget",\n  props: \{ \.\.\.LOOKS, \.\.\.USER, ([^\n]*)', r"^(\w+):")
    return names_in(path, r"const LOOKS = \{(.*?)\n\}") | alone | {"mode"}


def of_the_element() -> set[str]:
    path = "widget/packages/client/src/element.ts"
    heeded = {camel(name) for name in names_in(path, r"const ATTRIBUTES = \[([^\]]*)\]", r"[\w-]+")}
    assert heeded == names_in(path, r"mountWidget\(\{(.*?)\n      \}\);", r"^        (\w+):")
    return heeded | {"nonce", "mode"}  # it stands on top of the page, and its script was let in by somebody else


@every_row("names", [of_the_client, of_react, of_vue, of_the_element])
def test_packages_and_element_take_what_the_tag_takes(names: Callable[[], set[str]]) -> None:
    assert names() - OF_PACKAGES_ALONE == of_the_tag()
    assert "invitations" in names()


def test_a_page_may_change_all_that_does_not_stand_for_good() -> None:
    changed = names_in("widget/src/docent.ts", r"interface DocentLooks \{(.*?)\n\}")
    of_the_visitor = {"attributes", "signedAttributes", "attributesHash"}
    assert changed - of_the_visitor == of_the_tag() - OF_THE_TAG_ALONE


@pytest.mark.parametrize("package", ["react", "vue"])
def test_what_a_package_takes_is_told_in_its_readme(package: str) -> None:
    told = (PACKAGES / package / "README.md").read_text("utf-8")
    assert {camel(name) for name in re.findall(r"`([\w-]+)`", told)} >= of_the_tag() - {"agent"}
