"""Tests a configured model with a real request and describes the result."""

import asyncio
from dataclasses import dataclass, replace
from time import perf_counter

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from assessor.llm import ChatMessage, ModelError, model_session
from chat.connections.providers import Part
from memory.embeddings import EmbeddingError, try_out

TIMEOUT = 15.0  # seconds: a local model may have to be loaded first
SHOWN = 80  # characters of an answer
QUESTION = "Answer with the one word: ready"

# kind → (description, advice)
_FAILURES = {
    "unreachable": (
        gettext_lazy("There is no server at %(address)s."),
        gettext_lazy(
            "Check that it is running and that this machine can reach it. The address is "
            "set by %(address_by)s."
        ),
    ),
    "timeout": (
        gettext_lazy("The endpoint did not answer in time."),
        gettext_lazy("The endpoint may be busy, or still loading the model. Try again."),
    ),
    "unauthorized": (
        gettext_lazy("The endpoint refused the API key."),
        gettext_lazy(
            "Check that %(key_by)s is complete, still valid and belongs to this provider."
        ),
    ),
    "not_found": (
        gettext_lazy("The endpoint does not know the model “%(model)s”, or the URL is wrong."),
        gettext_lazy("Check %(model_by)s and %(address_by)s. Most URLs end in /v1."),
    ),
    "redirected": (
        gettext_lazy("The endpoint redirects to another URL, which Ebb does not follow."),
        gettext_lazy("Set %(address_by)s to the URL it redirects to, if you trust that server."),
    ),
    "rate_limited": (
        gettext_lazy("Rate limit reached."),
        gettext_lazy(
            "Wait a moment. If this continues, check your limits and credit with the provider."
        ),
    ),
    "server_error": (
        gettext_lazy("The server returned an error."),
        gettext_lazy("Try again. If this continues, check the server's log."),
    ),
    "bad_request": (
        gettext_lazy("The endpoint rejected the request."),
        gettext_lazy("Check %(model_by)s: this model may be for another purpose."),
    ),
    "bad_answer": (
        gettext_lazy("The endpoint's answer could not be read."),
        gettext_lazy("Check %(address_by)s: this may be a different kind of endpoint."),
    ),
    "interrupted": (
        gettext_lazy("The answer was cut off."),
        gettext_lazy("Try again. If this continues, check the proxy or network in between."),
    ),
}
_FAILURES["not_configured"] = (
    gettext_lazy("No key or URL is set."),
    gettext_lazy("Set %(key_by)s or %(address_by)s and restart Ebb."),
)
_FAILURES["texts_refused"] = _FAILURES["bad_request"]


@dataclass(frozen=True)
class Trial:
    """The result of a trial: a sentence, advice after a failure, and its detail."""

    worked: bool
    said: str
    advice: str = ""
    detail: str = ""
    took_ms: float = 0.0


def try_part(part: Part) -> Trial:
    """Send a small request to this part's model (`can_be_tried`); needs no database."""
    started = perf_counter()
    try:
        trial = _embed(part) if part.embeds else _talk(part)
    except (ModelError, EmbeddingError) as error:
        trial = _failed(part, error)
    return replace(trial, took_ms=(perf_counter() - started) * 1000)


def _talk(part: Part) -> Trial:
    answer = asyncio.run(_asked(part))
    text = " ".join(answer.split())
    if not text:
        return Trial(
            False, _("The endpoint returned an empty answer."), _advice(part, "bad_request")
        )
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    said = _("%(model)s answered “%(text)s”.") % {"model": part.model.value, "text": shown}
    return Trial(True, said)


async def _asked(part: Part) -> str:
    if part.chosen is None:  # the built-in responder and assessor are not asked
        return ""
    async with model_session(**part.chosen.configuration) as session:
        completion = await session.complete([ChatMessage("user", QUESTION)], timeout=TIMEOUT)
    return completion.text


def _embed(part: Part) -> Trial:
    dimensions = try_out(part.provider, part.model.value)
    said = ngettext(
        "%(model)s returned a vector with %(n)d dimension.",
        "%(model)s returned a vector with %(n)d dimensions.",
        dimensions,
    ) % {"model": part.model.value, "n": dimensions}
    if part.dimensions in (None, dimensions):
        return Trial(True, said)
    wanted = _("Ebb expects %(n)d.") % {"n": part.dimensions}
    advice = _(
        "This is a different model with the same name. Check EBB_EMBEDDING_MODEL, or move the "
        "space to another model in Settings → Embeddings."
    )
    return Trial(False, f"{said} {wanted}", advice)


def _failed(part: Part, error: ModelError | EmbeddingError) -> Trial:
    if error.kind not in _FAILURES:  # not the endpoint's fault: no further advice
        return Trial(False, str(error))
    what, _todo = _FAILURES[error.kind]
    return Trial(False, str(what % _words(part)), _advice(part, error.kind), error.detail)


def _advice(part: Part, kind: str) -> str:
    return str(_FAILURES[kind][1] % _words(part))


def _words(part: Part) -> dict[str, str]:
    return {
        "model": part.model.value,
        "address": part.address.value or part.provider_name,
        "model_by": part.model.variable,
        "address_by": part.address.variable,
        "key_by": part.key.variable,
    }
