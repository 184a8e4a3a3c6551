"""Addresses of the playground, below /s/<space>/."""

from django.urls import path

from chat import views

urlpatterns = [
    path("", views.playground, name="playground"),
    path("c/<uuid:conversation_id>/", views.playground, name="conversation"),
    path("say/", views.say, name="say"),
    path("replies/<uuid:message_id>/", views.reply, name="reply"),
    path("exchanges/<uuid:message_id>/", views.exchange, name="exchange"),
]
