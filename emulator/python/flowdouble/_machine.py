"""What worlds and gateways have in common: their clock, what they have received, their states, their journal."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import quote, urlencode

from flowdouble._errors import FlowdoubleError
from flowdouble._http import Reply, send
from flowdouble.types import (
    ClockMove,
    ClockState,
    Expectation,
    Explanation,
    Health,
    ListedWorld,
    Readiness,
    ReceivedRequest,
    RequestFilter,
    ServerVersion,
    Verification,
)

if TYPE_CHECKING:
    import os

    from typing_extensions import Self, Unpack


T = TypeVar("T")


class Host(Protocol):
    """The process that serves a machine, as far as this package has started it."""

    ca: str | None

    def why_gone(self) -> str | None:
        """A sentence about its end; None while it runs."""


class Machine:
    """A world or a gateway, reached by its control API."""

    url: str
    """The base address, such as http://127.0.0.1:8188."""
    name: str | None
    """The name of a world beside others at an address; None for the one at the root."""

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        token: str | None = None,
        host: Host | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.name = name
        self._token = token
        self._host = host
        self._parent: Machine | None = None
        # Where its control API is, if that is not at its address.
        self._control: str | None = None

    @classmethod
    def at(cls, url: str, *, token: str | None = None) -> Self:
        """The one that is running at an address already. From another machine it requires the control token."""
        return cls(url, token=token)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"

    @property
    def inspector_url(self) -> str:
        """The page that shows what happens: open it in a browser."""
        return f"{self.url}/_flowdouble/"

    # The clock.

    def clock(self) -> ClockState:
        """What the clock shows: its kind, its time, and when the next timer is due."""
        return self._json(ClockState, "GET", "clock")

    def advance(self, ms: float) -> ClockMove:
        """Advances a manual clock by milliseconds. Returns when all effects are sent.

        Raises a FlowdoubleError (409) if the clock is not manual.
        """
        return self._json(ClockMove, "POST", "advance", {"ms": ms})

    def until(
        self, what: str | None = None, *, run: str | None = None, within_ms: float | None = None
    ) -> ClockMove:
        """Advances a manual clock until something happens. Returns when all effects are sent.

        `what` is idle (no timer is left), next (the next timer), or a state that a run reaches, such as success. With
        `run` only this run counts; without `what`, its next state. The clock moves by `within_ms` milliseconds at most,
        by default by a year. Raises a FlowdoubleError (409) if it does not happen, or the clock is not manual.
        """
        target: Any = what if run is None else given(run=run, state=what)
        if target is None:
            raise TypeError('until needs what to wait for, such as until("idle").')
        limited = given(until=target, withinMs=within_ms)
        return self._json(ClockMove, "POST", "advance", limited)

    # What was received.

    def requests(self, **filter: Unpack[RequestFilter]) -> list[ReceivedRequest]:
        """The requests since the last reset that match all members of the filter, oldest first, without secrets.

        The latest 10,000 are kept, up to 8 MiB.
        """
        return self._json(list[ReceivedRequest], "GET", "requests", query=filter)

    def verify(self, **expected: Unpack[Expectation]) -> Verification:
        """Counts the requests since the last reset that match, and lists those that nearly do."""
        return self._json(Verification, "POST", "verify", expected)

    def assert_requests(self, **expected: Unpack[Expectation]) -> None:
        """Raises an AssertionError that shows what came instead, unless as many requests match as expected."""
        verification = self.verify(**expected)
        if not verification["passed"]:
            raise AssertionError(verification["message"])

    def received(
        self, *, within_ms: float | None = None, **expected: Unpack[Expectation]
    ) -> ReceivedRequest:
        """Waits until as many requests match as expected (by default one), and returns the latest of them.

        The wait is in real time whatever the clock: at most `within_ms` milliseconds, by default 5000. Raises a
        FlowdoubleError (409) with the requests that come closest after that.
        """
        awaited = {**expected, **given(withinMs=within_ms)}
        return self._json(ReceivedRequest, "POST", "received", awaited)

    # Its states.

    def reset(self) -> None:
        """Returns to the start, with the rules and faults of its scenario. Sockets close with code 1012."""
        self._send("POST", "reset")

    def snapshot(self, name: str | None = None) -> str:
        """Keeps the state under a name, and returns the name. At most 100 are kept."""
        return self._json(str, "POST", "snapshot", given(name=name), member="name")

    def restore(self, name: str) -> None:
        """Returns to a snapshot. Sockets close with code 1012. Raises a FlowdoubleError for an unknown name."""
        self._send("POST", "restore", {"name": name})

    def close(self) -> bool:
        """Closes a world beside others at an address and removes it; returns whether it existed."""
        if self.name is None or self._parent is None:
            raise FlowdoubleError("This one was not created here: whoever started it stops it.")
        path = f"worlds/{quote(self.name, safe='')}"
        return self._parent._json(bool, "DELETE", path, member="closed")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._parent is not None:
            self.close()

    # What it has recorded.

    def recording(self) -> dict[str, Any]:
        """The session since the last reset as a HAR file: requests, responses, messages, frames; without secrets."""
        return self._json(dict[str, Any], "GET", "recording")

    def save_recording(self, path: str | os.PathLike[str]) -> Path:
        """Writes the recording to a file, which `flowdouble check --trace` and any HAR viewer open."""
        file = Path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(self._send("GET", "recording").body)
        return file

    def journal(self, since: int = 0, *, wait_ms: float = 0) -> list[dict[str, Any]]:
        """The latest inputs with their effects, after one object with the options; without secrets.

        Only entries from the number `since` on. Without any, waits for one up to `wait_ms` milliseconds of real
        time, 30,000 at most.
        """
        text = self._send("GET", "journal", query={"from": since, "waitMs": int(wait_ms)}).body
        return [json.loads(line) for line in text.splitlines()]

    def explain(self, entry: int) -> Explanation:
        """Explains an entry of the journal: its causes, and why a request was answered so, by which rules."""
        return self._json(Explanation, "GET", f"explain/{entry}")

    # The address.

    def health(self) -> Health:
        """Whether it is there: down while a fault keeps it down."""
        return self._json(Health, "GET", "health", accepts=(200, 503))

    def ready(self) -> Readiness:
        """Whether requests are to be sent its way: not while it is down or stops."""
        return self._json(Readiness, "GET", "ready", accepts=(200, 503))

    def version(self) -> ServerVersion:
        """The version of the package, and what it behaves like."""
        return self._json(ServerVersion, "GET", "version")

    def list_worlds(self) -> list[ListedWorld]:
        """The worlds below /w/NAME at this address as data: those of a server with their age and size."""
        return self._json(list[ListedWorld], "GET", "worlds")

    def paths(self) -> list[str]:
        """The methods and paths of its control API."""
        return self._json(list[str], "GET", "", member="paths")

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document of what it imitates."""
        return self._json(dict[str, Any], "GET", "openapi.json")

    def inspector(self) -> str:
        """The page at `inspector_url`, as HTML."""
        return self._send("GET", "/").body.decode()

    def _json(
        self,
        _type: type[T],
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, object] | None = None,
        member: str | None = None,
        accepts: Collection[int] = (200, 201),
    ) -> T:
        """The JSON value of the reply, or one member of it, which is of this type by the description of the API."""
        value: Any = json.loads(self._send(method, path, body, query, accepts).body)
        read: T = value if member is None else value[member]
        return read

    def _send(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Mapping[str, object] | None = None,
        accepts: Collection[int] = (200, 201),
    ) -> Reply:
        """Sends a control request: every method above does it here. Raises a FlowdoubleError for a refusal."""
        target = "/_flowdouble" + (f"/{path}" if path not in ("", "/") else path)
        if query:
            target += f"?{urlencode(query)}"
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if data is not None and data is not body:
            headers["Content-Type"] = "application/json"
        try:
            reply = self._exchange(method, (self._control or self.url) + target, data, headers)
        except OSError as error:
            gone = self._host.why_gone() if self._host else None
            raise FlowdoubleError(
                gone or f"Nobody answers at {self.url} ({error}). Is the server running?"
            ) from error
        if reply.status not in accepts:
            raise FlowdoubleError(self._reason(reply), reply.status)
        return reply

    def _exchange(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Reply:
        ca = self._host.ca if self._host else None
        return send(method, url, body=body, headers=headers, ca=ca)

    def _reason(self, reply: Reply) -> str:
        """Why a control request was refused, in the words of the server."""
        try:
            return str(json.loads(reply.body)["error"])
        except (ValueError, KeyError, TypeError):
            return (
                f"{self.url} has no control API: it answered {reply.status}. Is it flowdouble, "
                "and was it started without --no-control?"
            )


def given(**members: object) -> dict[str, object]:
    """The members that are not None."""
    return {name: value for name, value in members.items() if value is not None}
