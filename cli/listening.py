"""The port that the service listens on."""

from __future__ import annotations

import errno
import os
import socket

from graph.errors import BadInput

WAITING_CLIENTS = 2_048


class PortUnavailable(BadInput):
    """The address and port can't be served on."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        """Name the address, and what the system says."""
        super().__init__(
            f"Can't serve on {host} port {port}: {reason}. "
            "Choose another with --port (0 takes a free one) or --host."
        )
        self.host = host
        self.port = port
        self.reason = reason


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; ``PortUnavailable`` where that is not possible."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=WAITING_CLIENTS)
    except OSError as error:
        raise PortUnavailable(host, port, _reason(error)) from error


def _reason(error: OSError) -> str:
    """What the system says, without what Python adds to it."""
    if error.errno is None or error.errno not in errno.errorcode:
        return str(error.strerror or error)
    return os.strerror(error.errno)
