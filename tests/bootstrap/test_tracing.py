"""Which variables of the environment have spans recorded."""

from app.bootstrap.tracing import is_wanted
from tests.every_row import every_row

ADDRESS = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}


@every_row(
    "environment",
    [
        ADDRESS,
        {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"},
        {"OTEL_TRACES_EXPORTER": "otlp"},
        {"OTEL_TRACES_EXPORTER": "console, otlp"},
        ADDRESS | {"OTEL_SDK_DISABLED": "false"},
    ],
    ids=["an address", "one for traces alone", "the exporter by name", "among others", "not switched off"],
)
def test_they_are_recorded(environment: dict[str, str]) -> None:
    assert is_wanted(environment)


@every_row(
    "environment",
    [
        {},
        {"OTEL_SERVICE_NAME": "docent"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        ADDRESS | {"OTEL_TRACES_EXPORTER": "none"},
        ADDRESS | {"OTEL_TRACES_EXPORTER": "console"},
        ADDRESS | {"OTEL_SDK_DISABLED": "True"},
    ],
    ids=["nothing", "a name", "an empty address", "no exporter", "another exporter", "switched off"],
)
def test_they_are_not(environment: dict[str, str]) -> None:
    assert not is_wanted(environment)
