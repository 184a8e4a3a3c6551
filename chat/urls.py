"""Addresses of the playground, below /s/<space>/."""

from django.urls import path

from chat.views import (
    choices,
    conversations,
    edits,
    exchanges,
    playground,
    private,
    replies,
    turns,
)

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
    path("private/", private.private, name="private"),
    path("private/say/", private.say_privately, name="say_privately"),
    path("say/", turns.say, name="say"),
    path("stop/", replies.stop, name="stop"),
    path("messages/<uuid:message_id>/", edits.message, name="message"),
    path("messages/<uuid:message_id>/restore/", edits.restore, name="message_restore"),
    path("replies/<uuid:message_id>/", replies.reply, name="reply"),
    path("exchanges/<uuid:message_id>/", exchanges.exchange, name="exchange"),
]
