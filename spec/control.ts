// The control API: requests to the test double itself, below /_flowdouble of a server, of a gateway, and of each of their
// worlds. They move the clock, change the script, keep and restore states, and return what was received.

import { both, gateway, type Endpoints, type Place, type Rules, chosen } from './language.ts'
import { storedRunStates } from './gateway/store.ts'
import { delay, status } from './scenario/values.ts'
import { socketEnd } from './socket-end.ts'
import {
  any,
  anyObject,
  anyOf,
  boolean,
  closed,
  count,
  list,
  name,
  nullable,
  object,
  oneOf,
  optional,
  options,
  partial,
  record,
  text,
  textOrNull,
} from './schema.ts'
import { get, post, put, remove } from './endpoint.ts'

// The documents take the named schemas of an area from here.
export { socketEnd }

const everywhere: readonly Place[] = [...both, ...gateway]
const milliseconds = { type: 'number', minimum: 0 } as const
const texts = record(text)

/** The answer to a control request that cannot be served. */
export const controlError = object({ error: { type: 'string', description: 'what to do instead' } })

const times = {
  nowMs: { ...milliseconds, description: 'the time of the world since its start' },
  timeMs: { ...milliseconds, description: 'the time of the world since 1970' },
} as const

/** The result of moving a clock. */
export const clockMove = object({
  ...times,
  happened: {
    ...record(count),
    description: 'how many effects of each kind occurred, such as {"message progress": 4}',
  },
  found: optional({ description: 'the data of the message that the clock moved to' }),
})

/** What a clock shows. */
export const clockState = object({
  clock: { ...text, description: 'manual, instant, real, or x and a factor' },
  ...times,
  nextMs: {
    type: ['number', 'null'],
    description: 'when the next timer is due; null without one',
  },
})

const step = {
  entry: count,
  nowMs: milliseconds,
  input: { ...text, description: 'what came in' },
  effects: { ...list(text), description: 'what went out' },
} as const

/** An explanation of an entry of a journal. */
export const explanation = object({
  ...step,
  causes: {
    ...list(
      object({
        ...step,
        because: text,
        due: optional({
          ...boolean,
          description: 'it caused what was due when a refused request came',
        }),
      }),
    ),
    description: 'the earlier entries that caused it, the latest first',
  },
  reasons: { ...list(text), description: 'why the answer is this one' },
  rules: { ...list(object({ id: name, says: name })), description: 'the rules behind the answer' },
})

/** How far to move a clock: by a time, or until something happens. */
export const clockTarget = options({
  ms: { ...milliseconds, description: 'by this many milliseconds' },
  until: anyOf(
    {
      ...name,
      description:
        'idle: until no timer is left; next: to the next timer; or a state of runs, such as success',
    },
    closed({
      run: { ...name, description: 'the id of a run' },
      state: optional({ ...name, description: 'its state (default: the next one)' }),
    }),
    closed({
      message: { ...name, description: 'the type of a message' },
      data: optional({ type: 'object', description: 'members that its data has' }),
    }),
  ),
  withinMs: { ...milliseconds, description: 'how far the clock moves at most (default a year)' },
})

const place = {
  name: textOrNull,
  url: { type: 'string', description: 'its base address' },
} as const

/** A world at an address. */
export const worldPlace = object({
  ...place,
  worldToken: optional({
    ...text,
    description: 'its token, once, of a server whose worlds have tokens',
  }),
})

/** A world in the list of an address. Its age is real time; a gateway has no more than its name and address. */
export const listedWorld = object({
  ...place,
  ageMs: optional({ ...milliseconds, description: 'since it was created' }),
  idleMs: optional({ ...milliseconds, description: 'since its last request' }),
  bytes: optional({ ...count, description: 'the memory that it takes, about' }),
  runs: optional({ ...count, description: 'its runs in queue and history' }),
  sockets: optional({ ...count, description: 'its open sockets' }),
})

