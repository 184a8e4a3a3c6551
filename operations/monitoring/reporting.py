"""Reports errors to Sentry and traces to OpenTelemetry, if their variables are set.

Their packages are not part of Ebb's own list (requirements-reporting.txt).
"""

from importlib.util import find_spec
from typing import Any

from django.conf import settings

from operations.preconditions import StartError
from operations.version import VERSION


def check_reporting() -> None:
    """Raise StartError if a variable is set whose package is missing."""
    for variable, package in (
        ("SENTRY_DSN", "sentry_sdk"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "opentelemetry.instrumentation"),
    ):
        if getattr(settings, variable) and not _is_installed(package):
            raise StartError(
                f"{variable} is set, but its packages are missing. Install "
                'requirements-reporting.txt, or "ebb-memory[reporting]".'
            )


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # the package that should contain it
        return False


def start_reporting(process: str) -> None:
    """Start the reports of this process: web, worker or beat."""
    if settings.SENTRY_DSN:
        _start_sentry(process)
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        _start_tracing(process)


def _start_sentry(process: str) -> None:
    import sentry_sdk
    from sentry_sdk.integrations.celery import CeleryIntegration
    from sentry_sdk.integrations.django import DjangoIntegration

    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        release=f"ebb@{VERSION}",
        # A report must contain neither what people said nor their login links.
        before_send=_without_request,
        include_local_variables=False,
        max_breadcrumbs=0,
        # Its other integrations read prompts and statements.
        auto_enabling_integrations=False,
        integrations=[DjangoIntegration(), CeleryIntegration()],
    )
    sentry_sdk.set_tag("process", process)


def _without_request(event: Any, hint: Any) -> Any:
    """Return the report without the request's address and body."""
    event.pop("request", None)
    return event


def _start_tracing(process: str) -> None:
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.instrumentation.celery import CeleryInstrumentor
    from opentelemetry.instrumentation.django import DjangoInstrumentor
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({"service.name": f"ebb-{process}", "service.version": VERSION})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    # Not the database's instrumentation: statements of recall contain the question's words.
    CeleryInstrumentor().instrument()
    DjangoInstrumentor().instrument(request_hook=_without_query)


def _without_query(span: Any, request: Any) -> None:
    """Remove the query from a span's address: it has the words of a search, or a login link."""
    for name in ("http.url", "http.target", "url.full", "url.query"):
        span.set_attribute(name, request.path)
