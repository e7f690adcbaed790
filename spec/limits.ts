// How much of everything there is room for: each number once, for the server, for its judges and for the documents.

export type Limit = {
  /** What is limited, and where. */
  readonly what: string
  readonly value: number
  /** What is counted. */
  readonly unit:
    | 'bytes'
    | 'characters'
    | 'files and folders'
    | 'ids'
    | 'levels'
    | 'lines'
    | 'posts'
    | 'runs'
    | 'seconds'
    | 'users'
  /** Rules whose sentences tell the number. */
  readonly rules: readonly `${string}/${string}`[]
}

const MiB = 2 ** 20

export const limits = {
  body: {
    what: 'the body of a request, where the server is told no other limit',
    value: 100 * MiB,
    unit: 'bytes',
    rules: ['http/body-limit'],
  },
  line: {
    what: 'the request line, and each header line, of a request',
    value: 8190,
    unit: 'bytes',
    rules: ['http/long-lines'],
  },
  clientMessage: {
    what: 'a message of a client on the socket',
    value: 4 * MiB,
    unit: 'bytes',
    rules: ['messages/too-large'],
  },
  behind: {
    what: 'what waits for a socket whose client does not read',
    value: 64 * MiB,
    unit: 'bytes',
    rules: ['messages/slow-reader'],
  },
  pending: {
    what: 'all pending workflows together, on hosted those of one account',
    value: 512 * MiB,
    unit: 'bytes',
    rules: ['queue/bounded', 'queue/hosted-bounded'],
  },
  uploads: {
    what: 'all uploads that are kept, on hosted those of one account',
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
    what: 'all files of the user together',
    value: 64 * MiB,
    unit: 'bytes',
    rules: ['userdata/bounds'],
  },
  userdataEntries: {
    what: 'the folder of the user, itself included',
    value: 10_000,
    unit: 'files and folders',
    rules: ['userdata/bounds'],
  },
  users: {
    what: 'users that are added',
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
    what: 'posts to one route within its window',
    value: 30,
    unit: 'posts',
    rules: ['webhooks/rate-limit'],
  },
  webhookRateWindow: {
    what: 'the window of the rate limit',
    value: 60,
    unit: 'seconds',
    rules: ['webhooks/rate-limit'],
  },
  deliveryIdLifetime: {
    what: 'how long a delivery id is remembered',
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
    what: 'how far a signed time is from the clock, both ways',
    value: 300,
    unit: 'seconds',
    rules: ['signatures/window'],
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
    what: 'what the listed agent runs hold together, and likewise the entries of the outbox',
    value: 64 * MiB,
    unit: 'bytes',
    rules: ['deliveries/runs-kept'],
  },
  noticeReason: {
    what: 'the part of a reason that the notice of a failed run repeats',
    value: 300,
    unit: 'characters',
    rules: ['deliveries/failed-run'],
  },
  waitingRuns: {
    what: 'the agent runs that wait for their answer',
    value: 1000,
    unit: 'runs',
    rules: ['deliveries/runs-bounded'],
  },
  waitingRunBytes: {
    what: 'what the agent runs that wait hold together',
    value: 64 * MiB,
    unit: 'bytes',
    rules: ['deliveries/runs-bounded'],
  },
  agentsAtOnce: {
    what: 'the runs that a real agent has at a time',
    value: 10,
    unit: 'runs',
    rules: ['deliveries/agents-at-once'],
  },
  agentAnswer: {
    what: 'the answer of an agent command or an agent URL',
    value: MiB,
    unit: 'bytes',
    rules: ['deliveries/agent-too-long'],
  },
  agentTimeOut: {
    what: 'the time of an agent command or an agent URL',
    value: 600,
    unit: 'seconds',
    rules: ['deliveries/agent-time-out'],
  },
  senderTimeOut: {
    what: 'the time of the call of a sender',
    value: 30,
    unit: 'seconds',
    rules: ['deliveries/sender-time-out'],
  },
  logText: {
    what: 'the text that the target `log` writes',
    value: 200,
    unit: 'characters',
    rules: ['deliveries/log'],
  },
  plainAnswer: {
    what: 'the answer in a second attempt as plain text',
    value: 3500,
    unit: 'characters',
    rules: ['deliveries/retry-plain'],
  },
  testTimeOut: {
    what: 'the time of `webhook test`',
    value: 10,
    unit: 'seconds',
    rules: ['subscriptions/test-time-out'],
  },
} as const satisfies Readonly<Record<string, Limit>>
