from app.knowledge.document import SectionHeading
from app.knowledge.page_sections import plain_heading, sections


def test_a_section_knows_the_headings_above_it() -> None:
    found = sections("# Guide\n\nIntro\n\n## Install\n\nRun it\n\n### Linux\n\napt\n\n## Use\n\nGo")

    assert [section.path for section in found] == [
        ("Guide",),
        ("Guide", "Install"),
        ("Guide", "Install", "Linux"),
        ("Guide", "Use"),
    ]
    assert [section.body for section in found] == ["Intro", "Run it", "apt", "Go"]


def test_text_before_the_first_heading_stands_under_none() -> None:
    first, second = sections("Hello\n\n# Title\n\nText")

    assert (first.path, first.heading_line, first.body) == ((), "", "Hello")
    assert second.path == ("Title",)


def test_a_hash_inside_fenced_code_is_no_heading() -> None:
    [section] = sections("# Build\n\n```sh\n# a comment\nmake\n```\n\n~~~\n## neither\n~~~")

    assert section.path == ("Build",)
    assert "# a comment" in section.body
    assert "## neither" in section.body


def test_a_shorter_fence_does_not_close_a_longer_one() -> None:
    [section] = sections("````md\n```\n# inside\n```\n````")

    assert section.path == ()


def test_anchors_follow_the_pages_order_where_headings_repeat() -> None:
    headings = (
        SectionHeading(2, "Setup", "setup"),
        SectionHeading(2, "Shown in the menu only", "menu"),
        SectionHeading(2, "Setup", "setup-1"),
    )

    found = sections("## Setup\n\na\n\n## Not listed\n\nb\n\n## **Setup**\n\nc", headings)

    assert [section.anchor for section in found] == ["setup", None, "setup-1"]


def test_a_headings_words_are_read_without_their_marks() -> None:
    assert plain_heading("The [`--force`](#force) *flag* ¶") == "The --force flag"
    assert plain_heading("snake_case_name") == "snake_case_name"
