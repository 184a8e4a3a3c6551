"""URLs of settings, members, keys and the user's account, below /s/<space>/."""

from django.urls import path

from accounts.views import account, connect, keys, members, settings

urlpatterns = [
    path("settings/", settings.settings, name="settings"),
    path("settings/members/", members.members, name="members"),
    path("settings/members/invite/", members.invite, name="members_invite"),
    path(
        "settings/members/invitations/<int:invitation_id>/renew/",
        members.renew,
        name="members_renew",
    ),
    path(
        "settings/members/invitations/<int:invitation_id>/withdraw/",
        members.withdraw,
        name="members_withdraw",
    ),
    path("settings/members/<int:member_id>/role/", members.change, name="members_change"),
    path("settings/members/<int:member_id>/remove/", members.remove, name="members_remove"),
    path("settings/account/", account.account, name="account"),
    path("settings/account/zone/", account.zone, name="account_zone"),
    path("settings/account/sessions/end/", account.end_others, name="sessions_end_others"),
    path("settings/account/sessions/<int:session_id>/end/", account.end, name="sessions_end"),
    path("settings/connect/", connect.connect, name="connect"),
    path("settings/connect/create/", connect.create, name="connect_create"),
    path("settings/keys/", keys.keys, name="keys"),
    path("settings/keys/audit/", keys.audit, name="keys_audit"),
    path("settings/keys/create/", keys.create, name="keys_create"),
    path("settings/keys/<uuid:key_id>/rotate/", keys.rotate, name="keys_rotate"),
    path("settings/keys/<uuid:key_id>/revoke/", keys.revoke, name="keys_revoke"),
]
