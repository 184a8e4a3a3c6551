"""Every way a model can fail, over real HTTP and the real SDK, becomes the right ModelError."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import httpx2
import openai
import pytest
from django.utils import translation

from assessor.llm import ChatModel, Chunk, model_session
from assessor.llm.dialects import Dialect, Wish
from assessor.llm.errors import (
    ModelBadAnswer,
    ModelBadRequest,
    ModelError,
    ModelInterrupted,
    ModelNotFound,
    ModelRateLimited,
    ModelServerError,
    ModelTimeout,
    ModelTooLong,
    ModelUnauthorized,
    ModelUnreachable,
)
from assessor.llm.sdk_errors import ERRORS, translate
from assessor.outbox.fault_labels import SENTENCES, fault, fault_in_chat
from memory.embeddings.failures import Failure
from tests.assessor.llm_session import (
    HELLO,
    complete,
    put_forward_when,
    read,
    read_until_error,
    run,
    text_of,
)
from tests.stub_model import StubModel

# step, error, permanent, retry_after: what an endpoint can answer before it says anything
REFUSALS = [
    ("400", ModelBadRequest, True, None),
    ("401", ModelUnauthorized, True, None),
    ("402", ModelBadRequest, True, None),
    ("403", ModelUnauthorized, True, None),
    ("404", ModelNotFound, True, None),
    ("409", ModelServerError, False, None),
    ("413", ModelBadRequest, True, None),
    ("422", ModelBadRequest, True, None),
    ("429", ModelRateLimited, False, None),
    ("429:7", ModelRateLimited, False, 7.0),
    ("429:soon", ModelRateLimited, False, None),
    ("429:nan", ModelRateLimited, False, None),
    ("500", ModelServerError, False, None),
    ("503:1.5", ModelServerError, False, 1.5),
]


@pytest.mark.parametrize("ask", [complete, read])
@pytest.mark.parametrize(("step", "kind", "permanent", "retry_after"), REFUSALS)
def test_refusal_becomes_the_right_error(
    stub_model: StubModel,
    ask: Callable[[ChatModel], Coroutine[Any, Any, object]],
    step: str,
    kind: type[ModelError],
    permanent: bool,
    retry_after: float | None,
) -> None:
    stub_model.script(step)

    with pytest.raises(ModelError) as caught:
        run(stub_model, ask)

    assert type(caught.value) is kind
    assert caught.value.permanent is permanent
    assert caught.value.retry_after == retry_after
    assert caught.value.detail == f"HTTP {step.partition(':')[0]}"
    assert str(caught.value).startswith(kind.sentence)
    assert len(stub_model.requests) == 1, "the pipeline retries, not the SDK"


TOO_LONG = [
    # OpenAI, vLLM, DeepSeek, llama-cpp-python
    "400 This model's maximum context length is 4096 tokens. However, you requested 4135 tokens.",
    # llama.cpp
    "400 request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
    "500 Context size has been exceeded.",
    # Anthropic, Gemini, Mistral
    "400 prompt is too long: 210000 tokens > 200000 maximum",
    "400 The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).",
    "400 Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
]


@pytest.mark.parametrize("said", TOO_LONG)
@pytest.mark.parametrize("ask", [complete, read])
def test_a_prompt_that_is_too_long_has_an_error_of_its_own(
    stub_model: StubModel, ask: Callable[[ChatModel], Coroutine[Any, Any, object]], said: str
) -> None:
    stub_model.script(f"refused:{said}")

    with pytest.raises(ModelTooLong):
        run(stub_model, ask)

    assert len(stub_model.requests) == 1, "no other dialect makes it shorter"


@pytest.mark.parametrize(
    ("step", "kind", "timeout"),
    [
        ("garbage", ModelBadAnswer, 30),
        ("half", ModelBadAnswer, 30),
        ("tool:remember:{}", ModelBadAnswer, 30),
        ("close", ModelInterrupted, 30),
        ("timeout", ModelTimeout, 0.3),
        ("stall", ModelTimeout, 0.3),
    ],
)
def test_broken_whole_answer_becomes_the_right_error(
    stub_model: StubModel, step: str, kind: type[ModelError], timeout: float
) -> None:
    stub_model.script(step, step)  # a broken connection is tried once more

    with pytest.raises(ModelError) as caught:
        run(stub_model, lambda model: model.complete(HELLO, timeout=timeout))

    assert type(caught.value) is kind
    assert not caught.value.permanent


@pytest.mark.parametrize(
    ("step", "text", "kind"),
    [
        ("garbage", "", ModelBadAnswer),
        ("half", "", ModelBadAnswer),
        ("close:3", "You said: I", ModelInterrupted),
        ("cut:3", "You said: I", ModelInterrupted),
        ("error:3", "You said: I", ModelServerError),
        ("stall:3", "You said: I", ModelTimeout),
        ("timeout", "", ModelTimeout),
    ],
)
def test_broken_stream_keeps_what_came_and_raises(
    stub_model: StubModel, step: str, text: str, kind: type[ModelError]
) -> None:
    stub_model.script(step)
    seen: list[Chunk] = []

    def is_silent() -> bool:
        return bool(stub_model.control.silent_replies) and text_of(seen) == text

    async def ask(model: ChatModel) -> ModelError:
        silence = asyncio.create_task(put_forward_when(is_silent, 1000))
        error = await read_until_error(model, seen)
        silence.cancel()
        return error

    error = run(stub_model, ask)

    assert text_of(seen) == text
    assert type(error) is kind
    assert not error.permanent


@pytest.mark.parametrize("step", ["ok", "400", "404", "405", "429:9"])
def test_check_takes_any_sign_of_life(stub_model: StubModel, step: str) -> None:
    stub_model.script_models(step)

    run(stub_model, lambda model: model.check())


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        ("401", ModelUnauthorized),
        ("403", ModelUnauthorized),
        ("500", ModelServerError),
        ("503", ModelServerError),
    ],
)
def test_check_says_why_the_model_is_of_no_use(
    stub_model: StubModel, step: str, kind: type[ModelError]
) -> None:
    stub_model.script_models(step)

    with pytest.raises(kind) as caught:
        run(stub_model, lambda model: model.check())

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "ask", [complete, read, lambda model: model.check()], ids=["complete", "stream", "check"]
)
def test_nobody_there_is_unreachable(ask: Callable[[ChatModel], Awaitable[object]]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"

        async def session() -> None:
            async with model_session(base_url=url, api_key="", model="stub") as model:
                await ask(model)

        with pytest.raises(ModelUnreachable) as caught:
            asyncio.run(session())

    assert not caught.value.permanent
    assert f"http://{caught.value.detail}/v1" == url


def test_retry_after_may_be_a_date(stub_model: StubModel) -> None:
    response = httpx2.Response(
        429,
        request=httpx2.Request("POST", stub_model.base_url),
        headers={
            "date": "Sun, 06 Nov 1994 08:49:37 GMT",
            "retry-after": "Sun, 06 Nov 1994 08:50:07 GMT",
        },
    )

    error = translate(openai.RateLimitError("slow down", response=response, body=None))

    assert error.retry_after == 30.0


def test_every_error_of_the_sdk_is_mapped() -> None:
    def family(error: type[Exception]) -> set[type[Exception]]:
        return {error}.union(*(family(child) for child in error.__subclasses__()))

    assert family(openai.APIError) - ERRORS.keys() == set()


def test_every_kind_of_error_has_its_own_name_and_sentence() -> None:
    kinds = {error.kind: error.sentence for error in ModelError.__subclasses__()}

    assert set(kinds) == {
        "unreachable",
        "timeout",
        "unauthorized",
        "not_found",
        "redirected",
        "rate_limited",
        "bad_request",
        "too_long",
        "server_error",
        "bad_answer",
        "interrupted",
    }
    assert len(set(kinds.values())) == len(kinds)


def test_what_went_wrong_is_told_in_the_language_of_the_page() -> None:
    failed, unembedded = ModelServerError("scripted (500)"), Failure.TIMEOUT.error()

    with translation.override("zh-hans"):
        told = {code: fault(sentence, code) for code, sentence in SENTENCES.items()}
        assert fault(str(failed), failed.code) == "模型的端点出错了。 (scripted (500))"
        assert fault(str(unembedded), unembedded.code) == "嵌入端点没有及时响应。"
        # The code decides, not the sentence that was stored.
        assert fault("In older words. (500)", failed.code) == "模型的端点出错了。 (500)"
        broken = ModelInterrupted("peer closed connection")
        assert fault_in_chat(str(broken), broken.code) == told[broken.code]
        assert fault_in_chat(str(failed), failed.code) == fault(str(failed), failed.code)
        for code in ("", None, "unknown"):
            assert fault("Something else (odd)", code) == "Something else (odd)"
    assert not {code for code, sentence in told.items() if sentence == SENTENCES[code]}
    assert not [sentence for sentence in SENTENCES.values() if " (" in sentence]


def test_detail_is_one_short_line() -> None:
    error = ModelServerError("a\nb " + "c" * 1000)

    assert error.detail.startswith("a b ccc")
    assert len(error.detail) == 200


# status, what the endpoint says (in their own words), whether it may be the tools
TOOL_REFUSALS = [
    (400, "registry.ollama.ai/library/gemma:2b does not support tools", True),
    (400, '"auto" tool choice requires --enable-auto-tool-choice', True),
    (400, "Bad Request", True),
    (500, "tools param requires --jinja flag", True),
    (404, "No endpoints found that support tool use", True),
    (400, "This model's maximum context length is 8192 tokens", False),
    (404, "The model does not exist", False),
    (500, "out of memory", False),
]


@pytest.mark.parametrize(("status", "message", "refused"), TOOL_REFUSALS)
def test_refusal_of_tools_is_told_from_others(status: int, message: str, refused: bool) -> None:
    response = httpx2.Response(status, request=httpx2.Request("POST", "http://127.0.0.1"))
    kind = openai.BadRequestError if status == 400 else openai.APIStatusError
    error = kind(message, response=response, body=None)

    simpler = Dialect().simpler(error, Wish(tools=[{"type": "function"}], stream=True))

    assert (simpler == Dialect(tools=False)) is refused
