"""One HTTP exchange. Each has a separate connection: an idle one may be closed by the server at any moment."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit


class Reply(NamedTuple):
    """The response to a request."""

    status: int
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes


def send(
    method: str,
    url: str,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    ca: str | None = None,
) -> Reply:
    """Sends a request past any proxy, and returns the response. Raises OSError if nobody answers.

    `ca` is a file with the certificate authority to trust for https.
    """
    place = urlsplit(url)
    host, port = place.hostname or "", place.port
    connection = (
        http.client.HTTPSConnection(host, port, context=ssl.create_default_context(cafile=ca))
        if place.scheme == "https"
        else http.client.HTTPConnection(host, port)
    )
    target = (place.path or "/") + (f"?{place.query}" if place.query else "")
    try:
        connection.request(method, target, body, dict(headers or {}))
        response = connection.getresponse()
        named = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, named, response.read())
    except http.client.HTTPException as error:
        raise ConnectionError(f"{url} did not answer in full: {error!r}") from error
    finally:
        connection.close()
