"""Builds Citus and pgvector from their sources, beside a copy of this machine's PostgreSQL.

`python -m tests.citus.build CITUS PGVECTOR` leaves the result in `build/citus/root` and says where
the programs are. PostgreSQL finds its files relative to its programs, so nothing of the system is
changed. It needs a C compiler and `postgresql-server-dev`.
"""

import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "build" / "citus"


def programs() -> Path:
    """Return the folder of the copy's programs, such as `initdb`."""
    return FOLDER / "root" / _configured("bindir").relative_to("/")


def build(citus: Path, pgvector: Path) -> None:
    """Build both, unless an earlier run did."""
    libraries = FOLDER / "root" / _configured("pkglibdir").relative_to("/")
    if (libraries / "citus.so").exists() and (libraries / "vector.so").exists():
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name in ("bindir", "pkglibdir", "sharedir"):
        shutil.copytree(
            _configured(name), FOLDER / "root" / _configured(name).relative_to("/"), symlinks=False
        )
    for name, source in (("citus", citus), ("pgvector", pgvector)):
        shutil.copytree(source, FOLDER / name)
    _run("citus", "./configure", "--quiet", "--without-libcurl")
    _make("citus", "extension", "install-extension")
    _make("pgvector", "all", "install", "OPTFLAGS=")


def _make(name: str, build_target: str, install_target: str, *variables: str) -> None:
    common = ("make", "--silent", "with_llvm=no", *variables)
    _run(name, *common, "-j2", build_target)
    _run(name, *common, install_target, f"DESTDIR={FOLDER / 'root'}")


def _run(name: str, *command: str) -> None:
    sys.stderr.write(f"{name}: {' '.join(command)}\n")
    log = FOLDER / f"{name}.log"
    with log.open("a") as output:
        done = subprocess.run(command, cwd=FOLDER / name, stdout=output, stderr=output)
    if done.returncode:
        sys.exit(f"{name} was not built; the end of {log}:\n{log.read_text()[-2000:]}")


def _configured(name: str) -> Path:
    said = subprocess.run(["pg_config", f"--{name}"], capture_output=True, text=True, check=True)
    return Path(said.stdout.strip())


if __name__ == "__main__":
    build(*map(Path, sys.argv[1:3]))
    sys.stderr.write(f"PostgreSQL with Citus and pgvector is in {programs()}.\n")
