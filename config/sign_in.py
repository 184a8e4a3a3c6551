"""Settings of django-allauth: log-in, second factors, sessions, and the identity provider."""

LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_ADAPTER = "accounts.sign_in.adapters.Accounts"
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]  # no address
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
# Attempts in 15 minutes; wrong ones, except where a password is changed.
ACCOUNT_RATE_LIMITS = {
    "login": "",
    "login_failed": "10/15m/key",
    # By itself, because a right code, such as of an attacker's own account, clears the others.
    "login_address": "30/15m/ip",
    "reauthenticate": "",  # counts as log-in does
    "change_password": "10/15m/user",
}
MFA_ADAPTER = "accounts.sign_in.adapters.SecondFactors"
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_RECOVERY_CODE_DIGITS = 16
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = "Ebb"
MFA_TOTP_TOLERANCE = 1  # the code before and after, because clocks differ
SOCIALACCOUNT_ADAPTER = "accounts.sign_in.identity_provider.Identities"
