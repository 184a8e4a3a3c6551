"""Encrypts backups in the format of age (age-encryption.org).

A backup for recipients is an age file. A backup with a passphrase begins with a line that contains
a new key, encrypted with the passphrase; the age file for this key follows. The reason: a file that
age encrypts with a passphrase has to be in memory as a whole (pyrage). docs/transfer.md says how to
open both without Ebb.
"""

import base64
from collections.abc import Sequence
from pathlib import Path

import pyrage
from pyrage import passphrase, x25519

_AGE = b"age-encryption.org/v1\n"
_OWN_KEY = b"ebb-backup-key "
_LONGEST = 10_000  # bytes of the first line


class Locked(Exception):
    """The backup cannot be encrypted or decrypted; the text says why, and what to do."""


def encrypt(plain: Path, target: Path, *, recipients: Sequence[str], secret: str) -> None:
    """Encrypt a file for the recipients, or with the passphrase if there are none.

    Raises Locked.
    """
    public = [_recipient(one) for one in recipients]
    with plain.open("rb") as source, target.open("wb") as file:
        if not public:
            own = x25519.Identity.generate()
            sealed = passphrase.encrypt(str(own).encode(), secret)
            file.write(_OWN_KEY + base64.b64encode(sealed) + b"\n")
            public = [own.to_public()]
        pyrage.encrypt_io(source, file, public)


def decrypt(file: Path, target: Path, *, secret: str, identity: Path | None) -> bool:
    """Decrypt a backup into another file, with the passphrase or a file with identities of age.

    Return False if it is not encrypted. Raises Locked.
    """
    with file.open("rb") as source:
        first = source.readline(_LONGEST)
        if first == _AGE:
            source.seek(0)
            identities = _identities(identity)
        elif first.startswith(_OWN_KEY):
            identities = [_own_key(first.removeprefix(_OWN_KEY), secret)]
        else:
            return False
        with target.open("wb") as plain:
            try:
                pyrage.decrypt_io(source, plain, identities)
            except (pyrage.DecryptError, OSError) as error:
                raise _explained(error) from None
    return True


def _explained(error: Exception) -> Exception:
    if "No matching keys" in str(error):
        return Locked("The identity does not open this backup: it was encrypted for another.")
    if isinstance(error, pyrage.DecryptError) or "decryption error" in str(error):
        return Locked("The encrypted backup is damaged or incomplete.")
    return error  # of the disk


def _recipient(text: str) -> x25519.Recipient:
    try:
        return x25519.Recipient.from_str(text)
    except pyrage.RecipientError:
        raise Locked(f"{text!r} is not a recipient of age: it begins with age1.") from None


def _identities(file: Path | None) -> list[x25519.Identity]:
    if file is None:
        raise Locked("The backup is encrypted for a key of age: add --identity FILE.")
    try:
        lines = map(str.strip, file.read_text(errors="replace").splitlines())
        return [x25519.Identity.from_str(one) for one in lines if one and not one.startswith("#")]
    except pyrage.IdentityError:
        raise Locked(f"{file} has no identity of age, which age-keygen makes.") from None


def _own_key(sealed: bytes, secret: str) -> x25519.Identity:
    if not secret:
        raise Locked(
            "The backup is encrypted by a passphrase: set EBB_BACKUP_PASSPHRASE, or name a file "
            "with it in EBB_BACKUP_PASSPHRASE_FILE."
        )
    try:
        opened = passphrase.decrypt(base64.b64decode(sealed), secret)
        return x25519.Identity.from_str(opened.decode())
    except (pyrage.DecryptError, pyrage.IdentityError, ValueError):
        raise Locked("The passphrase in EBB_BACKUP_PASSPHRASE is wrong.") from None
