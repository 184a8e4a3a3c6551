"""The OpenAI-compatible API: a separate API below /v1/, with OpenAI's paths and errors."""

from ninja import NinjaAPI, Swagger

from chat.completions import errors
from chat.completions.api import router
from memory.access.authentication import BearerKey

api = NinjaAPI(
    title="Ebb, OpenAI-compatible",
    version="1",
    description="The connected model with memory, for any OpenAI client.",
    auth=BearerKey(),
    docs=Swagger(settings={"persistAuthorization": True}),
    urls_namespace="openai",
)
errors.install(api)
api.add_router("", router)
