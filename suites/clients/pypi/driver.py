"""What the drivers of Python clients share: the address of the server and a key, the workflows, and how a check is reported."""

import asyncio
import contextlib
import inspect
import json
import os
import subprocess
import sys
import time
import traceback

SERVER = os.environ["SERVER"]
API_KEY = os.environ["API_KEY"]
ADDRESS = SERVER.split("//", 1)[1]


def load(name, seed=7):
    """One of the workflows. Another seed makes a server that keeps results sample again."""
    with open(name + ".json", encoding="utf-8") as file:
        graph = json.load(file)
    graph["3"]["inputs"]["seed"] = seed
    return graph


def check(name):
    """Runs a function as a check: what it returns is the detail of its report, and an exception fails it."""

    def decorate(function):
        try:
            with contextlib.redirect_stdout(sys.stderr):
                detail = function()
                if inspect.isawaitable(detail):
                    detail = asyncio.run(detail)
            report(name, True, detail)
        except BaseException as error:  # a client may end the process
            traceback.print_exc()
            report(name, False, f"{type(error).__name__}: {error}")

    return decorate


def report(name, ok, detail):
    line = {"check": name, "ok": ok, "detail": str(detail)[:300]}
    print(json.dumps(line, separators=(",", ":")), flush=True)


def raised(function, *args, **kwargs):
    """The exception that a call ends with."""
    try:
        result = function(*args, **kwargs)
        if inspect.isawaitable(result):
            result = asyncio.run(result)
    except Exception as error:
        return error
    raise AssertionError(f"no exception, but {result!r}")


def command(*args, seconds=60):
    """Runs a program of the client: its exit code and what it printed."""
    done = subprocess.run(args, capture_output=True, text=True, timeout=seconds)
    print("$", *args, done.stdout, done.stderr, sep="\n", file=sys.stderr)
    return done


def answer(*args, code=0):
    """What a program of the client prints as JSON, an error on the other stream, when it ends with this exit code."""
    done = command(*args)
    assert done.returncode == code, f"exit code {done.returncode}: {done.stderr[-200:]}"
    found, _ = json.JSONDecoder().raw_decode((done.stdout if done.stdout.strip() else done.stderr).lstrip())
    return found


def picture(data, size=(512, 512)):
    """What a downloaded picture is; anything but a whole PNG file of this size is an error."""
    data = bytes(data)
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and b"IEND" in data[-12:], data[:16]
    found = (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))
    assert found == size, found
    return f"{len(data)} bytes"


def until(condition, seconds=30):
    """Waits until a condition holds, and returns what it is."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("not in time")