/** Which requests to choose: those whose members all match. Objects match if they contain these members. */
export const requestFilter = options({
  method: name,
  path: {
    ...name,
    description: 'with or without /api; * stands for one segment, ** for any number',
  },
  query: texts,
  headers: texts,
  body: { description: 'what the decoded body is or contains' },
  status: count,
  user: { ...name, description: 'an account of a hosted server' },
  run: { ...name, description: 'the run that the request has started' },
})

/** Requests that a test expects. */
export const expectation = options({
  ...requestFilter.properties,
  times: { ...count, description: 'how many requests must match (default: at least one)' },
})

const moment = {
  entry: { ...count, description: 'the number of its journal entry' },
  nowMs: milliseconds,
  timeMs: milliseconds,
} as const

/** A request that was received. Secrets are placeholders. */
export const receivedRequest = object({
  ...moment,
  method: text,
  path: text,
  query: texts,
  headers: texts,
  body: {
    description: 'a JSON value, the fields of a form, a text, or a number of bytes; or null',
  },
  status: { type: ['integer', 'null'], description: 'null until the reply is sent' },
  user: optional(textOrNull),
  run: optional(textOrNull),
})

/** Requests to wait for. */
export const awaitedRequests = options({
  ...requestFilter.properties,
  times: { type: 'integer', minimum: 1, description: 'how many requests must match (default 1)' },
  withinMs: {
    ...milliseconds,
    description: 'how long to wait at most, in real time (default 5000)',
  },
})

/** The result of a verification. */
export const verification = object({
  passed: { type: 'boolean', description: 'whether as many requests match as expected' },
  count: { ...count, description: 'how many requests match' },
  matched: {
    ...list(object({ ...moment, status: receivedRequest.properties.status })),
    description: 'the requests that match, oldest first',
  },
  near: {
    ...list(
      object({
        request: receivedRequest,
        differs: {
          ...list(
            object({
              at: { ...text, description: 'the member, such as body.prompt.3.inputs.seed' },
              expected: any,
              received: optional({ description: 'missing if there is no such member' }),
            }),
          ),
          description: 'the members that differ',
        },
      }),
    ),
    description:
      'unless it passed: the requests with this method or path that come closest, the closest first',
  },
  message: { ...text, description: 'what was expected and received, for an assertion' },
  complete: {
    type: 'boolean',
    description: 'false if requests since the last reset are no longer kept',
  },
})

/** A message of a socket. */
export const socketMessage = object({
  ...moment,
  direction: oneOf('sent', 'received'),
  sockets: list(count),
  type: textOrNull,
  data: optional({ description: 'the data of the message; the text if it is not JSON' }),
  run: textOrNull,
})

/** A binary frame that was sent. */
export const sentFrame = object({
  ...moment,
  sockets: list(count),
  frame: { type: 'string', description: 'the name of its layout' },
  fields: { type: 'object', description: 'its fields apart from the picture' },
})

/** Which messages and frames to choose: those whose members all match. */
export const messageFilter = options(socketMessage.properties)
export const frameFilter = options(sentFrame.properties)

/** A fault in the form of a scenario file. */
const fault = object({
  id: optional(name),
  when: anyObject,
  then: anyObject,
  times: optional(count),
})

/** A fault in force. */
export const activeFault = object({
  id: text,
  fault,
  matched: { ...count, description: 'how many requests or messages have matched it' },
  applied: { ...count, description: 'how many times it has applied' },
})

const since1970 = { ...count, description: 'in milliseconds since 1970' } as const

/** A run in the store of a gateway. */
export const storedRun = object({
  key: text,
  seq: count,
  route: text,
  delivery_id: text,
  state: oneOf(...storedRunStates),
  target: text,
  begun: { ...count, description: 'how many times an agent has begun it' },
  attempt: {
    ...nullable(count),
    description: 'the number of the last or next delivery attempt; null before the answer',
  },
  accepted_ms: since1970,
  changed_ms: since1970,
  error: textOrNull,
})

