"""URLs of the playground, below /s/<space>/."""

from django.urls import path

from chat.views import (
    choices,
    conversations,
    edits,
    exchanges,
    learned,
    playground,
    poll,
    private,
    providers,
    replies,
    sources,
    turns,
    why,
)

_HIT = "replies/<uuid:message_id>/why/<uuid:memory_id>"

urlpatterns = [
    path("", playground.playground, name="playground"),
    path("c/", conversations.conversations, name="conversations"),
    path("c/<uuid:conversation_id>/", playground.playground, name="conversation"),
    path("c/<uuid:conversation_id>/title/", conversations.title, name="conversation_title"),
    path("c/<uuid:conversation_id>/delete/", conversations.delete, name="conversation_delete"),
    path("c/<uuid:conversation_id>/restore/", conversations.restore, name="conversation_restore"),
    path("c/<uuid:conversation_id>/again/", edits.again, name="reply_again"),
    path("choices/", choices.keep_choices, name="keep_choices"),
    path("choices/model/", choices.model_field, name="model_field"),
    path("settings/models/", providers.providers, name="models"),
    path("settings/models/<slug:name>/try/", providers.try_provider, name="models_try"),
    path("private/", private.private, name="private"),
    path("private/say/", private.say_privately, name="say_privately"),
    path("poll/", poll.poll, name="poll"),
    path("say/", turns.say, name="say"),
    path("stop/", replies.stop, name="stop"),
    path("messages/<uuid:message_id>/", edits.message, name="message"),
    path("messages/<uuid:message_id>/restore/", edits.restore, name="message_restore"),
    path("replies/<uuid:message_id>/", replies.reply, name="reply"),
    path("replies/<uuid:message_id>/why/", why.inspector, name="why"),
    path(f"{_HIT}/", why.hit, name="why_hit"),
    path(f"{_HIT}/pin/", why.pin, name="why_pin"),
    path(f"{_HIT}/edit/", why.edit, name="why_edit"),
    path(f"{_HIT}/forget/", why.forget, name="why_forget"),
    path(f"{_HIT}/take-back/", why.take_back, name="why_take_back"),
    path(f"{_HIT}/irrelevant/", why.irrelevant, name="why_irrelevant"),
    path(f"{_HIT}/relevant/", why.relevant, name="why_relevant"),
    path("recall-times/", why.recall_times, name="recall_times"),
    path("memories/<uuid:memory_id>/source/", sources.source, name="memory_source"),
    path("exchanges/<uuid:message_id>/", exchanges.exchange, name="exchange"),
    path("exchanges/<uuid:message_id>/edit/", learned.edit, name="exchange_edit"),
    path("exchanges/<uuid:message_id>/discard/", learned.discard, name="exchange_discard"),
    path("exchanges/<uuid:message_id>/take-back/", learned.take_back, name="exchange_take_back"),
    path("exchanges/<uuid:message_id>/retry/", learned.retry, name="exchange_retry"),
]
