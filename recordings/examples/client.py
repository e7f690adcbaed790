# A small client of a local server, which the tests in the README test: submits workflow.json, follows its run on the
# socket, and returns the names of its pictures. Needs `pip install requests websocket-client`.
import json
import uuid

import requests
from websocket import create_connection


class OutOfMemory(Exception):
    """The server ran out of GPU memory; the text is the type of the node."""


def generate(url):
    client_id = str(uuid.uuid4())
    socket = create_connection(url.replace("http", "ws", 1) + "/ws?clientId=" + client_id)
    with open("workflow.json") as file:
        submit = {"prompt": json.load(file), "client_id": client_id}
    prompt_id = requests.post(url + "/prompt", json=submit).json()["prompt_id"]
    while True:
        frame = socket.recv()
        if isinstance(frame, bytes):
            continue  # a preview
        message = json.loads(frame)
        if message["data"].get("prompt_id") != prompt_id:
            continue
        if message["type"] == "execution_error":
            if "OutOfMemoryError" in message["data"]["exception_type"]:
                raise OutOfMemory(message["data"]["node_type"])
            raise RuntimeError(message["data"]["exception_message"])
        if message["type"] == "execution_success":
            break
    outputs = requests.get(url + "/history/" + prompt_id).json()[prompt_id]["outputs"]
    return [image["filename"] for output in outputs.values() for image in output["images"]]
