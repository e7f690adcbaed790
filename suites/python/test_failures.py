"""What a failed test leaves and prints: the recording of its worlds, their latest requests and messages."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from flowdouble._command import command
from flowdouble._kept import recording_path

Suite = Callable[..., pytest.RunResult]

FAILING = """
def test_it(comfyui):
    urlopen(comfyui.url + "/queue?a=1")
    assert False
"""


def recordings(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob("*.har"))


def test_the_recording_is_kept_and_its_path_printed(
    suite: Suite, pytester: pytest.Pytester
) -> None:
    result = suite(FAILING)
    result.assert_outcomes(failed=1)
    name = "test_the_recording_is_kept_and_its_path_printed.py-test_it.har"
    result.stdout.fnmatch_lines(
        [
            "*- flowdouble: comfyui -*",
            f"recording: .flowdouble/{name}",
            f"open it:   flowdouble check --trace .flowdouble/{name}",
            "latest requests:",
            "  200  GET /queue?a=1",
        ]
    )
    har = json.loads((pytester.path / ".flowdouble" / name).read_text())
    assert har["log"]["entries"][0]["request"]["url"].endswith("/queue?a=1")
    # Nobody commits it by accident.
    assert (pytester.path / ".flowdouble/.gitignore").read_text() == "*\n"


def test_the_printed_command_opens_it(suite: Suite, pytester: pytest.Pytester) -> None:
    result = suite(FAILING)
    (line,) = [line for line in result.outlines if line.startswith("open it:")]
    words = line.split()[3:]
    judged = subprocess.run(command(*words), cwd=pytester.path, capture_output=True, text=True)
    assert (judged.returncode, judged.stderr) == (0, ""), judged.stdout


def test_a_test_that_passes_leaves_nothing(suite: Suite, pytester: pytest.Pytester) -> None:
    suite("def test_it(comfyui): ...").assert_outcomes(passed=1)
    assert not (pytester.path / ".flowdouble").exists()


def test_a_mended_test_removes_its_recording(suite: Suite, pytester: pytest.Pytester) -> None:
    suite(FAILING)
    folder = pytester.path / ".flowdouble"
    assert len(recordings(folder)) == 1
    suite(FAILING.replace("False", "True")).assert_outcomes(passed=1)
    assert recordings(folder) == []


def test_tests_that_fail_as_expected_and_skips_leave_nothing(
    suite: Suite, pytester: pytest.Pytester
) -> None:
    suite(
        """
@pytest.mark.xfail
def test_expected(comfyui): assert False
def test_skipped(comfyui): pytest.skip("no")
"""
    ).assert_outcomes(xfailed=1, skipped=1)
    assert not (pytester.path / ".flowdouble").exists()


def test_a_fixture_that_fails_counts_too(suite: Suite) -> None:
    result = suite(
        """
@pytest.fixture
def client(comfyui):
    urlopen(comfyui.url + "/queue")
    raise ValueError
def test_it(client): ...
"""
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["recording: .flowdouble/*.har", "  200  GET /queue"])


def test_each_world_of_a_test_has_a_recording(suite: Suite, pytester: pytest.Pytester) -> None:
    result = suite("def test_it(comfyui, comfyui_hosted, webhook_gateway): assert False")
    names = recordings(pytester.path / ".flowdouble")
    assert [name.split("test_it")[1] for name in names] == [
        "-comfyui_hosted.har",
        "-webhook_gateway.har",
        ".har",
    ]
    for fixture in ("comfyui", "comfyui_hosted", "webhook_gateway"):
        result.stdout.fnmatch_lines([f"*- flowdouble: {fixture} -*"])


@pytest.mark.parametrize("how", ["option", "ini"])
def test_the_folder_can_be_chosen(suite: Suite, pytester: pytest.Pytester, how: str) -> None:
    if how == "ini":
        pytester.makeini("[pytest]\nflowdouble_output = out/sessions")
    arguments = ["--flowdouble-output", "out/sessions"] if how == "option" else []
    result = suite(FAILING, *arguments)
    result.stdout.fnmatch_lines(["recording: out/sessions/*.har"])
    assert len(recordings(pytester.path / "out/sessions")) == 1


def test_a_folder_that_is_there_keeps_its_files(suite: Suite, pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("out")
    (folder / "other.har").write_text("{}")
    suite(FAILING, "--flowdouble-output", "out")
    assert len(recordings(folder)) == 2
    assert not (folder / ".gitignore").exists()


def test_the_latest_messages_and_deliveries_are_printed(suite: Suite) -> None:
    result = suite(
        """
@pytest.mark.webhook_gateway(subscriptions={"ci": {"prompt": "Build {status}", "secret": "of-the-sender"}})
def test_it(comfyui, webhook_gateway):
    webhook_gateway.post("ci", {"status": "green"})
    body = json.dumps({"prompt": {"1": {"class_type": "PreviewAny", "inputs": {"source": "hi"}}}})
    for _ in range(12):
        urlopen(comfyui.url + "/prompt", body.encode())
    assert False
"""
    )
    result.stdout.fnmatch_lines(
        [
            "latest requests (of 12):",
            "  200  POST /prompt  run ????????-*",
            "latest deliveries:",
            "  delivered  log: 'Build green'",
        ]
    )


def test_no_key_is_in_a_recording_or_printed(suite: Suite, pytester: pytest.Pytester) -> None:
    result = suite(
        """
@pytest.mark.comfyui(accounts=[{"user": "me", "keys": ["a-secret-key"]}])
def test_it(comfyui_hosted):
    asked = Request(comfyui_hosted.url + "/api/queue?token=a-secret-key")
    asked.add_header("X-API-Key", comfyui_hosted.api_key)
    urlopen(asked)
    assert False
"""
    )
    result.assert_outcomes(failed=1)
    (name,) = recordings(pytester.path / ".flowdouble")
    assert "a-secret-key" not in (pytester.path / ".flowdouble" / name).read_text()
    printed = result.stdout.str().split("flowdouble: comfyui_hosted")[1]
    assert "/api/queue" in printed
    assert "a-secret-key" not in printed


def test_a_server_that_is_gone_is_said(suite: Suite) -> None:
    result = suite(
        """
import os, signal
def test_it(comfyui, comfyui_server):
    os.kill(comfyui_server.pid, signal.SIGKILL)
    comfyui.clock()
"""
    )
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(["There is no recording of http*: The server has ended with -9.*"])


def test_names_of_recordings_differ_and_fit() -> None:
    folder = Path("out")
    paths = [f"tests/test_a.py::TestB::test_c[{one}]" for one in ("a/b", "a_b", "a-b", "x" * 400)]
    paths += [f"{one}.py::test_{'x' * 200}" for one in ("a", "b")]
    names = {recording_path(folder, one, "comfyui").name for one in paths}
    assert len(names) == len(paths)
    assert max(len(name) for name in names) < 150
    assert recording_path(folder, "t.py::test_a", "comfyui").name == "t.py-test_a.har"
