"""Tests with real requests what a connection's endpoint and one of its models can do.

Each step depends on the earlier ones: if the endpoint cannot be reached, no further request is
sent.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from assessor.assessing import Exchange, assess_with_model
from assessor.errors import AssessmentError
from assessor.llm import ChatMessage, ModelError, TextDelta, trial_session
from assessor.llm.dialects import FORMAT_NAMES
from assessor.llm.errors import (
    ModelBadAnswer,
    ModelBadRequest,
    ModelNotFound,
    ModelRedirected,
    ModelUnauthorized,
)
from assessor.outbox.fault_labels import fault
from chat.connections.tool_ability import SCHEMA, call_tool
from foundation.database.connections import release_connection
from memory.embeddings import EmbeddingError, likely_embedders, try_endpoint
from memory.model_connections.choosing import ModelConfiguration, key_of, prices_of, public_only
from memory.model_connections.fields import refuse_private
from memory.model_connections.observations import observe
from memory.model_connections.services import record_failure, record_success
from memory.models import ModelConnection
from memory.policy import PolicyDocument

if TYPE_CHECKING:
    from assessor.llm.openai_compatible import OpenAICompatibleModel

Ask = Callable[["OpenAICompatibleModel"], Awaitable[tuple[bool, str]]]

TIMEOUT = 30.0  # seconds: a local model may have to be loaded first
PATIENT = 4  # the attempt at an assessment that waits longer than this


LABELS = {
    "reachable": gettext_lazy("Reachable"),
    "key": gettext_lazy("Key"),
    "streams": gettext_lazy("Streaming"),
    "tools": gettext_lazy("Tools"),
    "format": gettext_lazy("Structured answers"),
    "assess": gettext_lazy("Assessment"),
    "embeddings": gettext_lazy("Embeddings"),
}


@dataclass(frozen=True)
class Check:
    """The result of one step: its name, a sentence, and the time it took. `error` is the sentence
    in English, as errors are stored, if a model's error ended the step."""

    name: str
    worked: bool
    said: str
    took_ms: float
    error: str = ""

    @property
    def label(self) -> Any:
        """The step's display name."""
        return LABELS[self.name]


@dataclass
class ConnectionTrial:
    """The steps of a trial, the tested model, and the models that the endpoint lists."""

    model: str
    names: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    @property
    def failure(self) -> str:
        """The error that makes the connection useless, "" if its model answers."""
        needed = (one for one in self.checks if one.name in {"reachable", "key", "streams"})
        return next((one.error or one.said for one in needed if not one.worked), "")

    @property
    def fit(self) -> str:
        """The sentence that says how well the model fits; "" if it does not answer."""
        found = {one.name: one for one in self.checks}
        if "assess" not in found:
            return ""
        if not found["assess"].worked:
            said = _("It did not assess an English message in %(seconds)s s: choose another model.")
        elif found["tools"].worked:
            said = _("It assesses an English message in %(seconds)s s and uses the memory tools.")
        else:
            said = _("It assesses an English message in %(seconds)s s and gets no memory tools.")
        return said % {"seconds": number_format(found["assess"].took_ms / 1000, 1)}


def try_connection(configuration: ModelConfiguration) -> ConnectionTrial:
    """Test the endpoint and its model, the first listed one if none is named. Takes seconds and
    needs no database.
    """
    trial = asyncio.run(_tried(configuration))
    if trial.model and all(one.worked for one in trial.checks if one.name in {"reachable", "key"}):
        _embed(trial, configuration)
    return trial


def _embed(trial: ConnectionTrial, configuration: ModelConfiguration) -> None:
    """Record whether the endpoint makes embeddings, if it lists a model whose name suggests
    this.
    """
    started = perf_counter()
    model = next(iter(likely_embedders(trial.names)), trial.model)
    try:
        length = try_endpoint(
            base_url=configuration["base_url"],
            api_key=configuration["api_key"],
            model=model,
            public_only=configuration["public_only"],
        )
    except EmbeddingError as error:
        said = fault(str(error), error.code)
        trial.checks.append(Check("embeddings", False, said, _since(started)))
    else:
        said = _("%(n)d dimensions, by %(model)s.") % {"n": length, "model": model}
        trial.checks.append(Check("embeddings", True, said, _since(started)))


def tested(connection: ModelConnection, model: str) -> ConnectionTrial:
    """Test the connection, record whether it works, and return the trial.

    The connection has its new state afterwards. Raises InvalidArguments for a forbidden address.
    """
    refuse_private(connection.base_url)
    configuration = configuration_of(connection, model)
    release_connection()
    trial = try_connection(configuration)
    if trial.failure:
        record_failure(connection=connection, error=trial.failure, now=timezone.now())
    else:
        record_success(connection=connection)
    _observe(trial, {**configuration, "model": trial.model})
    connection.refresh_from_db()
    return trial


