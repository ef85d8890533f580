"""What the widget looks like and offers: an agent's theme, fallback, invitations and translations."""

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Final

from app.core.setting import at_most, between, required, setting

LAUNCHER_ICONS: Final = ("chat", "help", "spark", "picture")


class Group(StrEnum):
    """The parts of the console's form."""

    IDENTITY = "Identity"
    CONFIDENCE = "Confidence"
    PEOPLE = "When it does not know"
    WEBSITES = "Websites"
    APPEARANCE = "Appearance"
    SAFETY = "Safety and indexing"
    DATA = "Data and limits"


@dataclass(frozen=True, slots=True)
class Theme:
    """The widget's appearance. Colours are "#rrggbb"; None leaves the widget's own default. `picture` is a small WebP
    in base64, shown in the panel's header, and on the launcher if its icon is "picture"; `picture_alt` describes it, if
    that says more than the agent's name beside it."""

    primary_color: str | None = setting(
        None, label="Colour", meaning='A colour as "#rrggbb".', group=Group.APPEARANCE, most=7, is_colour=True
    )
    radius_px: int | None = setting(
        None,
        label="Rounding, in pixels",
        meaning="Of the panel's corners; null: the widget's own.",
        hint="Of the panel's corners. Leave blank for the widget's own.",
        group=Group.APPEARANCE,
        between=(0, 40),
    )
    position: str = setting(
        "right",
        label="Side",
        meaning="left or right.",
        hint="Where the launcher and the panel stand.",
        group=Group.APPEARANCE,
        words={"right": "Right", "left": "Left"},
    )
    launcher_icon: str = setting(
        "chat",
        label="Icon",
        meaning="chat, help, spark or picture.",
        hint="On the launcher, while the panel is closed.",
        group=Group.APPEARANCE,
        words={icon: icon.capitalize() for icon in LAUNCHER_ICONS},
    )
    launcher_label: str | None = setting(
        None,
        label="Label beside the icon",
        meaning='Words on the launcher, such as "Ask us"; null: the icon alone.',
        hint="Words on the launcher, such as Ask us. Leave blank for the icon alone.",
        group=Group.APPEARANCE,
        most=40,
    )
    picture: str | None = field(default=None, repr=False)
    picture_alt: str | None = setting(
        None,
        label="Picture description",
        meaning="What the picture shows, for those who cannot see it; null if it adds nothing to the name beside it.",
        hint="Alternative text for those who cannot see it. Leave blank if it adds nothing to the name beside it.",
        group=Group.APPEARANCE,
        most=120,
    )
    opens_itself: bool = setting(
        False,
        label="Open the panel on every page",
        meaning="Opens the panel on every page, without moving the focus to it. This setting is part of the script "
        "tag: paste the snippet again after a change.",
        group=Group.APPEARANCE,
    )
    opens_wide: bool = setting(
        False,
        label="Use a wide panel",
        meaning="Shows the panel wide until a visitor makes it narrow. Paste the snippet again after a change: until "
        "the panel is opened for the first time, only the script tag has this setting.",
        group=Group.APPEARANCE,
    )
    greeting: str | None = setting(
        None, label="Greeting", meaning="What the open panel begins with.", group=Group.APPEARANCE, most=500, rows=2
    )

    @property
    def picture_fingerprint(self) -> str | None:
        """Part of the picture's URL, which therefore changes with its bytes."""
        return None if self.picture is None else hashlib.sha256(self.picture.encode("ascii")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Fallback:
    """What a visitor is offered if the site had no clear answer: a link (https, mailto or tel), a form whose messages
    are stored as leads, or both. Without a `label`, or the `consent` that the form's writer gives, the widget uses its
    own words."""

    url: str | None = setting(
        None,
        label="Contact link",
        meaning="A URL that begins with https:, mailto: or tel:.",
        group=Group.PEOPLE,
        most=2048,
        placeholder="mailto:help@example.com",
    )
    label: str | None = setting(
        None,
        label="Link text",
        meaning="Null: the widget's own words.",
        hint="Leave blank for the widget's text.",
        group=Group.PEOPLE,
        most=60,
    )
    form: bool = setting(
        False,
        label="Let visitors leave a message",
        meaning="Lets visitors leave a message: see listLeads.",
        hint="Messages appear in Leads.",
        group=Group.PEOPLE,
    )
    consent: str | None = setting(
        None,
        label="Consent text",
        meaning="What visitors agree to when they leave a message; null: the widget's own words.",
        hint="Leave blank for the widget's text in the visitor's language.",
        group=Group.PEOPLE,
        most=500,
    )


@dataclass(frozen=True, slots=True)
class Invitation:
    """A short message that the closed widget shows by itself, once per visitor: on pages whose whole path and query
    match one of `pages`, where `*` is any run of characters (on every page without patterns), after that many seconds.
    A tap on it opens the panel and asks `question`, if there is one. Browsers remember by its `name` that it was shown.
    """

    name: Annotated[str, required(40), "Identifies the invitation, so that the browser shows it only once."]
    text: Annotated[str, required(160), "Plain text, never HTML."]
    question: Annotated[
        str | None, at_most(200), "The question that is asked when the visitor clicks the invitation."
    ] = None
    pages: Annotated[tuple[str, ...], at_most(20, each=500), "Patterns of path and query; empty: every page."] = ()
    after_seconds: Annotated[int, between(0, 600)] = 10


@dataclass(frozen=True, slots=True)
class InvitationText:
    """The invitation of that name in another language."""

    name: Annotated[str, required(40)]
    text: Annotated[str, required(160)]
    question: Annotated[str | None, at_most(200)] = None


@dataclass(frozen=True, slots=True)
class Translation:
    """The first texts for visitors in one language (a BCP 47 primary subtag); missing ones are as for all languages."""

    language: str
    greeting: str | None = None
    ai_notice: str | None = None
    starter_prompts: tuple[str, ...] = ()
    invitations: tuple[InvitationText, ...] = ()

    def of_invitation(self, given: Invitation) -> Invitation:
        translated = next((each for each in self.invitations if each.name == given.name), None)
        return (
            replace(given, text=translated.text, question=translated.question or given.question)
            if translated
            else given
        )
