"""What the control API returns and takes, member by member as it is sent: `nowMs` stays `nowMs`.

Objects can have more members than are named here. All times are in milliseconds.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

Scenario: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"
"""The name of a scenario of the package, a file of one (YAML or JSON), or its content."""

Content: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"
"""A JSON object, or a file with one."""

SocketEnd: TypeAlias = 'Literal["reset", "silence"] | Mapping[Literal["close"], int]'
"""How a socket ends: with a reset (clients see code 1006), silently, or with a close code: `{"close": 1012}`."""


class ClockState(TypedDict):
    """What a clock shows."""

    clock: str
    """manual, instant, real, or x and a factor."""
    nowMs: float
    """Since the start of the world."""
    timeMs: float
    """Since 1970."""
    nextMs: float | None
    """When the next timer is due; None without one."""


class _ClockMove(TypedDict):
    nowMs: float
    """Since the start of the world."""
    timeMs: float
    """Since 1970."""
    happened: dict[str, int]
    """How many effects of each kind occurred, such as {"message progress": 4}."""


class ClockMove(_ClockMove, total=False):
    """The result of moving a clock."""

    found: Any
    """What the clock moved to: the data of a message, or the state of a run."""


class _Moment(TypedDict):
    entry: int
    """The number of its entry in the journal."""
    nowMs: float
    """Since the start of the world."""
    timeMs: float
    """Since 1970."""


class _ReceivedRequest(_Moment):
    method: str
    path: str
    """Without the query."""
    query: dict[str, str]
    headers: dict[str, str]
    """By lower-case name. Credentials are placeholders."""
    body: Any
    """A JSON value, the fields of a form, a text, a number of bytes, or None."""
    status: int | None
    """None until the reply is sent."""


class ReceivedRequest(_ReceivedRequest, total=False):
    """A request that was received."""

    user: str | None
    """The account that sent it, on hosted."""
    run: str | None
    """The run that it has started: its prompt_id, at a gateway the id of the delivery."""


class Difference(TypedDict, total=False):
    """Where a request differs from what was expected."""

    at: str
    """The member, such as body.prompt.3.inputs.seed."""
    expected: Any
    received: Any
    """Missing if there is no such member."""


class NearRequest(TypedDict):
    """A request that nearly matches."""

    request: ReceivedRequest
    differs: list[Difference]


class MatchedRequest(_Moment):
    """A request that matches."""

    status: int | None


class Verification(TypedDict):
    """The result of a verification."""

    passed: bool
    """Whether as many requests match as expected."""
    count: int
    """How many requests match."""
    matched: list[MatchedRequest]
    """The requests that match, oldest first."""
    near: list[NearRequest]
    """Unless it passed: the requests that come closest, the closest first."""
    message: str
    """What was expected and received, for an assertion."""
    complete: bool
    """False if requests since the last reset are no longer kept."""


class _SocketMessage(_Moment):
    direction: Literal["sent", "received"]
    """As the server sees it."""
    sockets: list[int]
    type: str | None
    run: str | None


class SocketMessage(_SocketMessage, total=False):
    """A message of a socket."""

    data: Any
    """The data of the message; the text if it is not JSON."""


class SentFrame(_Moment):
    """A binary frame that was sent, such as a preview."""

    sockets: list[int]
    frame: str
    """The name of its layout."""
    fields: dict[str, Any]
    """Its fields apart from the picture."""


class RunView(TypedDict):
    """A run of a server, in its queue or in its history."""

    prompt_id: str
    state: Literal["pending", "running", "success", "error", "interrupted"]
    user: str | None
    """The account that submitted it; None on local."""


class _Fault(TypedDict):
    when: dict[str, Any]
    then: dict[str, Any]


class Fault(_Fault, total=False):
    """A fault as in a scenario."""

    id: str
    times: int


class ActiveFault(TypedDict):
    """A fault in force."""

    id: str
    fault: Fault
    matched: int
    """How many requests or messages have matched it."""
    applied: int
    """How many times it has applied."""


class StoredRun(TypedDict):
    """A run in the store of a gateway. Times are milliseconds since 1970."""

    key: str
    seq: int
    route: str
    delivery_id: str
    state: str
    target: str
    begun: int
    """How many times an agent has begun it."""
    attempt: int | None
    """The number of the last or next delivery attempt; None before the answer."""
    accepted_ms: float
    changed_ms: float
    error: str | None


class StoredRunDetail(StoredRun):
    """A run in the store of a gateway with its texts."""

    prompt: str
    payload: str
    answer: str | None
    agent_error: str | None
    text: str | None
    """The text to deliver."""


class ExplainedRule(TypedDict):
    """A rule of the protocol."""

    id: str
    says: str


class _Step(TypedDict):
    entry: int
    nowMs: float
    input: str
    """What came in."""
    effects: list[str]
    """What went out."""


class _Cause(_Step):
    because: str


class Cause(_Cause, total=False):
    """An earlier entry that caused another one."""

    due: bool
    """Whether it caused what was due when a refused request came."""


class Explanation(_Step):
    """Why an entry of the journal is as it is."""

    causes: list[Cause]
    """The earlier entries that caused it, the latest first."""
    reasons: list[str]
    """Why the answer is this one."""
    rules: list[ExplainedRule]
    """The rules behind the answer."""


class WorkerHealth(TypedDict):
    """Whether a process of ``serve --workers`` listens."""

    status: Literal["ok", "down"]
    url: str
    """Its address."""


class _Health(TypedDict):
    status: Literal["ok", "down"]
    """down while a fault keeps it down."""


class Health(_Health, total=False):
    """Whether a machine is there."""

    workers: list[WorkerHealth]
    """With ``serve --workers``, each process."""


class Readiness(TypedDict):
    """Whether requests are to be sent its way."""

    status: Literal["ready", "down", "closing"]


class ServerVersion(TypedDict):
    """What a machine is."""

    name: str
    version: str
    """The version of the package."""
    deployment: Literal["local", "hosted", "gateway"]
    like: str | None
    """The named server that it behaves like; None without one."""
    generation: str | None
    """The generation of a local server; None elsewhere."""


class _WorldPlace(TypedDict):
    name: str | None
    url: str


class WorldPlace(_WorldPlace, total=False):
    """A world at an address."""

    worldToken: str
    """Its token, once, of a server whose worlds have tokens."""


class ListedWorld(_WorldPlace, total=False):
    """A world in the list of an address; a gateway has a name and an address alone."""

    ageMs: float
    """Since it was created, in real time."""
    idleMs: float
    """Since its last request, in real time."""
    bytes: int
    """The memory that it takes, about."""
    runs: int
    """Its runs in queue and history."""
    sockets: int
    """Its open sockets."""


class Expectation(TypedDict, total=False):
    """Which requests to choose: those whose members all match. Objects match if they contain these members."""

    method: str
    path: str
    """With or without /api; * stands for one segment, ** for any number."""
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    """What the decoded body is or contains."""
    status: int
    user: str
    """An account of a hosted server."""
    run: str
    """The run that the request has started."""
    times: int
    """How many requests must match; by default at least one."""


class RequestFilter(TypedDict, total=False):
    """Which requests to list: those whose members all match."""

    method: str
    path: str
    """With or without /api; * stands for one segment, ** for any number."""
    status: int
    user: str
    """An account of a hosted server."""
    run: str
    """The run that the request has started."""


class WorldOptions(TypedDict, total=False):
    """The options of a world, as of `flowdouble serve`. Those left out are as the server has them."""

    like: str | None
    """Behave like a known server, such as comfyui-0.27."""
    scenario: Scenario | Sequence[Scenario]
    """What happens: its start, rules for runs and nodes, faults. Several are merged in order."""
    seed: str | int
    """Seed of ids, names and pictures: the same seed and inputs give the same bytes (default 0)."""
    clock: str
    """real, xN (N times as fast), instant, or manual: nothing happens until you advance it."""
    pace: float
    """Duration of each node and each sampling step in milliseconds (default 5)."""
    start_delay_ms: float
    """From the response to a submit to its run, in milliseconds (default 25)."""
    preview: Literal["jpeg", "png", "none"]
    """The format of the previews while sampling (default jpeg)."""
    cache: Literal["classic", "lru", "none"]
    """Which results runs reuse (default classic: those of the last graph)."""
    workflows: Content | Sequence[Content]
    """Workflows that run: adds the node types, models and input files that they need."""
    values: bool
    """With workflows, also accept values that they use and the combos of known nodes do not list."""
    object_info: Content | Sequence[Content] | None
    """Replaces the built-in node types: the GET /object_info of your server."""
    nodes: Content | Sequence[Content] | None
    """Additional node types in the form of GET /object_info."""
    models: Literal["listed", "any"]
    """Whether model files must be listed (default), or any is accepted."""
    unknown_nodes: Literal["refuse", "accept"]
    """Whether unknown node types are refused (default), or run as pass-through."""
    failures: str | os.PathLike[str] | Sequence[Mapping[str, Any]]
    """Nodes that fail: {class_type, node_id, user, run, exception_type, ...}."""
    accounts: str | os.PathLike[str] | Sequence[Mapping[str, Any]]
    """The accounts of a hosted server: {user, keys, tier, balance, ...}."""
    quirk: Sequence[str]
    """Behaviours of real servers to switch on (flowdouble quirks lists them)."""
    no_quirk: Sequence[str]
    """Those to switch off although `like` switches them on."""
    max_upload_size: float | None
    """The largest request body in MiB (default 100)."""
    ws_compress: bool
    """Compress messages for sockets that offer it."""
    manager: bool
    """Serve the paths of the node manager."""
    assets: bool
    """Have assets, on a local server like comfyui-0.27 or later."""
    asset_hashing: bool
    """Hash the contents of all files for assets, not only those of uploads."""
    feature_flag: Sequence[str]
    """Flags that GET /features also announces: KEY or KEY=VALUE."""
    epoch: int | Literal["now"]
    """Start of the world's time in milliseconds since 1970 (manual, instant: 2026-01-01 UTC)."""
    strict_signed_links: bool
    """Reject a signed link that is requested with a key."""


