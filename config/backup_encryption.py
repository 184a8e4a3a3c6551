"""Encrypts backups in the format of age (age-encryption.org), as a stream.

A backup for recipients is an age file. A backup with a passphrase begins with a line that contains
a new key, encrypted with the passphrase; the age file for this key follows, because pyrage encrypts
streams for keys only. docs/transfer.md says how to open both without Ebb.
"""

import base64
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO

import pyrage
from pyrage import passphrase, x25519

_AGE = b"age-encryption.org/v1\n"
_OWN_KEY = b"ebb-backup-key "
_BLOCK = 2**20  # bytes
_LONGEST = 10_000  # bytes of the first line


class Locked(OSError):
    """The backup cannot be encrypted or decrypted; the text says why, and what to do."""


@dataclass(frozen=True)
class Keys:
    """The means to open an encrypted backup: a passphrase, or a file with identities of age."""

    passphrase: str = ""
    identity: Path | None = None


@contextmanager
def encrypted(file: IO[bytes], *, recipients: Sequence[str], secret: str) -> Iterator[IO[bytes]]:
    """Yield a file that encrypts into another file, for the recipients or otherwise with the
    passphrase.

    Yields the file itself if there is neither. Raises Locked.
    """
    if not (recipients or secret):
        yield file
        return
    public = [_recipient(one) for one in recipients]
    if not public:
        own = x25519.Identity.generate()
        sealed = passphrase.encrypt(str(own).encode(), secret)
        file.write(_OWN_KEY + base64.b64encode(sealed) + b"\n")
        public = [own.to_public()]
    reading, writing = _pipe()
    with _beside(lambda: pyrage.encrypt_io(reading, file, public), reading), writing:
        yield writing


@contextmanager
def decrypted(path: Path, keys: Keys) -> Iterator[tuple[IO[bytes], bool]]:
    """Yield the content of a backup, and whether it is encrypted. An encrypted one can only be read
    once, from its beginning, and damage shows at the end. Raises Locked.
    """
    with path.open("rb") as file:
        first = file.readline(_LONGEST)
        if first == _AGE:
            file.seek(0)
            identities = _identities(keys.identity)
        elif first.startswith(_OWN_KEY):
            identities = [_own_key(first.removeprefix(_OWN_KEY), keys.passphrase)]
        else:
            file.seek(0)
            yield file, False
            return
        reading, writing = _pipe()
        with _beside(lambda: pyrage.decrypt_io(file, writing, identities), writing), reading:
            yield reading, True


def drain(file: IO[bytes]) -> None:
    """Read the rest of a decrypted file, so that its end is checked."""
    while file.read(_BLOCK):
        pass


def _pipe() -> tuple[IO[bytes], IO[bytes]]:
    reading, writing = os.pipe()
    return os.fdopen(reading, "rb"), os.fdopen(writing, "wb")


@contextmanager
def _beside(work: Callable[[], None], its_end: IO[bytes]) -> Iterator[None]:
    """Do the work on a thread, which closes its end of a pipe. Raises its error as Locked."""
    failed: list[Exception] = []

    def run() -> None:
        try:
            with its_end:
                work()
        except BrokenPipeError:
            with suppress(BrokenPipeError):  # its buffer has no reader either
                its_end.close()
        except (OSError, pyrage.DecryptError, pyrage.EncryptError) as error:
            failed.append(error)

    thread = Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        if failed:
            raise _explained(failed[0])


def _explained(error: Exception) -> Locked:
    if "No matching keys" in str(error):
        return Locked("The identity does not open this backup: it was encrypted for another.")
    if "decryption error" in str(error) or isinstance(error, pyrage.DecryptError):
        return Locked("The encrypted backup is damaged or incomplete.")
    return Locked(str(error))


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
    except OSError as error:
        raise Locked(str(error)) from None
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
