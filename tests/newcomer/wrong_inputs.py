"""What newcomers get wrong, and what they are told: a row each.

Words in braces are filled in by the test: {site} is HOST:PORT of a website that answers, {dead} of none, {taken} a port
that is in use, {file} a file, {unwritable} a folder that nobody can write to.
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
    WrongInput("serv", 2, ("No such command 'serv'", "'serve'")),
    WrongInput("agent lst", 2, ("No such command 'lst'", "'list'")),
    WrongInput("crawl", 2, ("Missing argument",)),
    WrongInput("crawl http://{site}/ --max-pages 0", 2, ("--max-pages", "Send at least 1.")),
    WrongInput("crawl http://{site}/ --max-pages many", 2, ("--max-pages", "Send a whole number.")),
    WrongInput("crawl http://{site}/ --page --feed", 2, ("Choose one of --page, --sitemap and --feed",)),
    WrongInput("crawl ftp://example.com/", 2, ("url: ", "http and https")),
    WrongInput("crawl http://{dead}", 2, ("port", "add --allow {dead}")),
    WrongInput("crawl http://127.0.0.1/", 2, ("add --allow 127.0.0.1:80",)),
    WrongInput("crawl localhost:8799", 2, ("port 8799", "add --allow 127.0.0.1:8799")),
    WrongInput("crawl https://www.example.com:8701/", 2, ("port 8701", "in place of the name", "--allow")),
    WrongInput("crawl http://{site}/ --allow example.com", 2, ("'example.com' is not IP:PORT", "127.0.0.1:8123")),
    WrongInput("crawl http://{dead} --allow {dead}", 1, ("was not read", "nothing answers", "Correct the address")),
    WrongInput("crawl http://{site}/nowhere --allow {site}", 1, ("was not read", "404", "nothing was kept")),
    WrongInput("crawl nowhere.invalid", 1, ("was not read", "nowhere.invalid", "Correct the address")),
    WrongInput("source discover http://{dead}/", 2, ("port", "add --allow {dead}")),
    WrongInput("source discover http://{dead}/ --allow {dead}", 1, ("nothing answers",)),
    WrongInput("demo --site http://{dead}", 2, ("port", "add --allow {dead}")),
    WrongInput("demo --once --site http://{dead} --allow {dead}", 1, ("was not read", "nothing answers")),
    WrongInput("demo --once --site http://{site}/nowhere --allow {site}", 1, ("was not read", "404")),
    WrongInput("demo --site ftp://example.com", 2, ("http and https",)),
    WrongInput("ask hours", 2, ("No agent yet", "docent crawl URL")),
    WrongInput("serve --port {taken}", 2, ("DOCENT_PORT: port {taken} is in use", "--port")),
    WrongInput("serve --port 0 --host nowhere.invalid", 2, ("DOCENT_HOST: there is no address nowhere.invalid",)),
    WrongInput("serve --port 99999", 2, ("DOCENT_PORT: ", "65535")),
    WrongInput("eval nowhere", 2, ("nowhere is not an evaluation set",)),
    WrongInput("doctor --stream http://{dead}", 1, ("nothing answers", "https://docent.example.com")),
    _set("serve --port 0", holds=("is a file", "name a folder"), DATA="{file}"),
    _set("crawl http://{site}/ --allow {site}", holds=("is read-only", "name a folder"), DATA="{unwritable}"),
    _set(holds=("cannot be created", "name a folder"), DATA="{file}/below"),
    _set(holds=("write it as postgresql://user",), DATABASE_URL="nonsense"),
    _set(holds=("mysql", "write it as postgresql://user"), DATABASE_URL="mysql://docent@localhost/docent"),
    _set(holds=("docent secrets new-key",), SECRET_KEY="", DATABASE_URL="postgresql://docent@localhost/docent"),
    _set(holds=("start it",), DATABASE_URL="postgresql://docent:hidden@{dead}/docent", SECRET_KEY="{key}"),
    _set("work", holds=("write it as postgresql://user",), JOBS_URL="nonsense"),
    _set("work", holds=("start it",), JOBS_URL="postgresql://docent:hidden@{dead}/docent"),
    _set(holds=("docent secrets new-key",), SECRET_KEY="abc"),
    _set(holds=("there is no such setting", "Did you mean DOCENT_MODEL_URL?"), MODLE_URL="http://{dead}/v1"),
    _set(holds=("beside DOCENT_MODEL_URL",), MODEL_NAME="", MODEL_URL="http://{dead}/v1"),
    _set(holds=("http://", "https://"), MODEL_URL="api.openai.com/v1", MODEL_NAME="gpt-5-mini"),
    _set(holds=("http://", "https://"), EMBEDDINGS_URL="nonsense", EMBEDDINGS_MODEL="small"),
    _set(holds=("Choose one of", "'debug'"), LOG_LEVEL="loud"),
    _set(holds=("Send a whole number",), THREADS="two"),
    _set(holds=("Send at most 8000",), CHUNK_TOKENS="9000"),
    _set("serve --port 0", holds=("'nonsense'", "10.0.0.0/8"), TRUSTED_PROXIES="nonsense"),
    _set("serve --port 0", holds=("redis://host:6379/0",), REDIS_URL="localhost"),
    _set("crawl http://{site}/", holds=("Playwright", "docent[render]"), RENDER_BROWSER="/bin/true"),
    _set(holds=('no workspace "other"', "docent workspace list"), WORKSPACE="other"),
)

# Where there are the agents Helper and Handbook, which have read nothing.
WITH_AGENTS = (
    WrongInput("ask hours", 2, ("several agents", "--agent NAME", "Handbook")),
    WrongInput("ask hours --agent Hepler", 2, ("no agent 'Hepler'", "Did you mean Helper?")),
    WrongInput("ask hours --agent H", 2, ("Several agents match 'H'", "Handbook")),
    WrongInput("ask hours --agent Helper --since yesterday", 2, ("--since", "2026-01-31")),
    WrongInput("ask hours --agent Helper --attribute red", 2, ("--attribute", "NAME=VALUE")),
    WrongInput("source show Manual", 2, ("no source 'Manual'",)),
    WrongInput("source add-file nowhere.pdf --agent Helper", 2, ("nowhere.pdf", "does not exist")),
    WrongInput("agent set nam=Guide --agent Helper", 2, ("nam: ", "Did you mean name?")),
    WrongInput("agent set retrieval.rerank=always --agent Helper", 2, ("retrieval.rerank", "'vote'")),
    WrongInput("agent set name --agent Helper", 2, ("KEY=VALUE",)),
    WrongInput("agent allow www.example.com --agent Helper", 2, ("https://www.example.com",)),
    WrongInput("agent snippet --base docent.example --agent Helper", 2, ("base: ", "https://")),
    WrongInput("agent rollback Helper 7", 2, ("no such version",)),
    WrongInput("agent delete Helper", 2, ("--yes",)),
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


@dataclass(frozen=True, slots=True)
class WrongCall:
    """Of the API: what curl is given behind the token, and the status and message that come back."""

    typed: str
    status: int
    holds: tuple[str, ...]


# {agent} is an agent's id.
OF_THE_API = (
    WrongCall("/v1/agents -d {{}}", 422, ("name: This is required. Add it.",)),
    WrongCall("/v1/agents -d []", 422, ("Send a JSON object.",)),
    WrongCall("/v1/agents -d name=Helper", 400, ("not valid JSON",)),
    WrongCall("/v1/agents/Helper", 404, ("No such agent", "Check the id")),
    WrongCall("/v1/agents/{agent}/sources -d {{}}", 422, ("kind: This is required. Add it.",)),
    WrongCall("""/v1/agents/{agent}/sources -d '{{"kind": "site"}}'""", 422, ("url: ", "https://www.example.com")),
    WrongCall("""/v1/agents/{agent}/sources -d '{{"kind": "text"}}'""", 422, ("text: This cannot be empty.",)),
    WrongCall("""/v1/agents/{agent}/sources -d '{{"kind": "page"}}'""", 422, ("kind: Choose one of", "'url'")),
    WrongCall("""/v1/agents/{agent}/search -d '{{"query": "hours"}}'""", 422, ("question: This is required.",)),
    WrongCall("""/v1/widget/init -d '{{"agent_id": "Helper"}}'""", 422, ("agent_id: Send a UUID",)),
    WrongCall("/v1/agents/{agent}/gaps?limit=many", 422, ("limit: Send a whole number.",)),
    WrongCall("/v1/nowhere", 404, ("/openapi.json",)),
)
