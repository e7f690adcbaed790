"""The one error that this package raises itself."""

from __future__ import annotations


class FlowdoubleError(Exception):
    """What went wrong, and what to do instead: in the words of the server, if it was the server that refused.

    `status` is the HTTP status of the refusal: 400 for a wrong argument, 403 without permission, 404 for what does not
    exist, 409 for what is impossible now, such as moving a clock that is not manual. It is None without a reply.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
