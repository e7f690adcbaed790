"""Starts the command `serve` as a child of this process, which ends with it however it ends."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from flowdouble._command import command
from flowdouble._errors import FlowdoubleError
from flowdouble._gateway import Gateway
from flowdouble._options import read_options
from flowdouble._world import World, key_of
from flowdouble.types import ServerOptions

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

_STOP_S = 10
"""How long a server may take to stop, in seconds."""
_END_S = 1
"""How long its process may go on when it has closed its port."""
_WRONG_USAGE = 2
"""The exit code for an option that is wrong."""


class Server(World):
    """A server on this machine, from `start()` or the `with` statement until `stop()` or its end; a world itself.

    It also stops when this process is gone, even if that is killed. Without options it is a local server at a free port
    on the real clock; `gateway=True` starts a webhook gateway beside it, on the same clock. Raises a TypeError for an
    unknown option; `start()` raises a FlowdoubleError with what Node says if the server does not start.
    """

    hosted: World | None = None
    """The hosted server of `deployment="both"`."""
    gateway: Gateway | None = None
    """The gateway of `gateway=True`."""

    def __init__(self, *, gateway: bool = False, **options: Unpack[ServerOptions]) -> None:
        super().__init__("", token=options.get("control_token"))
        self._with_gateway = gateway
        self._options = options
        self._process: _Process | None = None
        # Before the start, so that a mistake is found where it is made.
        self._config = read_options(
            options,
            ServerOptions,
            what="A server",
            deployment=options.get("deployment", "local"),
        )

    @classmethod
    def at(cls, url: str, *, token: str | None = None) -> Self:
        """The server that is running at an address already, which nobody stops here."""
        server = cls()
        server.url, server._token = url.rstrip("/"), token
        return server

    def start(self) -> Self:
        """Starts it, and returns it when it listens: some 0.2 seconds."""
        if self._process is not None or self.url:
            raise FlowdoubleError(f"This server has been started already, at {self.url}.")
        words = command("serve", "--json", "--quiet", "--stop-with-stdin")
        words += ["--port", "0"] if "port" not in self._config else []
        words += ["--with-gateway", "--gateway-port", "0"] if self._with_gateway else []
        self._know(_Process(words, self._config))
        return self

    def stop(self) -> None:
        """Stops it, and returns when it has ended. Does nothing for one that this process has not started."""
        if self._process is not None:
            self._process.stop()

    def close(self) -> bool:
        """Stops it; returns whether it was running."""
        was_running = self._process is not None and self._process.is_running()
        self.stop()
        return was_running

    def log(self) -> str:
        """What the server has written to standard error: warnings, such as of keys that were sent elsewhere."""
        return self._process.log() if self._process else ""

    @property
    def pid(self) -> int | None:
        """The id of the process; None for one that this process has not started."""
        return self._process.pid if self._process else None

    @property
    def ca(self) -> str | None:
        """The file with the certificate authority that clients must trust, with `tls="auto"`."""
        return self._process.ca if self._process else None

    def __enter__(self) -> Self:
        return self if self.url else self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _know(self, process: _Process) -> None:
        """Takes over the addresses of a process."""
        self._process = self._host = process
        said = process.addresses
        accounts = self._config.get("accounts")
        hosted = said.get("hosted")
        key = None if hosted is None else key_of(accounts or _accounts(hosted))
        self.url = said["url"]
        if self._options.get("deployment") == "hosted":
            self.deployment, self.api_key = "hosted", key
        elif hosted is not None:
            self.hosted = World(hosted["url"], token=self._token, host=process, api_key=key)
        if "gateway" in said:
            self.gateway = Gateway(said["gateway"], token=self._token, host=process)


def _accounts(hosted: dict[str, Any]) -> list[dict[str, Any]]:
    """The default accounts of a hosted server, which it announces."""
    return [{"keys": [one["key"]], "tier": one["tier"]} for one in hosted.get("keys", [])]


def _environment() -> dict[str, str]:
    """The environment without the options in it: those are for servers that people start, not for the one of a test."""
    return {name: value for name, value in os.environ.items() if not name.startswith("FLOWDOUBLE_")}


class _Process:
    """The child: it has the read end of a pipe as standard input, and stops when nobody has the other end any more."""

    addresses: dict[str, Any]
    ca: str | None

    def __init__(self, words: list[str], config: dict[str, Any]) -> None:
        # Not as flags: every user of this machine sees those, and they cannot hold content.
        self._folder = tempfile.TemporaryDirectory(prefix="flowdouble-")
        self._config = Path(self._folder.name) / "config.json"
        self._config.write_text(json.dumps(config), "utf-8")
        words = [*words, "--config", str(self._config)]
        if config.get("tls") == "auto":
            words += ["--tls-ca", str(Path(self._folder.name) / "ca.pem")]
        self._node = words[0]
        # A file, which never fills up as a pipe does that nobody reads.
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        # Ctrl+C is for this process: it stops its child when its tests have ended.
        apart: dict[str, Any] = (
            {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP, which other systems do not define
            if os.name == "nt"
            else {"start_new_session": True}
        )
        pipe = subprocess.PIPE
        try:
            self._child = subprocess.Popen(
                words, stdin=pipe, stdout=pipe, stderr=self._stderr, env=_environment(), **apart
            )
        except OSError as error:
            self._stderr.close()
            self._folder.cleanup()
            raise FlowdoubleError(
                f"Cannot start {words[0]}: {error}. FLOWDOUBLE_NODE names another Node."
            ) from error
        self.pid = self._child.pid
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        try:
            self.addresses = json.loads(line)
        except ValueError:
            why = self._why_not_started()
            self.stop()
            raise FlowdoubleError(why) from None
        # It is read, and can contain keys.
        self._config.unlink()
        self.ca = self.addresses.get("ca")

    def log(self) -> str:
        """What it has written to standard error."""
        if self._stderr.closed:
            return self._log
        self._stderr.seek(0)
        return self._stderr.read().decode(errors="replace")

    def _why_not_started(self) -> str:
        code = self._child.wait()
        said = self.log().strip()
        if code == _WRONG_USAGE:
            return f"The server did not start: {said.replace(f' of {self._config}', '')}"
        return (
            f"The server did not start. Node: {self._node} (FLOWDOUBLE_NODE names another one, "
            f"20.19 or newer). It ended with {code}:\n{said}"
        )

    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._child.poll() is None

    def why_gone(self) -> str | None:
        """A sentence about its end, for which it has a moment when it has closed its port; None while it runs."""
        try:
            code = self._child.wait(_END_S)
        except subprocess.TimeoutExpired:
            return None
        return f"The server has ended with {code}:\n{self.log().strip()}".strip(":\n") + "."

    def stop(self) -> None:
        """Closes its standard input, and ends it if it does not stop then."""
        if self._stderr.closed:
            return
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._child.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._log = self.log()
        self._stderr.close()
        self._folder.cleanup()
