"""docs/seeds.md, the table of the seeds: each row names its lines and a file that exists."""

import re
from pathlib import Path

from django.conf import settings

PAGE = Path(settings.BASE_DIR) / "docs" / "seeds.md"


def rows() -> list[tuple[str, str]]:
    """The lines and the file of each row."""
    table = [line.strip("|").split("|") for line in PAGE.read_text("utf-8").splitlines()]
    cells = [[cell.strip() for cell in row] for row in table if len(row) == 4]
    return [(row[0], row[2]) for row in cells if row[0][:1].isdigit()]


def test_every_row_names_its_lines_and_a_file_that_exists() -> None:
    assert len(rows()) == 140
    for lines, where in rows():
        for line in lines.split(","):
            first, _, last = line.strip().partition("–")
            assert int(first) <= int(last or first), lines
        paths = re.findall(r"`([^`]+)`", where)
        assert len(paths) == bool(where), where
        assert all((PAGE.parent.parent / path).is_file() for path in paths), where
