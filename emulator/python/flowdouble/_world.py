"""A world of a workflow server: what can be scripted and observed beyond what every machine has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from flowdouble._machine import Host, Machine, given
from flowdouble._options import read_options, scenario_content
from flowdouble.types import (
    ActiveFault,
    RunView,
    Scenario,
    SentFrame,
    SocketEnd,
    SocketMessage,
    WorldOptions,
    WorldPlace,
)

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Unpack


class World(Machine):
    """A server that your client takes for a real one, and the methods that script and observe it."""

    deployment: str
    """local or hosted."""
    api_key: str | None
    """The key of a hosted account that may submit; None on local."""

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        token: str | None = None,
        host: Host | None = None,
        api_key: str | None = None,
    ) -> None:
        super().__init__(url, name=name, token=token, host=host)
        self.api_key = api_key
        self.deployment = "local" if api_key is None else "hosted"

    @property
    def ws_url(self) -> str:
        """The address of the socket, such as ws://127.0.0.1:8188/ws; the client adds clientId, on hosted token."""
        return f"{self.url.replace('http', 'ws', 1)}/ws"

    @property
    def client_env(self) -> dict[str, str]:
        """The environment variables with which the vendor's SDKs and command line use a hosted server; none on local."""
        if self.api_key is None:
            return {}
        addresses = ("COMFY_BASE_URL", "COMFY_ROUTER_BASE_URL", "COMFY_API_BASE_URL", "COMFY_CLOUD_BASE_URL")
        keys = ("COMFY_API_KEY", "COMFY_CLOUD_API_KEY")
        return {**dict.fromkeys(addresses, self.url), **dict.fromkeys(keys, self.api_key)}

    # The clock, and what it has sent.

    def until_message(
        self, type: str, data: Mapping[str, Any] | None = None, *, within_ms: float | None = None
    ) -> dict[str, Any]:
        """Advances a manual clock until a message of this type, with these members, is sent; returns its data.

        Returns when all effects are sent. The clock moves by `within_ms` milliseconds at most, by default by a year.
        Raises a FlowdoubleError (409) if no such message is sent, or the clock is not manual.
        """
        target = given(until={"message": type, "data": data or {}}, withinMs=within_ms)
        return self._json(dict[str, Any], "POST", "advance", target, member="found")

    def messages(
        self, *, type: str | None = None, direction: str | None = None, run: str | None = None
    ) -> list[SocketMessage]:
        """The messages of the sockets since the last reset that match, oldest first.

        `direction` is sent or received, as the server sees it. They are those among the latest 1,000 entries of the
        journal, some 36 runs of 20 steps.
        """
        query = given(type=type, direction=direction, run=run)
        return self._json(list[SocketMessage], "GET", "messages", query=query)

    def frames(self, *, frame: str | None = None) -> list[SentFrame]:
        """The binary frames since the last reset, such as previews, oldest first; `frame` names a layout."""
        return self._json(list[SentFrame], "GET", "frames", query=given(frame=frame))

    def picture(self, entry: int, effect: int = 0) -> bytes:
        """A picture that was sent, by the number of its entry in the journal and that of its effect."""
        return self._send("GET", f"pictures/{entry}.{effect}").body

    def runs(self) -> list[RunView]:
        """The runs in the queue and in the history, in the order of their submits."""
        return self._json(list[RunView], "GET", "runs")

    # What goes wrong.

    def fault(
        self,
        *,
        when: Mapping[str, Any],
        then: Mapping[str, Any],
        id: str | None = None,
        times: int | None = None,
    ) -> str:
        """Adds a fault from now on, and returns its id; one with the same id is replaced.

        `when` and `then` are as in a scenario: `fault(when={"path": "/queue"}, then={"status": 503})`. It applies
        `times` times, by default always. Raises a FlowdoubleError (400) that says what is wrong with it.
        """
        fault = given(when=when, then=then, id=id, times=times)
        return self._json(str, "POST", "faults", fault, member="id")

    def unfault(self, id: str) -> bool:
        """Removes a fault; returns whether it existed."""
        path = f"faults/{quote(id, safe='')}"
        return self._json(bool, "DELETE", path, member="removed")

    def faults(self) -> list[ActiveFault]:
        """The faults in force, with the numbers of their matches."""
        return self._json(list[ActiveFault], "GET", "faults")

    def load(self, scenario: Scenario | Sequence[Scenario]) -> None:
        """Replaces the rules, answers, messages and faults in force by those of a scenario: a name, a file, content.

        Several are merged in order. What only a new world takes (start, world, types) is refused (400).
        """
        content = scenario_content(scenario, deployment=self.deployment)
        self._send("POST", "scenario", content)

    def drop(self, how: SocketEnd = "reset") -> int:
        """Ends all open sockets, and returns how many they were: reset, silence, or {"close": 1012}."""
        return self._json(int, "POST", "drop", {"how": how}, member="dropped")

    # Other worlds at its address.

    def world(
        self,
        *,
        name: str | None = None,
        port: int | None = None,
        world_token: str | None = None,
        reuse: bool = False,
        saved: bytes | None = None,
        folders: Sequence[Path] = (),
        **options: Unpack[WorldOptions],
    ) -> World:
        """Creates a separate world with the options of this server except for these.

        It is served below /w/NAME, and with `port=0` also at the root of a free port. Options that name files are read
        here, relative to the first of `folders` that has them, by default to the current one. Raises a TypeError for an
        unknown option, and a FlowdoubleError (400, 409) for a wrong one and for a name that exists.

        With `reuse` a world of this name that exists is returned as it is. `world_token` is its token, on a server whose
        worlds have tokens; without it, the server makes one, which the returned world uses.

        With `saved`, the result of `save`, the world named `name` continues that one: it takes no other options.
        """
        if saved is not None:
            if name is None or port is not None or world_token is not None or reuse or options:
                raise TypeError("A saved world takes a name, and no other options.")
            place = self._json(WorldPlace, "PUT", f"worlds/{quote(name, safe='')}/state", saved)
            return self._other(place)
        body = read_options(options, WorldOptions, folders=folders, deployment=self.deployment)
        body.update(given(port=port, worldToken=world_token))
        if reuse and name is not None:
            place = self._json(WorldPlace, "PUT", f"worlds/{quote(name, safe='')}", body)
        else:
            place = self._json(WorldPlace, "POST", "worlds", {**body, **given(name=name)})
        world = self._other(place, world_token)
        if port is not None:
            # A fault can close its port, but not that of the server.
            address = re.sub("/w/[^/]+$", "", (self._parent or self).url)
            world._control = f"{address}/w/{world.name}"
        if self.deployment == "hosted" and "accounts" in body:
            world.api_key = key_of(body["accounts"])
        return world

    def save(self, name: str | None = None) -> bytes:
        """This world, or the one below /w/NAME, as a file for `world(saved=...)`, here or on another server.

        It has uploads and snapshots, and nothing of the journal. Trust such a file like a program.
        """
        path = "state" if name is None else f"worlds/{quote(name, safe='')}/state"
        return self._send("GET", path).body

    def fork(self, name: str | None = None) -> World:
        """Creates a world with the state of this one, below /w/NAME. From then on, neither affects the other."""
        return self._other(self._json(WorldPlace, "POST", "fork", given(name=name)))

    def metrics(self) -> str:
        """What the server and its worlds do and take, in the text format of Prometheus; not of a world beside it."""
        return self._send("GET", "metrics").body.decode()

    def worlds(self) -> list[World]:
        """The worlds below /w/NAME at this address, in the order in which they were created."""
        return [self._other(place) for place in self._json(list[WorldPlace], "GET", "worlds")]

    def _other(self, place: WorldPlace, token: str | None = None) -> World:
        other = World(
            place["url"],
            name=place["name"],
            token=place.get("worldToken", token or self._token),
            host=self._host,
            api_key=self.api_key,
        )
        other._parent = self._parent or self
        return other


def key_of(accounts: Sequence[Mapping[str, Any]]) -> str | None:
    """The key of an account that may submit: the first one that is not free, else the first one."""
    paying = [account for account in accounts if account.get("tier") != "free"]
    keys: Sequence[str] = (paying or accounts)[0]["keys"]
    return keys[0] if keys else None