class ServerOptions(WorldOptions, total=False):
    """The options of a server: those of its world, and those of its address."""

    deployment: Literal["local", "hosted", "both"]
    """local (default), hosted (paths below /api, API keys, accounts), or one of each."""
    host: str
    """Address to listen on (default 127.0.0.1: this machine only)."""
    port: int
    """The first port to use; 0, the default here, picks free ones."""
    token: str | None
    """The bearer token that each request to a local server requires."""
    control: bool
    """Whether to serve the control API (default). Without it, the methods below do not work."""
    control_token: str | None
    """The bearer token for the control API from other machines."""
    shared: bool
    """Be shared by many: tokens for worlds, no unknown worlds, an end for idle ones, no previews."""
    public_url: str | None
    """Base URL of the addresses of worlds, if clients reach the server through a proxy."""
    unknown_worlds: str
    """What a path below the name of no world means: root (default), refuse or create."""
    world_tokens: bool
    """Give each new world a token, which alone opens its control API."""
    max_worlds: int
    """How many worlds there are at most."""
    world_idle: float | None
    """Close worlds that nobody has used for so many seconds."""
    world_age: float | None
    """Close worlds after so many seconds."""
    memory_mib: float | None
    """How many MiB all worlds take together before the oldest of their histories and journals goes."""
    state: str | None
    """A folder in which all worlds are saved, and found again."""
    state_every: float
    """How often those that have changed are saved there, in seconds (30)."""
    world_mib: float
    """How many MiB of uploads a world stores at most, and of waiting workflows (512)."""
    world_runs: int | None
    """How many runs of a world wait at most."""
    cors: str | None
    """Allow pages of this origin, or of any with *."""
    signed_base_url: str | None
    """Base URL of the signed links of a hosted server."""
    explain: bool
    """Add X-Flowdouble-Rules to each reply: the ids of the rules behind it."""
    journal: str | os.PathLike[str] | None
    """Record all inputs and effects in this file."""
    overwrite: bool
    """Replace an existing journal file."""
    web_root: str | os.PathLike[str] | None
    """The folder with the static files of a front end."""
    templates: str | os.PathLike[str] | None
    """The folder with workflow templates for the front end."""
    tls: Literal["auto"] | None
    """Use HTTPS and WSS with a new certificate; `ca` names the file that clients must trust."""
    tls_cert: str | os.PathLike[str] | None
    """Use HTTPS and WSS with this certificate (PEM)."""
    tls_key: str | os.PathLike[str] | None
    """Its private key (PEM)."""


