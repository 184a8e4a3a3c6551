"""Addresses of the playground, below /s/<space>/."""

from django.urls import path

from chat.views import choices, exchanges, playground, private, replies, turns

urlpatterns = [
    path("", playground.playground, name="playground"),
    path("c/<uuid:conversation_id>/", playground.playground, name="conversation"),
    path("choices/", choices.keep_choices, name="keep_choices"),
    path("choices/model/", choices.model_field, name="model_field"),
    path("private/", private.private, name="private"),
    path("private/say/", private.say_privately, name="say_privately"),
    path("say/", turns.say, name="say"),
    path("replies/<uuid:message_id>/", replies.reply, name="reply"),
    path("exchanges/<uuid:message_id>/", exchanges.exchange, name="exchange"),
]
