// The limits of the server and the gateway: each number once, for the server, for the suites and for the documents.

export type Limit = {
  /** What is limited, and where. */
  readonly what: string
  readonly value: number
  /** What is counted. */
  readonly unit:
    | 'attempts'
    | 'blocks'
    | 'bytes'
    | 'calls'
    | 'characters'
    | 'connections'
    | 'days'
    | 'faults'
    | 'files and folders'
    | 'ids'
    | 'levels'
    | 'lines'
    | 'messages'
    | 'nodes'
    | 'numbers'
    | 'pixels'
    | 'posts'
    | 'requests'
    | 'runs'
    | 'samples'
    | 'seconds'
    | 'secrets'
    | 'snapshots'
    | 'steps'
    | 'tasks'
    | 'users'
    | 'workflows'
    | 'worlds'
  /** Rules whose sentences state the number. */
  readonly rules: readonly `${string}/${string}`[]
}

const MiB = 2 ** 20

const limit = (value: number, unit: Limit['unit'], what: string, rules: Limit['rules']): Limit => ({
  what,
  value,
  unit,
  rules,
})

export const limits = {
  body: limit(
    100 * MiB,
    'bytes',
    'the body of a request, unless the server is configured otherwise',
    ['http/body-limit'],
  ),
  line: limit(8190, 'bytes', 'the request line and each header line of a request', [
    'http/long-lines',
  ]),
  clientMessage: limit(4 * MiB, 'bytes', 'a client message on the socket', ['messages/too-large']),
  behind: limit(64 * MiB, 'bytes', 'the data that waits for a socket whose client does not read', [
    'messages/slow-reader',
    'v2-streams/behind',
  ]),
  pending: limit(
    512 * MiB,
    'bytes',
    'all pending workflows together; on the hosted server those of one account',
    ['queue/bounded', 'queue/hosted-bounded'],
  ),
  pixels: limit(
    2_000_000,
    'pixels',
    'a picture that the server encodes before it handles another request',
    ['files/large-pictures', 'v2-assets/large-outputs'],
  ),
  videoBlocks: limit(
    1_048_576,
    'blocks',
    'the blocks of 16 by 16 pixels that are painted for a video',
    ['files/video-bounded'],
  ),
  soundSamples: limit(33_554_432, 'samples', 'a sound in a file, all its channels together', [
    'files/sounds-bounded',
  ]),
  uploads: limit(
    512 * MiB,
    'bytes',
    'all stored uploads; on the hosted server those of one account',
    ['files/upload-bounds', 'files/hosted-upload-bounds'],
  ),
  history: limit(10_000, 'runs', 'runs in the history', ['history/cap']),
  userdata: limit(64 * MiB, 'bytes', 'all files in the user folder together', ['userdata/bounds']),
  userdataEntries: limit(
    10_000,
    'files and folders',
    'the user folder, including the folder itself',
    ['userdata/bounds'],
  ),
  routerBacklog: limit(100, 'calls', 'the calls of models of an account that wait', [
    'router-queue/backlog',
  ]),
  routerDeadline: limit(300, 'seconds', 'how long a request waits for a call of a model', [
    'router-runs/deadline',
  ]),
  routerEcho: limit(16_384, 'characters', 'the inputs that an output of a model repeats', [
    'router-runs/long-input',
  ]),
  assetTexts: limit(64 * MiB, 'bytes', 'the names, tags and metadata of all assets together', [
    'assets/bounds',
    'hosted-assets/bounds',
  ]),
  secrets: limit(100, 'secrets', 'the secrets of a hosted account', ['secrets/most']),
  tasks: limit(1000, 'tasks', 'the tasks of a hosted account, such as downloads of assets', [
    'tasks/bounds',
  ]),
  savedWorkflows: limit(1000, 'workflows', 'the saved workflows of a hosted account', [
    'saved-workflows/most',
  ]),
  savedWorkflowBytes: limit(
    64 * MiB,
    'bytes',
    'all versions of the saved workflows of a hosted account, and those that it has published',
    ['saved-workflows/room'],
  ),
  timedMessages: limit(
    100_000,
    'messages',
    'messages of a scenario that timers send without an input in between',
    ['scenario/message-every-rest'],
  ),
  users: limit(1000, 'users', 'added users', ['settings/user-bounds']),
  userName: limit(255, 'characters', 'the name of a user', ['settings/user-bounds']),
  log: limit(300, 'lines', 'the log that clients can read', ['internal/log-lines']),
  webhookBody: limit(MiB, 'bytes', 'the body of a post to the gateway', ['webhooks/declared-size']),
  webhookDepth: limit(1000, 'levels', 'the nesting of a payload at the gateway', [
    'webhooks/deep-body',
  ]),
  webhookRate: limit(30, 'posts', 'posts to one route within the rate-limit window', [
    'webhooks/rate-limit',
  ]),
  webhookRateWindow: limit(60, 'seconds', 'the rate-limit window', ['webhooks/rate-limit']),
  deliveryIdLifetime: limit(3600, 'seconds', 'how long the gateway remembers a delivery id', [
    'webhooks/id-lifetime',
  ]),
  deliveryIds: limit(100_000, 'ids', 'delivery ids that the gateway remembers', [
    'webhooks/ids-bounded',
  ]),
  signatureWindow: limit(
    300,
    'seconds',
    'the difference between a signed time and the clock, in either direction',
    ['signatures/window'],
  ),
  linearWindow: limit(60, 'seconds', 'the same for the `webhookTimestamp` of Linear', [
    'signatures/linear-window',
  ]),
  expressionSteps: limit(2_000_000, 'steps', 'the search for a regular expression in one text', [
    'nodes/expressions-bounded',
    'scenario/node-validate-pattern',
  ]),
  computedNumbers: limit(2 ** 31, 'numbers', 'what is computed for one picture', [
    'nodes/picture-bounded',
  ]),
  computedChain: limit(400, 'nodes', 'nodes in a row whose results are computed', [
    'nodes/chain-bounded',
  ]),
  renderedText: limit(16 * MiB, 'bytes', 'the text that a template renders to', [
    'templates/too-long',
  ]),
  agentRuns: limit(10_000, 'runs', 'agent runs that the gateway lists, and entries of its outbox', [
    'deliveries/runs-kept',
  ]),
  recent: limit(
    64 * MiB,
    'bytes',
    'the size of all listed agent runs, and likewise of all outbox entries',
    ['deliveries/runs-kept'],
  ),
  noticeReason: limit(
    300,
    'characters',
    'the part of the reason that the notice of a failed run repeats',
    ['deliveries/failed-run'],
  ),
  waitingRuns: limit(1000, 'runs', 'agent runs that wait for their answer', [
    'deliveries/runs-bounded',
  ]),
  waitingRunBytes: limit(64 * MiB, 'bytes', 'the size of all waiting agent runs', [
    'deliveries/runs-bounded',
  ]),
  keptRuns: limit(30, 'days', 'how long the store keeps runs that have ended', ['store/bounded']),
  store: limit(1024 * MiB, 'bytes', 'the store of a gateway in a file', ['store/bounded']),
  gatewayLease: limit(15, 'seconds', 'after which a silent gateway on a shared store is dead', [
    'store/takeover',
  ]),
  drain: limit(30, 'seconds', 'how long a gateway that stops waits for its work', [
    'store/drain-limit',
  ]),
  agentsAtOnce: limit(10, 'runs', 'concurrent runs of a real agent', ['deliveries/agents-at-once']),
  agentAnswer: limit(MiB, 'bytes', 'the answer of an agent command or agent URL', [
    'deliveries/agent-too-long',
  ]),
  agentTimeOut: limit(600, 'seconds', 'the run time of an agent command or agent URL', [
    'deliveries/agent-time-out',
  ]),
  doctorDisk: limit(
    64 * 2 ** 20,
    'bytes',
    'the least space for the configuration directory that `gateway doctor` accepts',
    ['doctor/disk'],
  ),
  doctorClock: limit(
    30,
    'seconds',
    'how far the clock may be from that of a platform for `gateway doctor`',
    ['doctor/clock'],
  ),
  senderTimeOut: limit(30, 'seconds', "the duration of a sender's call", [
    'deliveries/sender-time-out',
  ]),
  deliveryAttempts: limit(11, 'attempts', 'attempts to deliver an answer', [
    'deliveries/retry-network',
  ]),
  retryPause: limit(
    300,
    'seconds',
    'the pause before an attempt, unless a reply asks for a longer one',
    ['deliveries/retry-pauses'],
  ),
  retryAfter: limit(3600, 'seconds', 'the pause that a reply can ask for', [
    'deliveries/retry-after',
  ]),
  connections: limit(10_000, 'connections', 'the open connections to the gateway', [
    'operations/connections',
  ]),
  unfinishedBodies: limit(
    16 * MiB,
    'bytes',
    'all bodies together of which the gateway has received a part, unless they can be larger',
    ['operations/unfinished-bodies'],
  ),
  headTime: limit(10, 'seconds', 'the head of a request to the gateway', ['operations/slow-head']),
  bodyPause: limit(30, 'seconds', 'a pause in the body of a request to the gateway', [
    'operations/slow-body',
  ]),
  bodyTime: limit(300, 'seconds', 'the body of a request to the gateway', ['operations/slow-body']),
  idleTime: limit(75, 'seconds', 'a connection to the gateway between two requests', [
    'operations/idle',
  ]),
  failingAttempts: limit(3, 'attempts', 'failed attempts in a row that make a target failing', [
    'operations/degraded-target',
  ]),
  failingTime: limit(3600, 'seconds', 'how long a failing target is a reason to be degraded', [
    'operations/degraded-target',
  ]),
  refusalLines: limit(
    60,
    'seconds',
    'the time between two log lines about the same bound of the gateway',
    ['operations/refusal-lines'],
  ),
  controlBody: limit(16 * MiB, 'bytes', 'the body of a request to the control API', [
    'control/body-limit',
  ]),
  savedWorld: limit(1024 * MiB, 'bytes', 'the file of a world that the control API continues', [
    'shared/download',
  ]),
  faults: limit(1000, 'faults', 'the faults of a world to which the control API adds one', [
    'control/faults-bounded',
  ]),
  faultBytes: limit(16 * MiB, 'bytes', 'the total size of these faults', [
    'control/faults-bounded',
  ]),
  snapshots: limit(100, 'snapshots', 'the snapshots of a world', ['control/snapshot']),
  keptRequests: limit(10_000, 'requests', 'the requests of a world that the control API lists', [
    'control/requests-kept',
  ]),
  keptRequestBytes: limit(8 * MiB, 'bytes', 'the total size of these requests', [
    'control/requests-kept',
  ]),
  worlds: limit(20_000, 'worlds', 'the worlds at one address', ['control/worlds']),
  fullBody: limit(
    1024,
    'bytes',
    'the body of a request to a world that has used up its share of the memory',
    ['shared/memory-full'],
  ),
  logText: limit(200, 'characters', 'the text that the target `log` writes', ['deliveries/log']),
  plainAnswer: limit(3500, 'characters', 'the answer when it is sent again as plain text', [
    'deliveries/retry-plain',
  ]),
  testTimeOut: limit(10, 'seconds', 'the duration of `webhook test`', [
    'subscriptions/test-time-out',
  ]),
} as const satisfies Readonly<Record<string, Limit>>
