"""Drives comfy-api-proxy, which serves the hosted API in front of a local server, by comfy-sdk."""

import os
import socket
import subprocess
import urllib.request

import sdk
from comfy_sdk import Comfy
from driver import SERVER, check, until

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
url = f"http://127.0.0.1:{port}"


def is_healthy():
    try:
        with urllib.request.urlopen(url + "/api/v2/health") as response:
            return response.read()
    except OSError:
        return None


command = ["comfy-api-proxy", "--comfyui", SERVER, "--port", str(port)]
with subprocess.Popen(command, stdout=subprocess.DEVNULL) as proxy:
    try:

        @check("health")
        def _():
            return until(is_healthy)

        os.environ["COMFY_BASE_URL"] = url
        sdk.drive(Comfy())
    finally:
        proxy.terminate()
