"""Addresses of the playground, below /s/<space>/."""

from django.urls import path

from chat.views import exchanges, playground, replies, turns

urlpatterns = [
    path("", playground.playground, name="playground"),
    path("c/<uuid:conversation_id>/", playground.playground, name="conversation"),
    path("say/", turns.say, name="say"),
    path("replies/<uuid:message_id>/", replies.reply, name="reply"),
    path("exchanges/<uuid:message_id>/", exchanges.exchange, name="exchange"),
]
