// The limits of the server and the gateway: each number once, for the server, for the suites and for the documents.

export type Limit = {
  /** What is limited, and where. */
  readonly what: string
  readonly value: number
  /** What is counted. */
  readonly unit:
    | 'bytes'
    | 'characters'
    | 'faults'
    | 'files and folders'
    | 'ids'
    | 'levels'
    | 'lines'
    | 'nodes'
    | 'numbers'
    | 'pixels'
    | 'posts'
    | 'requests'
    | 'runs'
    | 'seconds'
    | 'snapshots'
    | 'steps'
    | 'users'
    | 'worlds'
  /** Rules whose sentences state the number. */
  readonly rules: readonly `${string}/${string}`[]
}

const MiB = 2 ** 20

export const limits = {
  body: {
    what: 'the body of a request, unless the server is configured otherwise',
    value: 100 * MiB,
    unit: 'bytes',
    rules: ['http/body-limit'],
  },
  line: {
    what: 'the request line and each header line of a request',
    value: 8190,
    unit: 'bytes',
    rules: ['http/long-lines'],
  },
  clientMessage: {
    what: 'a client message on the socket',
    value: 4 * MiB,
    unit: 'bytes',
    rules: ['messages/too-large'],
  },
  behind: {
    what: 'the data that waits for a socket whose client does not read',
    value: 64 * MiB,
    unit: 'bytes',
    rules: ['messages/slow-reader', 'v2-streams/behind'],
  },
  pending: {
    what: 'all pending workflows together; on the hosted server those of one account',
    value: 512 * MiB,
    unit: 'bytes',
    rules: ['queue/bounded', 'queue/hosted-bounded'],
  },
  pixels: {
    what: 'a picture that the server encodes before it handles another request',
    value: 2_000_000,
    unit: 'pixels',
    rules: ['files/large-pictures', 'v2-assets/large-outputs'],
  },
  uploads: {
    what: 'all stored uploads; on the hosted server those of one account',
    value: 512 * MiB,
    unit: 'bytes',
    rules: ['files/upload-bounds', 'files/hosted-upload-bounds'],
  },
  history: {
    what: 'runs in the history',
    value: 10_000,
    unit: 'runs',
    rules: ['history/cap'],
  },
  userdata: {
    what: 'all files in the user folder together',
    value: 64 * MiB,
    unit: 'bytes',
    rules: ['userdata/bounds'],
  },
  userdataEntries: {
    what: 'the user folder, including the folder itself',
    value: 10_000,
    unit: 'files and folders',
    rules: ['userdata/bounds'],
  },
  assetTexts: {
    what: 'the names, tags and metadata of all assets together',
    value: 64 * MiB,
    unit: 'bytes',
    rules: ['assets/bounds'],
  },
  users: {
    what: 'added users',
    value: 1000,
    unit: 'users',
    rules: ['settings/user-bounds'],
  },
  userName: {
    what: 'the name of a user',
    value: 255,
    unit: 'characters',
    rules: ['settings/user-bounds'],
  },
  log: {
    what: 'the log that clients can read',
    value: 300,
    unit: 'lines',
    rules: ['internal/log-lines'],
  },
  webhookBody: {
    what: 'the body of a post to the gateway',
    value: MiB,
    unit: 'bytes',
    rules: ['webhooks/declared-size'],
  },
  webhookDepth: {
    what: 'the nesting of a payload at the gateway',
    value: 1000,
    unit: 'levels',
    rules: ['webhooks/deep-body'],
  },
  webhookRate: {
    what: 'posts to one route within the rate-limit window',
    value: 30,
    unit: 'posts',
    rules: ['webhooks/rate-limit'],
  },
  webhookRateWindow: {
    what: 'the rate-limit window',
    value: 60,
    unit: 'seconds',
    rules: ['webhooks/rate-limit'],
  },
  deliveryIdLifetime: {
    what: 'how long the gateway remembers a delivery id',
    value: 3600,
    unit: 'seconds',
    rules: ['webhooks/id-lifetime'],
  },
  deliveryIds: {
    what: 'delivery ids that the gateway remembers',
    value: 100_000,
    unit: 'ids',
    rules: ['webhooks/ids-bounded'],
  },
  signatureWindow: {
    what: 'the difference between a signed time and the clock, in either direction',
    value: 300,
    unit: 'seconds',
    rules: ['signatures/window'],
  },
  linearWindow: {
    what: 'the same for the `webhookTimestamp` of Linear',
    value: 60,
    unit: 'seconds',
    rules: ['signatures/linear-window'],
  },
  expressionSteps: {
    what: 'the search for a regular expression in one text',
    value: 2_000_000,
    unit: 'steps',
    rules: ['nodes/expressions-bounded', 'scenario/node-validate-pattern'],
  },
  computedNumbers: {
    what: 'what is computed for one picture',
    value: 2 ** 31,
    unit: 'numbers',
    rules: ['nodes/picture-bounded'],
  },
  computedChain: {
    what: 'nodes in a row whose results are computed',
    value: 400,
    unit: 'nodes',
    rules: ['nodes/chain-bounded'],
  },
  renderedText: {
    what: 'the text that a template renders to',
    value: 16 * MiB,
    unit: 'bytes',
    rules: ['templates/too-long'],
  },
  agentRuns: {
    what: 'agent runs that the gateway lists, and entries of its outbox',
    value: 10_000,
    unit: 'runs',
    rules: ['deliveries/runs-kept'],
  },
  recent: {
    what: 'the size of all listed agent runs, and likewise of all outbox entries',
    value: 64 * MiB,
    unit: 'bytes',
    rules: ['deliveries/runs-kept'],
  },
  noticeReason: {
    what: 'the part of the reason that the notice of a failed run repeats',
    value: 300,
    unit: 'characters',
    rules: ['deliveries/failed-run'],
  },
  waitingRuns: {
    what: 'agent runs that wait for their answer',
    value: 1000,
    unit: 'runs',
    rules: ['deliveries/runs-bounded'],
  },
  waitingRunBytes: {
    what: 'the size of all waiting agent runs',
    value: 64 * MiB,
    unit: 'bytes',
    rules: ['deliveries/runs-bounded'],
  },
  agentsAtOnce: {
    what: 'concurrent runs of a real agent',
    value: 10,
    unit: 'runs',
    rules: ['deliveries/agents-at-once'],
  },
  agentAnswer: {
    what: 'the answer of an agent command or agent URL',
    value: MiB,
    unit: 'bytes',
    rules: ['deliveries/agent-too-long'],
  },
  agentTimeOut: {
    what: 'the run time of an agent command or agent URL',
    value: 600,
    unit: 'seconds',
    rules: ['deliveries/agent-time-out'],
  },
  senderTimeOut: {
    what: "the duration of a sender's call",
    value: 30,
    unit: 'seconds',
    rules: ['deliveries/sender-time-out'],
  },
  controlBody: {
    what: 'the body of a request to the control API',
    value: 16 * MiB,
    unit: 'bytes',
    rules: ['control/body-limit'],
  },
  faults: {
    what: 'the faults of a world to which the control API adds one',
    value: 1000,
    unit: 'faults',
    rules: ['control/faults-bounded'],
  },
  faultBytes: {
    what: 'the total size of these faults',
    value: 16 * MiB,
    unit: 'bytes',
    rules: ['control/faults-bounded'],
  },
  snapshots: {
    what: 'the snapshots of a world',
    value: 100,
    unit: 'snapshots',
    rules: ['control/snapshot'],
  },
  keptRequests: {
    what: 'the requests of a world that the control API lists',
    value: 10_000,
    unit: 'requests',
    rules: ['control/requests-kept'],
  },
  keptRequestBytes: {
    what: 'the total size of these requests',
    value: 8 * MiB,
    unit: 'bytes',
    rules: ['control/requests-kept'],
  },
  worlds: {
    what: 'the worlds at one address',
    value: 20_000,
    unit: 'worlds',
    rules: ['control/worlds'],
  },
  logText: {
    what: 'the text that the target `log` writes',
    value: 200,
    unit: 'characters',
    rules: ['deliveries/log'],
  },
  plainAnswer: {
    what: 'the answer when it is sent again as plain text',
    value: 3500,
    unit: 'characters',
    rules: ['deliveries/retry-plain'],
  },
  testTimeOut: {
    what: 'the duration of `webhook test`',
    value: 10,
    unit: 'seconds',
    rules: ['subscriptions/test-time-out'],
  },
} as const satisfies Readonly<Record<string, Limit>>