def _observe(trial: ConnectionTrial, model: ModelConfiguration) -> None:
    for check in trial.checks:
        if check.name == "tools" and not check.error:
            observe(model, "calls_tools", check.worked)
        elif check.name == "assess" and check.worked:
            observe(model, "seconds", check.took_ms / 1000)


def configuration_of(connection: ModelConnection, model: str = "") -> ModelConfiguration:
    """Return the constructor options of a model of this connection."""
    return {
        "base_url": connection.base_url,
        "api_key": key_of(connection),
        "model": model,
        "prices": prices_of(connection),
        "public_only": public_only(),
    }


async def listed_names(configuration: ModelConfiguration) -> list[str]:
    """Return the names of the endpoint's models, sorted; raises ModelError."""
    async with trial_session(configuration) as model:
        return names_of(await model.models())


async def _tried(configuration: ModelConfiguration) -> ConnectionTrial:
    trial = ConnectionTrial(configuration["model"])
    await _list_models(trial, configuration)
    trial.model = trial.model or next(iter(trial.names), "")
    if trial.failure or not trial.model:
        return trial
    async with trial_session({**configuration, "model": trial.model}) as model:
        if await _step(trial, "streams", _stream, model):
            trial.checks.insert(1, Check("key", True, _("Accepted."), trial.checks[-1].took_ms))
            await _step(trial, "tools", call_tool, model)
            await _step(trial, "format", _answer_form, model)
            await _step(trial, "assess", _assess, model)
    return trial


async def _list_models(trial: ConnectionTrial, configuration: ModelConfiguration) -> None:
    """Record whether the endpoint can be reached and accepts the key, and its models."""
    started = perf_counter()
    try:
        trial.names = await listed_names(configuration)
    except ModelUnauthorized as error:
        trial.checks += [
            Check("reachable", True, _("The server answers."), _since(started)),
            _refused("key", error, _since(started)),
        ]
    except (ModelNotFound, ModelRedirected, ModelBadRequest, ModelBadAnswer):
        said = _("The server answers, but does not list its models.")
        trial.checks.append(Check("reachable", True, said, _since(started)))
    except ModelError as error:
        trial.checks.append(_refused("reachable", error, _since(started)))
    else:
        number = len(trial.names)
        said = ngettext("It lists %(n)d model.", "It lists %(n)d models.", number) % {"n": number}
        trial.checks.append(Check("reachable", True, said, _since(started)))


async def _step(
    trial: ConnectionTrial, name: str, ask: Ask, model: "OpenAICompatibleModel"
) -> bool:
    """Record a step: what `ask` returns, or its error. Return whether it worked."""
    started = perf_counter()
    try:
        async with asyncio.timeout(TIMEOUT):
            worked, said = await ask(model)
    except TimeoutError:
        worked, said = False, _("No answer in time.")
    except ModelError as error:
        trial.checks.append(_refused(name, error, _since(started)))
        return False
    trial.checks.append(Check(name, worked, said, _since(started)))
    return worked


async def _stream(model: "OpenAICompatibleModel") -> tuple[bool, str]:
    question = ChatMessage("user", "Answer with the one word: ready")
    async with aclosing(model.stream([question])) as chunks:
        pieces = [chunk.text async for chunk in chunks if isinstance(chunk, TextDelta)]
    number = len(pieces)
    if not number:
        return False, _("The answer was empty.")
    said = ngettext("Answered in %(n)d piece.", "Answered in %(n)d pieces.", number)
    return True, said % {"n": number}


async def _answer_form(model: "OpenAICompatibleModel") -> tuple[bool, str]:
    question = ChatMessage("user", 'Answer with this JSON object: {"ready": true}')
    answer = await model.complete([question], schema=SCHEMA, timeout=TIMEOUT)
    try:
        json.loads(answer.text)
    except ValueError:
        return False, _("The answer is not JSON.")
    return True, _("Format: %(format)s.") % {"format": FORMAT_NAMES[model.dialect.format]}


async def _assess(model: "OpenAICompatibleModel") -> tuple[bool, str]:
    """Assess a message in the reader's language, at most for this step's time."""
    told = _("I moved to Lisbon in March, and I am allergic to penicillin.")
    rules = PolicyDocument()
    try:
        result = await assess_with_model(Exchange(told), rules, lambda: model, attempt=PATIENT)
    except AssessmentError as error:
        return False, fault(str(error), error.code)
    if result.provider != "llm" or result.importance < rules.assessment.store_above:
        return False, _("The model did not find what the message says.")
    return True, f"“{result.summary}”"


def names_of(listed: list[dict[str, Any]]) -> list[str]:
    """Return the names of listed models, sorted."""
    return sorted({str(one["id"])[:120] for one in listed if one.get("id")})


def _refused(name: str, error: ModelError, took_ms: float) -> Check:
    """Return the step that this error ended."""
    return Check(name, False, fault(str(error), error.code), took_ms, str(error))


def _since(started: float) -> float:
    return (perf_counter() - started) * 1000
