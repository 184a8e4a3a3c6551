"""Tests a configured model with a real request and describes the result."""

import asyncio
from dataclasses import dataclass, replace
from time import perf_counter

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from assessor.llm import ChatMessage, ModelError, model_session
from assessor.outbox.fault_labels import fault
from chat.connections.providers import Part
from memory.embeddings import EmbeddingError, try_out

TIMEOUT = 15.0  # seconds: a local model may have to be loaded first
SHOWN = 80  # characters of an answer
QUESTION = "Answer with the one word: ready"


@dataclass(frozen=True)
class Trial:
    """The result of a trial, as a sentence."""

    worked: bool
    said: str
    took_ms: float = 0.0


def try_part(part: Part) -> Trial:
    """Send a small request to this part's model (`can_be_tried`); needs no database."""
    started = perf_counter()
    try:
        trial = _embed(part) if part.embeds else _talk(part)
    except (ModelError, EmbeddingError) as error:
        trial = Trial(False, fault(str(error), error.code))
    return replace(trial, took_ms=(perf_counter() - started) * 1000)


def _talk(part: Part) -> Trial:
    answer = asyncio.run(_asked(part))
    text = " ".join(answer.split())
    if not text:
        return Trial(False, _("The endpoint returned an empty answer."))
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
    return Trial(False, f"{said} {wanted} {advice}")
