"""URLs of the playground, below /s/<space>/."""

from django.urls import path

from chat.connections import page as providers
from chat.connections import views as connections
from chat.conversations import export
from chat.conversations import views as conversations
from chat.first_steps import views as first_steps
from chat.playground import (
    choices,
    documents,
    edits,
    exchanges,
    learned,
    poll,
    private,
    replies,
    sharing,
    sources,
    turns,
)
from chat.playground import page as playground
from chat.usage import views as usage
from chat.why import views as why

_MODELS = "settings/models/connections"
_HIT = "replies/<uuid:message_id>/why/<uuid:memory_id>"
_TAUGHT = "exchanges/<uuid:message_id>/memories/<uuid:memory_id>"

urlpatterns = [
    path("", playground.playground, name="playground"),
    path("c/", conversations.conversations, name="conversations"),
    path("c/<uuid:conversation_id>/", playground.playground, name="conversation"),
    path("c/<uuid:conversation_id>/title/", conversations.title, name="conversation_title"),
    path("c/<uuid:conversation_id>/delete/", conversations.delete, name="conversation_delete"),
    path("c/<uuid:conversation_id>/restore/", conversations.restore, name="conversation_restore"),
    path("c/<uuid:conversation_id>/share/", sharing.share, name="conversation_share"),
    path("c/<uuid:conversation_id>/shared/", sharing.shared, name="conversation_shared"),
    path("c/<uuid:conversation_id>/again/", edits.again, name="reply_again"),
    path("c/<uuid:conversation_id>/export.md", export.as_markdown, name="conversation_markdown"),
    path("c/<uuid:conversation_id>/export.json", export.as_json, name="conversation_json"),
    path("first-steps/", first_steps.steps, name="first_steps"),
    path("first-steps/hide/", first_steps.hide, name="first_steps_hide"),
    path("first-steps/clear/", first_steps.clear, name="samples_clear"),
    path("choices/", choices.keep_choices, name="keep_choices"),
    path("choices/model/", choices.model_field, name="model_field"),
    path("settings/models/", providers.providers, name="models"),
    path("settings/models/<slug:name>/try/", providers.try_provider, name="models_try"),
    path(f"{_MODELS}/new/", connections.form, name="connection_form"),
    path(f"{_MODELS}/found/", connections.found, name="connections_found"),
    path(f"{_MODELS}/connect/", connections.connect, name="connection_connect"),
    path(f"{_MODELS}/add/", connections.add, name="connection_add"),
    path(f"{_MODELS}/<uuid:connection_id>/", connections.change, name="connection_change"),
    path(f"{_MODELS}/<uuid:connection_id>/delete/", connections.delete, name="connection_delete"),
    path(f"{_MODELS}/<uuid:connection_id>/try/", connections.try_out, name="connection_try"),
    path(f"{_MODELS}/<uuid:connection_id>/models/", connections.names, name="connection_models"),
    path("settings/usage/", usage.usage, name="usage"),
    path("settings/models/choose/", connections.choose, name="model_choose"),
    path("settings/models/unchoose/", connections.unchoose, name="model_unchoose"),
    path("private/", private.private, name="private"),
    path("private/say/", private.say_privately, name="say_privately"),
    path("poll/", poll.poll, name="poll"),
    path("say/", turns.say, name="say"),
    path("stop/", replies.stop, name="stop"),
    path("documents/", documents.remember, name="document_remember"),
    path("messages/<uuid:message_id>/", edits.message, name="message"),
    path("messages/<uuid:message_id>/restore/", edits.restore, name="message_restore"),
    path("replies/<uuid:message_id>/", replies.reply, name="reply"),
    path("replies/<uuid:message_id>/why/", why.inspector, name="why"),
    path("replies/<uuid:message_id>/offers/", why.offers, name="offers"),
    path(f"{_HIT}/", why.hit, name="why_hit"),
    path(f"{_HIT}/pin/", why.pin, name="why_pin"),
    path(f"{_HIT}/edit/", why.edit, name="why_edit"),
    path(f"{_HIT}/forget/", why.forget, name="why_forget"),
    path(f"{_HIT}/restore/", why.restore, name="why_restore"),
    path(f"{_HIT}/irrelevant/", why.irrelevant, name="why_irrelevant"),
    path(f"{_HIT}/relevant/", why.relevant, name="why_relevant"),
    path("recall-times/", why.recall_times, name="recall_times"),
    path("memories/<uuid:memory_id>/source/", sources.source, name="memory_source"),
    path("exchanges/<uuid:message_id>/", exchanges.exchange, name="exchange"),
    path(f"{_TAUGHT}/edit/", learned.edit, name="exchange_edit"),
    path(f"{_TAUGHT}/pin/", learned.pin, name="exchange_pin"),
    path(f"{_TAUGHT}/join/", learned.join, name="exchange_join"),
    path(f"{_TAUGHT}/split/", learned.split, name="exchange_split"),
    path(f"{_TAUGHT}/discard/", learned.discard, name="exchange_discard"),
    path(f"{_TAUGHT}/restore/", learned.restore, name="exchange_restore"),
    path("exchanges/<uuid:message_id>/redact/", exchanges.redact, name="exchange_redact"),
    path("exchanges/<uuid:message_id>/retry/", learned.retry, name="exchange_retry"),
]
