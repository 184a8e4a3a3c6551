"""Addresses of what steers a space, below /s/<space>/settings/."""

from django.urls import path

from memory.views import account, embeddings, jobs, keys, members, settings, spaces, webhooks

urlpatterns = [
    path("", settings.settings, name="settings"),
    path("spaces/", spaces.spaces, name="spaces"),
    path("spaces/create/", spaces.create, name="spaces_create"),
    path("spaces/change/", spaces.change, name="spaces_change"),
    path("spaces/delete/", spaces.delete, name="spaces_delete"),
    path("spaces/leaving/", spaces.leaving, name="spaces_leaving"),
    path("spaces/bring-back/", spaces.bring_back, name="spaces_bring_back"),
    path("members/", members.members, name="members"),
    path("members/add/", members.add, name="members_add"),
    path("members/invite/", members.invite, name="members_invite"),
    path("members/<int:member_id>/link/", members.invite_again, name="members_link"),
    path("members/<int:member_id>/role/", members.change, name="members_change"),
    path("members/<int:member_id>/remove/", members.remove, name="members_remove"),
    path("account/", account.account, name="account"),
    path("jobs/<uuid:job_id>/", jobs.job, name="job"),
    path("jobs/<uuid:job_id>/cancel/", jobs.cancel, name="job_cancel"),
    path("jobs/<uuid:job_id>/resume/", jobs.resume, name="job_resume"),
    path("keys/", keys.keys, name="keys"),
    path("keys/audit/", keys.audit, name="keys_audit"),
    path("keys/create/", keys.create, name="keys_create"),
    path("keys/<uuid:key_id>/rotate/", keys.rotate, name="keys_rotate"),
    path("keys/<uuid:key_id>/revoke/", keys.revoke, name="keys_revoke"),
    path("webhooks/", webhooks.webhooks, name="webhooks"),
    path("webhooks/create/", webhooks.create, name="webhooks_create"),
    path("webhooks/<uuid:webhook_id>/", webhooks.webhook, name="webhook"),
    path("webhooks/<uuid:webhook_id>/test/", webhooks.test, name="webhooks_test"),
    path("webhooks/<uuid:webhook_id>/switch/", webhooks.switch, name="webhooks_switch"),
    path("webhooks/<uuid:webhook_id>/rotate/", webhooks.rotate, name="webhooks_rotate"),
    path("webhooks/<uuid:webhook_id>/delete/", webhooks.delete, name="webhooks_delete"),
    path(
        "webhooks/<uuid:webhook_id>/redeliver/<uuid:delivery_id>/",
        webhooks.redeliver,
        name="webhooks_redeliver",
    ),
    path("embeddings/", embeddings.embeddings, name="embeddings"),
    path("embeddings/try/", embeddings.try_model, name="embeddings_try"),
    path("embeddings/begin/", embeddings.begin, name="embeddings_begin"),
    path("embeddings/cancel/", embeddings.cancel, name="embeddings_cancel"),
    path("embeddings/resume/", embeddings.resume, name="embeddings_resume"),
]