class GatewayOptions(TypedDict, total=False):
    """The options of a gateway. Those left out are as the gateway has them."""

    secret: str | None
    """The secret for routes without a secret."""
    routes: Mapping[str, Mapping[str, Any]]
    """Static routes by name, which take precedence over subscriptions."""
    subscriptions: Mapping[str, Mapping[str, Any]]
    """Subscriptions by name: {secret, prompt, events, deliver, ...}."""
    scenario: Scenario | Sequence[Scenario]
    """A scenario, of which a gateway uses the part gateway: agent answers, deliveries, rate limits."""
    agent: Mapping[str, Any]
    """The script of the built-in agent: {answer, delayMs, failure, routes}."""
    clock: str
    """real, xN (N times as fast), instant, or manual: nothing happens until you advance it."""
    epoch: int | Literal["now"]
    """Start of the gateway's time in milliseconds since 1970, or now (default)."""
    seed: str | int
    """Seed of the ids that the gateway generates (default 0)."""
    rate_limit: int
    """Posts to one route per 60 seconds."""
    max_body_bytes: int
    """The largest body of a post."""
    home_channels: Mapping[str, str]
    """The chats for routes that do not name one, by platform."""
    connected: Sequence[str] | None
    """The connected platforms; deliveries to others fail. None: all that have a chat."""
    quirk: Sequence[str]
    """Behaviours of real gateways to switch on."""
    no_quirk: Sequence[str]
    """Those to switch off."""