/** A run in the store of a gateway with its texts. */
export const storedRunDetail = object({
  ...storedRun.properties,
  prompt: text,
  payload: text,
  answer: textOrNull,
  agent_error: textOrNull,
  text: { ...textOrNull, description: 'the text to deliver' },
})

const named = options({ name })
/** The content of a scenario, or its name among those of the package. */
const scenarioOrName = anyOf(
  { type: 'object', required: ['version'], properties: { version: { const: 1 } } },
  text,
)

/** Whether a server is there. */
export const health = object({
  status: oneOf('ok', 'down'),
  workers: optional({
    ...list(object({ status: oneOf('ok', 'down'), url: text })),
    description: 'with --workers, the address of each process, and whether it listens',
  }),
})

/** Whether requests are to be sent its way. */
export const readiness = object({
  status: oneOf('ready', 'down', 'closing'),
})

/** What answers at an address. */
export const serverVersion = object({
  name: { const: 'flowdouble' },
  version: { ...text, description: 'the version of the package' },
  deployment: oneOf(...everywhere),
  like: { ...textOrNull, description: 'the named server that it behaves like; null without one' },
  generation: { ...textOrNull, description: 'the generation of a local server; null elsewhere' },
})

const refused = {
  400: controlError,
  403: controlError,
  409: controlError,
  413: controlError,
} as const
const unread = { 403: controlError } as const
const ofStore = { ...unread, 409: controlError, 503: controlError } as const
const ofStoredRun = { 200: storedRunDetail, 404: controlError, ...ofStore } as const

