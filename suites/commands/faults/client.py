"""A client of a server with faults, built on requests and websocket-client: prints what it observes as JSON.

Usage: client.py URL WORKFLOW, where the workflow is JSON in API format.
"""

import json
import sys

import requests
import websocket

URL, WORKFLOW = sys.argv[1], json.loads(sys.argv[2])
WS = URL.replace("http", "ws", 1)
SHORT, LONG = 0.3, 20

seen = {}


def get(name, **options):
    """The answer of the path of a fault, or the name of the exception."""
    try:
        response = requests.get(f"{URL}/fault/{name}", timeout=LONG, **options)
        seen[name] = {
            "status": response.status_code,
            "after": response.headers.get("Retry-After"),
            "text": response.text,
        }
    except requests.RequestException as error:
        seen[name] = {"error": type(error).__name__, "reset": "ConnectionResetError" in repr(error)}


def get_in_parts(name, timeout):
    """The body of a response as far as it comes before a timeout."""
    read = b""
    try:
        with requests.get(f"{URL}/fault/{name}", timeout=timeout, stream=True) as response:
            for part in response.iter_content(chunk_size=1):
                read += part
        seen[name] = {"text": read.decode(), "error": None}
    except requests.RequestException as error:
        seen[name] = {"text": read.decode(), "error": type(error).__name__}


def open_socket(client_id):
    return websocket.create_connection(f"{WS}/ws?clientId={client_id}", timeout=LONG)


def submit(client_id):
    # A new seed: nothing comes from the cache.
    WORKFLOW["3"]["inputs"]["seed"] += 1
    body = {"prompt": WORKFLOW, "client_id": client_id}
    return requests.post(f"{URL}/prompt", json=body, timeout=LONG).json()["prompt_id"]


def follow(name):
    """Runs the workflow, and records the messages of its socket until its end, or until the socket ends."""
    socket = open_socket(name)
    submit(name)
    found = {"types": [], "values": [], "previews": [], "end": None}
    try:
        while "execution_success" not in found["types"]:
            opcode, data = socket.recv_data()
            if opcode == websocket.ABNF.OPCODE_CLOSE:
                found["end"] = int.from_bytes(data[:2], "big")
                break
            if opcode == websocket.ABNF.OPCODE_BINARY:
                found["previews"].append(len(data))
                continue
            message = json.loads(data)
            found["types"].append(message["type"])
            if message["type"] == "progress":
                found["values"].append(message["data"].get("value"))
    except (OSError, websocket.WebSocketException) as error:
        found["end"] = type(error).__name__
    seen[name] = found
    return socket


def refused(name):
    try:
        open_socket(name)
        seen[name] = {"error": None}
    except (OSError, websocket.WebSocketException) as error:
        seen[name] = {"error": type(error).__name__, "status": getattr(error, "status_code", None)}


for one in ("status", "reset", "reset-in-body", "truncate", "lost"):
    get(one)
get_in_parts("delayed", SHORT)
get_in_parts("stalled", SHORT)
get_in_parts("slow", LONG)

for one in ("refuse", "reset-handshake"):
    refused(one)
for one in ("plain", "skip", "repeat", "late", "alter", "close", "drop", "cut"):
    follow(one).close()
follow("insert").close()
follow("short").close()
follow("swap").close()

silent = open_socket("silence")
submit("silence")
silent.settimeout(SHORT)
silent.ping("are you there")
received = []
try:
    while True:
        received.append(json.loads(silent.recv())["type"])
except (OSError, ValueError, websocket.WebSocketException) as error:
    seen["silence"] = {"types": received, "error": type(error).__name__}

follow("restart")
seen["restart"]["queue"] = requests.get(f"{URL}/queue", timeout=LONG).json()
seen["restart"]["history"] = requests.get(f"{URL}/history", timeout=LONG).json()

print(json.dumps(seen))
