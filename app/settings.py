"""The environment, read once. Every setting is a variable `DOCENT_<NAME>`; `docent doctor --json` prints them."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit, urlunsplit

import re2
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import NoDecode, SettingsConfigDict

from app.core.setting_values import (
    USER_AGENT,
    Endpoint,
    checked_hosts,
    checked_jobs_url,
    checked_public_url,
    checked_user_agent,
    comma_separated,
    endpoint,
    is_http,
    mistyped,
    named_values,
)
from app.kit.token_client import token_client
from app.mail.mail import sender_of, smtp_server
from app.model_settings import ModelSettings
from app.serving_settings import ServingSettings
from app.store.secret_keys import read_key
from app.web.validation_messages import messages_by_field

PREFIX = "DOCENT_"
SQLITE_FILE = "docent.sqlite"
# In a URL: between user and host, whatever it holds, and as a parameter.
_PASSWORD = re2.compile(r"(://[^/@:\s]*:)\S*(@)")
_PARAMETER = re2.compile(r"(?i)([?&;][^=&;\s]*(?:pass|pwd|key|secret|token)[^=&;\s]*=)[^&;\s]+")


class BadSettings(Exception):
    """The environment holds a value that cannot be used; the message names the variable and the fix."""


class Settings(ModelSettings, ServingSettings):
    """Defaults run everything embedded: no key, no server, no download."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore")

    data: Path = Field(Path("data"), description="Folder that everything is stored in.")
    database_url: str = Field("", description="System of record; default: SQLite in the data folder.")
    database_role: str = Field("", description="Postgres role that row-level security applies to; default: none.")
    secret_key: SecretStr = Field(
        SecretStr(""),
        description="Seals secrets in the system of record (`docent secrets new-key`); older keys after a comma. "
        "Default: made once, `secret.key` in the data folder. Needed with Postgres.",
    )
    workspace: str = Field("", description="Name of the workspace that commands use; default: the first one.")
    jobs_url: Annotated[str, AfterValidator(checked_jobs_url)] = Field(
        "", description="Job queue; default: SQLite in the data folder, or the Postgres above."
    )
    vectors_uri: str = Field("", description="LanceDB folder or s3:// URI; default: in the data folder.")
    vectors_options: SecretStr = Field(
        SecretStr(""),
        description="Options of the object store, NAME=VALUE, comma separated, such as region=eu-north-1. "
        "Default: those of the environment (AWS_REGION and the like).",
    )
    files_uri: str = Field("", description="s3:// folder for the files that are uploaded; default: in the database.")
    files_options: SecretStr = Field(SecretStr(""), description="Options of its store; default: those of the vectors.")
    vectors_memory_mib: int = Field(192, ge=0, description="Memory for the vectors of agents in use, in MiB.")
    keywords: Literal["shared", "own"] = Field(
        "shared",
        description="Who fills the keyword index in the data folder: shared: a worker on the same folder; own: each "
        "process from the system of record, where several machines have a data folder each.",
    )
    redis_url: SecretStr = Field(SecretStr(""), description="Cache, limits and turns shared by several web processes.")

    max_turns: int = Field(200, ge=1, description="Turns that one web process answers at the same time.")
    max_searches: int = Field(30, ge=1, description="Of those, how many may search at the same time.")
    embedder_queue: int = Field(64, ge=1, description="Questions that may wait for the embedder; beyond it: 503.")
    model_calls: int = Field(0, ge=0, description="Concurrent calls to chat endpoints; 0: as many as turns.")
    model_queue: int = Field(50, ge=0, description="Answers that may wait for such a call; beyond it: 503.")
    shutdown_seconds: float = Field(20, ge=0, le=600, description="Time that running turns get to finish on SIGTERM.")

    embeddings_url: str = Field("", description="OpenAI-compatible embeddings endpoint; empty: the shipped model.")
    embeddings_model: str = Field("", description="Its model.")
    embeddings_key: SecretStr = Field(SecretStr(""), description="Its key.")
    embeddings_dimensions: int = Field(1536, ge=8, le=8192, description="Length of its vectors.")
    embeddings_shorten: bool = Field(False, description="Request vectors of that length, if supported.")
    embeddings_wire: Literal["base64", "float"] = Field(
        "base64", description="Encoding of vectors: base64 is a quarter of the size; some servers only support float."
    )
    embeddings_max_tokens: int = Field(8191, ge=64, le=1_000_000, description="Longest text that its model reads.")

    chunk_tokens: int | None = Field(
        None,
        ge=40,
        le=8000,
        description="Longest chunk, in the embedder's tokens; it reads 48 more. None: 200, or less for an embedder "
        "that reads less.",
    )

    rerank_url: str = Field("", description="Hosted reranker; empty: the shipped model.")
    rerank_model: str = Field("", description="Its model, if the service needs a name.")
    rerank_key: SecretStr = Field(SecretStr(""), description="Its key.")
    rerank_shape: Literal["cohere", "tei", "workers-ai"] = Field("cohere", description="API of the reranker.")
    rerank_scores: Literal["probability", "logit"] = Field(
        "probability", description="What it returns: probabilities from 0 to 1, or logits."
    )
    rerank_folder: str = Field(
        "",
        description="Folder with another ONNX cross-encoder, laid out like the shipped one; empty: the shipped model.",
    )

    threads: int = Field(2, ge=1, le=64, description="Threads for the shipped models.")
    crawl_allow: Annotated[tuple[Endpoint, ...], NoDecode] = Field(
        (), description="Private endpoints that the crawler may read, IP:PORT, comma separated. For testing only."
    )
    crawl_delay_seconds: float = Field(0.5, ge=0, le=60, description="Pause between two requests to one website.")
    crawl_user_agent: Annotated[str, AfterValidator(checked_user_agent)] = Field(
        USER_AGENT,
        description="User agent of the crawler. Its name up to the slash is matched in robots.txt.",
    )
    render_browser: str = Field(
        "", description="Path of a Chromium that renders pages that need JavaScript; empty: they are skipped."
    )
    action_hosts: Annotated[
        tuple[str, ...], NoDecode, BeforeValidator(comma_separated), AfterValidator(checked_hosts)
    ] = Field(
        (), description="Hosts that agents' actions may call, comma separated; *.example.com: all below. Empty: off."
    )
    public_url: Annotated[str, AfterValidator(checked_public_url)] = Field(
        "",
        description="Public address of Docent, such as https://docent.example.com, for links in mail.",
    )
    smtp_url: SecretStr = Field(
        SecretStr(""),
        description="Mail server: smtps://user:password@host, or smtp:// with STARTTLS (`?tls=off`: plain, for one on "
        "this machine). Empty: no mail.",
    )
    smtp_oauth: SecretStr = Field(
        SecretStr(""),
        description="Token endpoint with the client in its query, to sign in at the mail server by OAuth instead of "
        "with a password: https://HOST/PATH?client_id=...&client_secret=...&refresh_token=...&scope=...",
    )
    mail_from: str = Field("", description="Sender of mail, such as Docent <docent@example.com>; required with SMTP.")
    max_file_mib: int = Field(20, ge=1, le=200, description="Largest file that may be uploaded, in MiB.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info",
        description="Log level. Unless set, commands other than serve and work log only warnings.",
    )
    trace_days: int = Field(
        30, ge=0, description="Days for which a turn's search trace is stored; 0: as long as the turn."
    )
    trace_texts: bool = Field(False, description="Include questions, answers and prompts in OpenTelemetry traces.")
    log_format: Literal["text", "json"] = Field("text", description="Format of log lines: for people or machines.")

    @field_validator("model_url", "fallback_model_url", "helper_model_url", "embeddings_url", "rerank_url")
    @classmethod
    def _is_an_endpoint(cls, value: str) -> str:
        if value and not is_http(value):
            raise ValueError("begin the address with http:// or https://, such as https://api.openai.com/v1")
        return value

    @field_validator("smtp_url", mode="after")
    @classmethod
    def _mail_server_can_be_read(cls, value: SecretStr) -> SecretStr:
        smtp_server(value.get_secret_value())
        return value

    @field_validator("smtp_oauth", mode="after")
    @classmethod
    def _token_client_can_be_read(cls, value: SecretStr) -> SecretStr:
        token_client(value.get_secret_value())
        return value

    @field_validator("mail_from", mode="after")
    @classmethod
    def _is_a_sender(cls, value: str) -> str:
        return str(sender_of(value)) if value else ""

    @field_validator("crawl_allow", mode="before")
    @classmethod
    def _endpoints(cls, value: Any) -> Any:
        return tuple(map(endpoint, comma_separated(value))) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _models_have_names(self) -> "Settings":
        for part in ("model", "fallback_model", "helper_model"):
            url, name = f"{part}_url", f"{part}_name"
            if bool(getattr(self, url)) != bool(getattr(self, name)):
                given, missing = (url, name) if getattr(self, url) else (name, url)
                raise ValueError(f"{_variable(missing)}: set it beside {_variable(given)}, or neither of the two")
        if self.models and not self.model_url:
            raise ValueError(f"{_variable('model_url')}: set it beside {_variable('models')}, for all other agents")
        if self.embeddings_url and not self.embeddings_model:
            raise ValueError(f"{_variable('embeddings_model')}: set it beside {_variable('embeddings_url')}")
        return self

    @model_validator(mode="after")
    def _mail_is_whole(self) -> "Settings":
        if self.smtp_url.get_secret_value():
            for name in ("mail_from", "public_url"):
                if not getattr(self, name):
                    raise ValueError(f"{_variable(name)}: set it beside {_variable('smtp_url')}")
        server = smtp_server(self.smtp_url.get_secret_value())
        if self.smtp_oauth.get_secret_value() and (not server or not server.user or server.password or server.is_plain):
            raise ValueError(
                f"{_variable('smtp_oauth')}: needs TLS and a user without a password in {_variable('smtp_url')}"
            )
        return self

    @model_validator(mode="after")
    def _database_goes_with_the_rest(self) -> "Settings":
        is_postgres = self.database_url.startswith("postgresql")
        if self.database_role and not is_postgres:
            raise ValueError(f"{_variable('database_role')}: SQLite has no roles; set {_variable('database_url')}")
        if is_postgres and not self.secret_keys:
            raise ValueError(f"{_variable('secret_key')}: `docent secrets new-key` creates one, needed with Postgres")
        return self

    @field_validator("secret_key", mode="after")
    @classmethod
    def _keys_can_be_read(cls, value: SecretStr) -> SecretStr:
        _secret_keys(value)
        return value

    @field_validator("render_browser", mode="after")
    @classmethod
    def _browser_can_be_driven(cls, value: str) -> str:
        if value and not Path(value).is_file():
            raise ValueError(f"there is no program at {value}")
        if value and find_spec("playwright") is None:
            raise ValueError("rendering needs Playwright: pip install 'docent[render]'")
        return value

    @field_validator("vectors_options", "files_options", mode="after")
    @classmethod
    def _options_can_be_read(cls, value: SecretStr) -> SecretStr:
        named_values(value.get_secret_value())
        return value

    @field_validator("files_uri", mode="after")
    @classmethod
    def _is_on_an_object_store(cls, value: str) -> str:
        if value and not value.startswith("s3://"):
            raise ValueError("write it as s3://bucket/folder")
        return value

    @field_validator("rerank_folder", mode="after")
    @classmethod
    def _is_a_model(cls, value: str) -> str:
        missing = [name for name in ("config.json", "tokenizer.json") if value and not (Path(value) / name).is_file()]
        if missing:
            raise ValueError(f"{value} holds no {' and no '.join(missing)}")
        return value

    @field_validator("redis_url", mode="after")
    @classmethod
    def _redis_has_a_port(cls, value: SecretStr) -> SecretStr:
        text = value.get_secret_value()
        if not text:
            return value
        parts = urlsplit(text)
        if parts.scheme not in {"redis", "rediss"} or not parts.hostname:
            raise ValueError("write it as redis://host:6379/0")
        if parts.port is None:
            parts = parts._replace(netloc=f"{parts.netloc}:6379")
        return SecretStr(urlunsplit(parts))

    def shown(self) -> dict[str, str]:
        """Every setting as it may be printed: without secrets, and without passwords inside URLs."""
        return {name: _without_passwords(str(value)) for name, value in self.model_dump().items()}

    def __repr_args__(self) -> Iterator[tuple[str | None, str]]:
        yield from self.shown().items()

    @property
    def record_url(self) -> str:
        return self.database_url or f"sqlite:///{self.data.resolve() / SQLITE_FILE}"

    @property
    def secret_keys(self) -> list[bytes]:
        """The first one seals. None means that those of the key file are used."""
        return _secret_keys(self.secret_key)

    @property
    def secret_key_file(self) -> Path:
        return self.data.resolve() / "secret.key"

    @property
    def job_queue_url(self) -> str:
        shared = self.database_url if self.database_url.startswith("postgresql") else ""
        return self.jobs_url or shared or f"sqlite:///{self.data.resolve() / 'jobs.sqlite'}"

    @property
    def vector_uri(self) -> str:
        return self.vectors_uri or str(self.data.resolve() / "vectors")

    @property
    def vector_options(self) -> dict[str, str]:
        return named_values(self.vectors_options.get_secret_value())

    @property
    def file_options(self) -> dict[str, str]:
        return named_values(self.files_options.get_secret_value()) or self.vector_options

    @property
    def keyword_dir(self) -> Path:
        return self.data.resolve() / "keywords"


def read_settings(**overrides: Any) -> Settings:
    """The environment, with `overrides` (from the command line) on top. Raises BadSettings."""
    if unknown := mistyped(os.environ, PREFIX, Settings.model_fields):
        raise BadSettings("\n".join(unknown))
    try:
        return Settings(**overrides)
    except ValidationError as error:
        found = messages_by_field(error)
        lines = [f"{_variable(name)}: {message}" if name else message for name, message in found.items()]
        raise BadSettings("\n".join(lines)) from error


def _secret_keys(written: SecretStr) -> list[bytes]:
    return [read_key(part) for part in written.get_secret_value().split(",") if part.strip()]


def _without_passwords(text: str) -> str:
    """The text with stars for every password inside a URL, so that it may be printed."""
    return str(_PARAMETER.sub(r"\1***", _PASSWORD.sub(r"\1***\2", text)))


def _variable(name: str) -> str:
    return PREFIX + name.upper()
