"""A webhook gateway: its subscriptions and deliveries, and signed posts to it."""

from __future__ import annotations

import hashlib
import hmac
import json
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from flowdouble._errors import FlowdoubleError
from flowdouble._machine import Host, Machine, given
from flowdouble._options import read_options
from flowdouble.types import GatewayOptions, StoredRun, StoredRunDetail, WorldPlace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from typing_extensions import Unpack


class PostReply(NamedTuple):
    """The response to a post."""

    status: int
    body: Any
    """The JSON value, else the text."""


class Gateway(Machine):
    """A gateway that receives webhooks, starts agent runs, and delivers their answers to an outbox."""

    secret: str | None
    """The secret for routes without a secret, as far as it is known here."""

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        token: str | None = None,
        host: Host | None = None,
        secret: str | None = None,
    ) -> None:
        super().__init__(url, name=name, token=token, host=host)
        self.secret = secret
        self._secrets: dict[str, str] = {}

    def hook_url(self, route: str) -> str:
        """The address to which a sender posts the events of a route."""
        return f"{self.url}/webhooks/{route}"

    def post(
        self,
        route: str,
        payload: object,
        *,
        event: str = "push",
        secret: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> PostReply:
        """Posts a payload to a route as a code host does: as JSON, with the event type and an HMAC-SHA256 signature.

        It is signed with the secret of the route, as subscribed here, else with that of the gateway; `secret` overrides
        both. `headers` replace or add headers. For other kinds of senders: `flowdouble webhook test --as stripe`.
        """
        key = secret or self._secrets.get(route) or self.secret
        if key is None:
            raise FlowdoubleError(f"The secret of the route {route} is not known here: pass it.")
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        signature = hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
        signed = {
            "Content-Type": "application/json",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": str(uuid.uuid4()),
            "X-Hub-Signature-256": f"sha256={signature}",
            **(headers or {}),
        }
        reply = self._exchange("POST", self.hook_url(route), body, signed)
        try:
            return PostReply(reply.status, json.loads(reply.body))
        except ValueError:
            return PostReply(reply.status, reply.body.decode(errors="replace"))

    def runs(self) -> list[dict[str, Any]]:
        """The latest agent runs, oldest first, with parsed payloads."""
        return self._json(list[dict[str, Any]], "GET", "runs")

    def outbox(self) -> list[dict[str, Any]]:
        """The latest deliveries, one entry per attempt, oldest first."""
        return self._json(list[dict[str, Any]], "GET", "outbox")

    def fail_deliveries(
        self,
        target: str,
        *,
        error: str = "scripted",
        times: int | None = 1,
        status: int | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        """Makes the next deliveries to a target (* for any) fail with this error; `times=None` means always.

        The status of the reply and the pause that it asks for decide about retries.
        """
        facts = given(status=status, retryAfterMs=retry_after_ms)
        self._send("POST", "outbox", {"target": target, "error": error, "times": times, **facts})

    def subscribe(self, name: str, route: Mapping[str, Any]) -> None:
        """Adds or replaces a subscription in memory: {secret, prompt, events, deliver, ...}.

        Raises a FlowdoubleError (400) for a route that is not valid, such as one without any secret.
        """
        self._send("POST", "subscriptions", {"name": name, "route": dict(route)})
        self._know({name: route})

    def unsubscribe(self, name: str) -> bool:
        """Removes a subscription in memory; returns whether it existed."""
        gone = {"name": name, "route": None}
        return self._json(bool, "POST", "subscriptions", gone, member="removed")

    # The runs in its store: a gateway without one refuses these with 409.

    def stored_runs(
        self, *, state: str | None = None, route: str | None = None, limit: int | None = None
    ) -> list[StoredRun]:
        """The latest runs in its store, oldest first: all, or those in a state or of a route."""
        query = given(state=state, route=route, limit=limit)
        return self._json(list[StoredRun], "GET", "stored-runs", query=query)

    def stored_run(self, id: str) -> StoredRunDetail:
        """A run in its store with its texts, by its key or the id of its delivery."""
        return self._json(StoredRunDetail, "GET", self._stored(id))

    def retry_run(self, id: str) -> StoredRunDetail:
        """Delivers the answer of a run that has ended again; a run without one runs again."""
        return self._json(StoredRunDetail, "POST", self._stored(id), {"do": "retry"})

    def cancel_run(self, id: str) -> StoredRunDetail:
        """Ends a run that has not ended, without a delivery."""
        return self._json(StoredRunDetail, "POST", self._stored(id), {"do": "cancel"})

    def drop_run(self, id: str) -> StoredRunDetail:
        """Deletes a run that has ended."""
        return self._json(StoredRunDetail, "DELETE", self._stored(id))

    def _stored(self, id: str) -> str:
        return f"stored-runs/{quote(id, safe='')}"

    # Other gateways at its address.

    def world(
        self,
        *,
        name: str | None = None,
        folders: Sequence[Path] = (),
        **options: Unpack[GatewayOptions],
    ) -> Gateway:
        """Creates a separate gateway below /w/NAME at the same address, with the options of this one except for these.

        Scenario files are read here, relative to the first of `folders` that has them. Raises a TypeError for an
        unknown option, and a FlowdoubleError (400, 409) for a wrong one and for a name that exists.
        """
        body = read_options(options, GatewayOptions, what="A gateway", folders=folders)
        body.update(given(name=name))
        gateway = self._other(self._json(WorldPlace, "POST", "worlds", body))
        gateway.secret = options.get("secret", self.secret)
        gateway._know(options.get("routes", {}))
        gateway._know(options.get("subscriptions", {}))
        return gateway

    def fork(self, name: str | None = None) -> Gateway:
        """Creates a gateway with the state of this one, below /w/NAME. From then on, neither affects the other."""
        forked = self._other(self._json(WorldPlace, "POST", "fork", given(name=name)))
        forked._secrets.update(self._secrets)
        return forked

    def worlds(self) -> list[Gateway]:
        """The gateways below /w/NAME at this address, in the order in which they were created."""
        return [self._other(place) for place in self._json(list[WorldPlace], "GET", "worlds")]

    def _know(self, routes: Mapping[str, Mapping[str, Any]]) -> None:
        for name, route in routes.items():
            if isinstance(route.get("secret"), str):
                self._secrets[name] = route["secret"]

    def _other(self, place: WorldPlace) -> Gateway:
        other = Gateway(
            place["url"],
            name=place["name"],
            token=self._token,
            host=self._host,
            secret=self.secret,
        )
        other._parent = self._parent or self
        return other
