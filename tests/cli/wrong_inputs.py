"""What newcomers get wrong, and what they are told: a row each.

Words in braces are filled in by the test: {site} is HOST:PORT of a website that answers, {dead} of none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class WrongInput:
    """`typed` behind `docent`, with these variables set: `code` is the exit code, and the message `holds` each text."""

    typed: str
    code: int
    holds: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return " ".join([*(f"{name}={value}" for name, value in self.environment.items()), self.typed])


def _set(typed: str = "agent list", /, code: int = 2, *, holds: tuple[str, ...], **variables: str) -> WrongInput:
    """A setting that cannot be used: it is named."""
    environment = {f"DOCENT_{name}": value for name, value in variables.items()}
    return WrongInput(typed, code, (f"{next(iter(environment))}: ", *holds), environment)


# In an empty folder.
WITH_NOTHING = (
    WrongInput("agent lst", 2, ("No such command 'lst'", "'list'")),
    WrongInput("crawl", 2, ("Missing argument",)),
    WrongInput("crawl http://{site}/ --max-pages 0", 2, ("--max-pages", "Send at least 1.")),
    WrongInput("crawl http://{site}/ --max-pages many", 2, ("--max-pages", "Send a whole number.")),
    WrongInput("crawl http://{site}/ --page --feed", 2, ("Choose one of --page, --sitemap and --feed",)),
    WrongInput("crawl ftp://example.com/", 2, ("url: ", "http and https")),
    WrongInput("crawl http://{dead}", 2, ("port", "add --allow {dead}")),
    WrongInput("crawl https://www.example.com:8701/", 2, ("port 8701", "in place of the name", "--allow")),
    WrongInput("crawl http://{site}/ --allow example.com", 2, ("'example.com' is not IP:PORT", "127.0.0.1:8123")),
    WrongInput("crawl http://{dead} --allow {dead}", 1, ("was not read", "nothing answers", "Correct the address")),
    WrongInput("crawl nowhere.invalid", 1, ("was not read", "nowhere.invalid", "Correct the address")),
    WrongInput("source discover http://{dead}/", 2, ("port", "add --allow {dead}")),
    WrongInput("source discover http://{dead}/ --allow {dead}", 1, ("nothing answers",)),
    WrongInput("serve --port 99999", 2, ("DOCENT_PORT: ", "65535")),
    WrongInput("eval nowhere", 2, ("nowhere is not an evaluation set",)),
    WrongInput("doctor --stream http://{dead}", 1, ("nothing answers", "https://docent.example.com")),
    _set(holds=("docent secrets new-key",), SECRET_KEY="", DATABASE_URL="postgresql://docent@localhost/docent"),
    _set("work", holds=("start it",), JOBS_URL="postgresql://docent:hidden@{dead}/docent"),
    _set(holds=("docent secrets new-key",), SECRET_KEY="abc"),
    _set(holds=("beside DOCENT_MODEL_URL",), MODEL_NAME="", MODEL_URL="http://{dead}/v1"),
    _set(holds=("Send at most 8000",), CHUNK_TOKENS="9000"),
    _set("serve --port 0", holds=("redis://host:6379/0",), REDIS_URL="localhost"),
    _set(holds=('no workspace "other"', "docent workspace list"), WORKSPACE="other"),
)

# Where there are the agents Helper and Handbook, which have read nothing.
WITH_AGENTS = (
    WrongInput("ask hours", 2, ("several agents", "--agent NAME", "Handbook")),
    WrongInput("ask hours --agent Helper --since yesterday", 2, ("--since", "2026-01-31")),
    WrongInput("ask hours --agent Helper --attribute red", 2, ("--attribute", "NAME=VALUE")),
    WrongInput("source show Manual", 2, ("no source 'Manual'",)),
    WrongInput("source add-file nowhere.pdf --agent Helper", 2, ("nowhere.pdf", "does not exist")),
    WrongInput("agent set retrieval.rerank=always --agent Helper", 2, ("retrieval.rerank", "'vote'")),
    WrongInput("agent allow www.example.com --agent Helper", 2, ("https://www.example.com",)),
    WrongInput("agent snippet --base docent.example --agent Helper", 2, ("base: ", "https://")),
    WrongInput("agent rollback Helper 7", 2, ("no such version",)),
    WrongInput("eval --agent Helper", 2, ("docent agent import-golden",)),
    WrongInput("token revoke none", 2, ("no token 'none'",)),
)

LIBRARY_WORDING = (
    "Traceback",
    "Value error",
    "Input should be",
    "Errno",
    "All connection attempts failed",
    "validation error",
    "sqlalchemy.exc",
    "hidden@",
)
