"""Encryption at rest of the keys of model connections and the secrets of webhooks.

A key derived from SECRET_KEY encrypts them. After a rotation, SECRET_KEY_FALLBACKS can still
decrypt them; `manage.py reseal_keys` then encrypts all of them with the new key.
"""

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

_INFO = b"ebb model connections"  # also for webhooks; a change would lock all seals


class Unreadable(Exception):
    """No secret key of the settings opens the sealed text."""


def seal(secret: str) -> str:
    """Return the secret encrypted with SECRET_KEY; "" stays ""."""
    return _cipher().encrypt(secret.encode()).decode() if secret else ""


def unseal(sealed: str) -> str:
    """Return the secret in a sealed text; "" stays "". Raises Unreadable."""
    if not sealed:
        return ""
    try:
        return _cipher().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise Unreadable from None


def _cipher() -> MultiFernet:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return MultiFernet([Fernet(_derived(key)) for key in keys])


def _derived(secret_key: str) -> bytes:
    derivation = HKDF(algorithm=SHA256(), length=32, salt=None, info=_INFO)
    return urlsafe_b64encode(derivation.derive(secret_key.encode()))
