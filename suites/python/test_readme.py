"""The README, and the skill of assistants: each program runs as it is printed, and the first of the README is short."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EMULATOR = Path(__file__).parents[2] / "emulator"
README = EMULATOR / "python/README.md"
SKILL = EMULATOR / "skills/flowdouble/SKILL.md"


def programs_of(page: Path) -> list[str]:
    return re.findall(r"^```py\n(.*?)^```$", page.read_text("utf-8"), re.S | re.M)


PROGRAMS = programs_of(README)
ALL = PROGRAMS + programs_of(SKILL)


@pytest.mark.parametrize("program", ALL, ids=range(len(ALL)))
def test_a_program_of_the_readme(program: str, pytester: pytest.Pytester) -> None:
    tests = len(re.findall(r"^def test_", program, re.M))
    file = pytester.makepyfile(program)
    if tests > 0:
        result = pytester.runpytest_inprocess("-p", "no:asyncio", "-p", "no:cacheprovider")
        result.assert_outcomes(passed=tests)
    else:
        subprocess.run([sys.executable, str(file)], check=True)


def test_the_first_program_has_ten_lines() -> None:
    assert len(PROGRAMS[0].replace("\n\n", "\n").strip().split("\n")) <= 10


def test_its_failure_is_reported_as_printed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_client=PROGRAMS[0].replace('["hello"]', '["bye"]'))
    result = pytester.runpytest_inprocess("-p", "no:asyncio", "-p", "no:cacheprovider")
    printed = re.search(
        r"^```console\n\$ pytest\n…\n(.*?)…\n```$", README.read_text("utf-8"), re.S | re.M
    )
    assert printed is not None
    lines = [re.sub(r"[0-9a-f]{8}-[-0-9a-f]+", "*", line) for line in printed[1].splitlines()]
    result.stdout.fnmatch_lines(["*- flowdouble: comfyui -*", *lines[1:]])