/** The endpoints of the control API, below the address of a server or gateway, or of a world. */
export const controlEndpoints = {
  listPaths: get('/_flowdouble', everywhere, {
    does: 'Lists the methods and paths of the control API.',
    replies: {
      200: object({ paths: list(text) }),
      ...unread,
    },
  }),
  showInspector: get('/_flowdouble/', everywhere, {
    does: 'Returns the inspector: a page that shows what happens, and loads nothing from other addresses.',
    replies: { 200: 'html', ...unread },
  }),
  // All four answer every caller, so that an orchestrator and a client on another machine need no token: none has a secret.
  readHealth: get('/_flowdouble/health', everywhere, {
    does: 'Says whether the server is there: 503 while a fault keeps it down. Every caller gets an answer.',
    replies: { 200: health, 503: health },
  }),
  readReady: get('/_flowdouble/ready', everywhere, {
    does: 'Says whether requests are to be sent its way: 503 while it is down or stops. Every caller gets an answer.',
    replies: { 200: readiness, 503: readiness },
  }),
  readMetrics: get('/_flowdouble/metrics', both, {
    does: 'Returns what the server and its worlds do and take, for Prometheus; not below /w/NAME. Every caller gets an answer.',
    replies: { 200: 'text' },
  }),
  readVersion: get('/_flowdouble/version', everywhere, {
    does: 'Returns the version of the package, and what it behaves like. Every caller gets an answer.',
    replies: { 200: serverVersion },
  }),
  readClock: get('/_flowdouble/clock', everywhere, {
    does: 'Returns the kind of the clock, its time, and when the next timer is due.',
    replies: { 200: clockState, ...unread },
  }),
  advanceClock: post('/_flowdouble/advance', everywhere, {
    does: 'Moves a manual clock, and replies when everything that is due until then is sent.',
    body: clockTarget,
    replies: { 200: clockMove, ...refused },
  }),
  readJournal: get('/_flowdouble/journal', everywhere, {
    does: 'Lists the latest inputs and effects, as lines of JSON after a line with the options.',
    query: {
      from: { ...count, description: 'only entries from this number on' },
      waitMs: {
        ...count,
        description: 'without such an entry, how long to wait for one (at most 30000 in real time)',
      },
    },
    replies: { 200: 'text', 400: controlError, ...unread },
  }),
  explainEntry: get('/_flowdouble/explain/{name}', everywhere, {
    does: 'Explains the entry of the journal with this number: its causes, and why it was answered so.',
    replies: { 200: explanation, 404: controlError, ...unread },
  }),
  readPicture: get('/_flowdouble/pictures/{name}', both, {
    does: 'Returns a picture that was sent: its name is the number of an entry, a dot, and that of an effect.',
    replies: { 200: 'bytes', 404: controlError, ...unread },
  }),
  readRecording: get('/_flowdouble/recording', everywhere, {
    does: 'Returns the session since the last reset as a HAR file, without secrets.',
    replies: { 200: anyObject, ...unread },
  }),
  readOpenapi: get('/_flowdouble/openapi.json', everywhere, {
    does: 'Returns the OpenAPI document of the server.',
    replies: { 200: anyObject, ...unread },
  }),
  resetWorld: post('/_flowdouble/reset', everywhere, {
    does: 'Returns the world to its start.',
    replies: { 200: anyObject, ...refused },
  }),
  keepSnapshot: post('/_flowdouble/snapshot', everywhere, {
    does: 'Keeps the state of the world under a name.',
    body: named,
    bodyIsOptional: true,
    replies: { 200: { ...named, required: ['name'] }, ...refused },
  }),
  restoreSnapshot: post('/_flowdouble/restore', everywhere, {
    does: 'Returns the world to a snapshot.',
    body: { ...named, required: ['name'] },
    replies: { 200: anyObject, ...refused },
  }),
  forkWorld: post('/_flowdouble/fork', everywhere, {
    does: 'Creates a world below /w/NAME with the state of this one.',
    body: named,
    bodyIsOptional: true,
    replies: { 200: worldPlace, ...refused },
  }),
  listWorlds: get('/_flowdouble/worlds', everywhere, {
    does: 'Lists the worlds below /w/NAME: those of a server with their age and size.',
    replies: { 200: list(listedWorld), ...unread },
  }),
  createWorld: post('/_flowdouble/worlds', everywhere, {
    does: 'Creates a world below /w/NAME. The body has its name and options.',
    body: partial({
      name,
      worldToken: { ...text, description: 'its token, where worlds have tokens' },
      port: { const: 0, description: 'a separate free port; not for a gateway' },
    }),
    bodyIsOptional: true,
    replies: { 200: worldPlace, ...refused },
  }),
  putWorld: put('/_flowdouble/worlds/{name}', everywhere, {
    does: 'Creates a world below /w/NAME, unless it exists. The body has its options.',
    body: partial({ worldToken: { ...text, description: 'its token, where worlds have tokens' } }),
    bodyIsOptional: true,
    replies: { 200: worldPlace, 201: worldPlace, ...refused },
  }),
  saveWorld: get('/_flowdouble/state', both, {
    does: 'Returns the world as a file, without its journal.',
    replies: { 200: 'bytes', ...unread },
  }),
  saveNamedWorld: get('/_flowdouble/worlds/{name}/state', both, {
    does: 'Returns a world below /w/NAME as a file, without its journal.',
    replies: { 200: 'bytes', 404: controlError, ...unread },
  }),
  continueWorld: put('/_flowdouble/worlds/{name}/state', both, {
    does: 'Creates a world below /w/NAME that continues the one in the file. It has the same options.',
    body: 'bytes',
    replies: { 201: worldPlace, ...refused },
  }),
  closeWorld: remove('/_flowdouble/worlds/{name}', everywhere, {
    does: 'Closes a world below /w/NAME and removes it.',
    replies: {
      200: object({ closed: { type: 'boolean', description: 'whether it existed' } }),
      ...unread,
    },
  }),
  listRequests: get('/_flowdouble/requests', everywhere, {
    does: 'Lists the requests since the last reset, oldest first.',
    query: { method: name, path: name, status: count, user: name, run: name },
    replies: { 200: list(receivedRequest), 400: controlError, ...unread },
  }),
  verifyRequests: post('/_flowdouble/verify', everywhere, {
    does: 'Counts the requests since the last reset that match, and lists those that nearly do.',
    body: expectation,
    replies: { 200: verification, ...refused },
  }),
  awaitRequest: post('/_flowdouble/received', everywhere, {
    does: 'Waits in real time for requests since the last reset, and returns the latest that matches.',
    body: awaitedRequests,
    replies: { 200: receivedRequest, ...refused },
  }),
  listMessages: get('/_flowdouble/messages', both, {
    does: 'Lists the messages of the sockets since the last reset, oldest first.',
    query: { type: name, direction: oneOf('sent', 'received'), run: name },
    replies: { 200: list(socketMessage), 400: controlError, ...unread },
  }),
  listFrames: get('/_flowdouble/frames', both, {
    does: 'Lists the binary frames since the last reset, oldest first.',
    query: { frame: name },
    replies: { 200: list(sentFrame), 400: controlError, ...unread },
  }),
  listServerRuns: get('/_flowdouble/runs', everywhere, {
    does: 'Lists the runs: of a server those in queue and history, of a gateway the agent runs.',
    replies: { 200: list(anyObject), ...unread },
  }),
  loadScenario: post('/_flowdouble/scenario', both, {
    does: 'Replaces the rules, answers, messages and faults in force by those of one scenario, or of several merged in order.',
    body: anyOf(scenarioOrName, list(scenarioOrName)),
    replies: { 200: anyObject, ...refused },
  }),
  listFaults: get('/_flowdouble/faults', both, {
    does: 'Lists the faults in force.',
    replies: { 200: list(activeFault), ...unread },
  }),
  addFault: post('/_flowdouble/faults', both, {
    does: 'Adds a fault from now on; one with the same id is replaced.',
    body: fault,
    replies: {
      200: object({ id: text }),
      ...refused,
    },
  }),
  removeFault: remove('/_flowdouble/faults/{name}', both, {
    does: 'Removes a fault by its id.',
    replies: {
      200: object({ removed: { type: 'boolean', description: 'whether it existed' } }),
      ...unread,
    },
  }),
  dropSockets: post('/_flowdouble/drop', both, {
    does: 'Ends all open sockets: by a reset, silently, or with a close code.',
    body: options({ how: socketEnd }),
    bodyIsOptional: true,
    replies: {
      200: object({ dropped: count }),
      ...refused,
    },
  }),
  listStoredRuns: get('/_flowdouble/stored-runs', gateway, {
    does: 'Lists the latest runs in the store of the gateway, oldest first.',
    query: {
      state: oneOf(...storedRunStates),
      route: name,
      limit: { ...count, maximum: 1000, description: 'at most so many (default 100)' },
    },
    replies: { 200: list(storedRun), 400: controlError, ...ofStore },
  }),
  readStoredRun: get('/_flowdouble/stored-runs/{name}', gateway, {
    does: 'Returns the stored run with this key, or the latest one with this delivery id, with its texts.',
    replies: ofStoredRun,
  }),
  changeStoredRun: post('/_flowdouble/stored-runs/{name}', gateway, {
    does: 'Retries a stored run that has ended, or cancels one that has not, and returns it.',
    body: { ...options({ do: oneOf('retry', 'cancel') }), required: ['do'] },
    replies: { ...ofStoredRun, 400: controlError, 413: controlError },
  }),
  dropStoredRun: remove('/_flowdouble/stored-runs/{name}', gateway, {
    does: 'Deletes a stored run that has ended, and returns it as it was.',
    replies: ofStoredRun,
  }),
  listDeliveries: get('/_flowdouble/outbox', gateway, {
    does: 'Lists the latest deliveries, one entry per attempt, oldest first.',
    replies: { 200: list(anyObject), ...unread },
  }),
  failDeliveries: post('/_flowdouble/outbox', gateway, {
    does: 'Makes deliveries to the outbox fail from now on.',
    body: {
      ...options({
        target: { ...text, description: 'the target that fails; * for any' },
        error: text,
        status: { ...status, description: 'the status that decides about retries' },
        retryAfterMs: { ...delay, description: 'how long the target asks to wait' },
        times: { ...nullable(count), description: 'null means always' },
      }),
      required: ['target'],
    },
    replies: { 200: anyObject, ...refused },
  }),
  changeSubscription: post('/_flowdouble/subscriptions', gateway, {
    does: 'Adds or replaces a subscription in memory; a null route removes it.',
    body: { ...options({ name, route: nullable(anyObject) }), required: ['name', 'route'] },
    replies: { 200: anyObject, ...refused },
  }),
} as const satisfies Endpoints

export const rules = {
  ...chosen.both({
    'control/reset': 'A reset returns a world to its start: runs, files, faults and the clock.',
    'control/sockets-close': 'A reset and a restore close open sockets with code 1012.',
    'control/waiting-request':
      'A request that waits at a reset or restore gets 503, and one in mid-body is cut off.',
    'control/body-limit':
      'The body of a control request has at most 16 MiB; a larger one returns 413.',
    'control/snapshot': 'A world keeps up to 100 snapshots of its state, by name.',
    'control/snapshot-shares-files':
      'Snapshots and forks share the bytes of files, which never change.',
    'control/restore': 'A restored world continues like the world of the snapshot.',
    'control/fork': 'A fork continues from the state of its parent, and neither affects the other.',
    'control/replays':
      'A journal with resets, snapshots and restores replays, and so does the journal of a fork.',
    'control/worlds': 'An address serves up to 20,000 worlds, each below /w/NAME.',
    'control/world-port':
      'A world that is created with port 0 is also served at a free port, at its root, until it closes.',
    'control/world-port-path':
      'At its free port a world answers below /w/NAME as well, with which links in its replies begin.',
    'control/unknown-world':
      'Below the name of a world that does not exist, the server replies as without worlds.',
    'control/isolated': 'Worlds at one address share nothing that changes.',
    'control/requests':
      'The control API lists requests with decoded bodies, their replies and runs, without secrets.',
    'control/requests-handshakes':
      'Handshakes of sockets are requests as well: GET, with status 101 once the socket opens.',
    'control/request-headers':
      'Requests keep all headers, in lists, journals and recordings; credentials are placeholders.',
    'control/recording':
      'A world returns its session as a HAR file: exchanges, messages and frames, without secrets.',
  }),
  ...chosen.gateway({
    'control/gateway-recording':
      'A gateway returns its session as a HAR file, without secrets and signatures.',
  }),
  ...chosen.both({
    'control/requests-exact':
      'Integers in what clients sent are exact at any size, and are compared exactly.',
    'control/requests-kept':
      'A world keeps its latest 10,000 requests, up to 8 MiB, however many runs lie between them.',
    'control/messages':
      'The control API lists messages and frames with their data, and the run they belong to.',
    'control/verify':
      'A verification counts the requests that match, and lists those that nearly do.',
    'control/near':
      'A near miss has the method or the path, and says what was expected and what received.',
    'control/received':
      'A wait for requests ends when they have arrived, or fails after its limit in real time.',
    'control/closed-wait':
      'A wait for requests is rejected when its world closes, and immediately on a closed world.',
    'control/first-submit': 'A wait without any run says that no run has been submitted.',
    'control/names':
      'A wait for an unknown state or message type is rejected with the nearest known one.',
    'control/runs':
      'The control API lists the runs in the queue and in the history, with their states.',
    'control/advance':
      'A manual clock moves by a time, to the next timer, a state of a run or a message, or until idle.',
    'control/bounded': 'A wait fails when what it waits for is further away than its limit.',
    'control/faults': 'Faults are added, listed and removed while the server runs.',
    'control/faults-bounded':
      'A world keeps up to 1000 added faults, of up to 16 MiB in all; one more is rejected with 409.',
    'control/scenario':
      'A scenario that is loaded replaces the rules and faults in force until the next reset.',
    'control/scenario-names':
      'A scenario of the package is loaded by its name. Over HTTP the server reads no other file.',
    'control/rules-only': 'A scenario with members that only a new world takes is not loaded.',
    'control/paths': 'The control API lists its methods and paths.',
    'control/health':
      'GET /_flowdouble/health returns 200 to every caller, 503 while a fault keeps the server down.',
    'control/ready':
      'GET /_flowdouble/ready returns 200 to every caller, 503 while a fault keeps the server down.',
    'control/version':
      'GET /_flowdouble/version returns version, deployment and generation to every caller.',
    'control/head': 'HEAD of a control path returns the status and headers that GET returns.',
    'control/drop': 'Open sockets end on request, by a reset or with a close code.',
    'control/drop-code':
      'Sockets do not end with a code that no close frame can carry: such a request gets 400.',
    'control/world-name':
      'A name of a world that is not a text is rejected, and no world is created.',
    'control/closed-waiting':
      'A request that waits when its world closes gets 503; a handshake that waits ends.',
  }),
  ...chosen.gateway({
    'control/closed-gateway':
      'A closing gateway sends 503 to posts that wait for a delivery, and rejects waits for requests.',
  }),
  ...chosen.both({
    'control/copies': 'Faults and scenarios are copied when they are passed or listed.',
    'control/plain-data': 'A fault or scenario with a value that JSON cannot express is rejected.',
    'control/filters':
      'A filter with an unknown member, or with a value that nothing can match, is rejected.',
  }),
  ...chosen.hosted({
    'control/keys-of-worlds':
      'Keys of one world are placeholders in the journals and lists of all worlds at its address.',
  }),
  ...chosen.both({
    'control/off': 'Without the control API its paths are unknown, like any other.',
    'control/explain':
      'With the option explain X-Flowdouble-Rules in a reply lists the ids of the rules behind it.',
    'control/explain-answers':
      'The reply of a scenario lists the rule by which the scenario replies, and no rule of the server.',
    'control/explain-faults':
      'The reply that a fault replaces or changes lists the rules of that fault.',
    'control/explain-journal':
      'The journal of a server that explains its replies has them without the header, and replays.',
  }),
  ...chosen.gateway({
    'control/gateway-health':
      'A gateway answers /_flowdouble/health and /_flowdouble/version for every caller.',
    'control/gateway-ready':
      'While a gateway drains, GET /_flowdouble/ready returns 503, as /ready does.',
    'control/gateway-explain':
      'With the option explain X-Flowdouble-Rules in a reply of a gateway lists the rules behind it.',
    'control/gateway-reset':
      'A reset returns a gateway to its start: runs, deliveries, subscriptions and rate limits.',
    'control/gateway-restore': 'A restored gateway continues like the gateway of the snapshot.',
    'control/waiting': 'A post that waits for its delivery at a reset or restore gets 503.',
    'control/gateway-requests':
      'The control API of a gateway lists and verifies posts with their runs, without secrets.',
    'control/gateway-received':
      'A gateway waits in real time for posts, and says when no event has been accepted.',
    'control/stored-runs':
      'A gateway lists the runs of its store by state and route, and shows one with its texts.',
    'control/stored-changes':
      'A stored run is retried, cancelled and dropped over HTTP as by `gateway runs`.',
    'control/stored-refusals':
      'An unknown stored run is 404; a change that its state does not allow is 409 and says why.',
    'control/no-store':
      'Without a store, as below /w/NAME, the paths of stored runs return 409 and say how to get one.',
    'control/gateway-worlds':
      'A gateway serves further gateways below /w/NAME, new ones and forks.',
  }),
} as const satisfies Rules
