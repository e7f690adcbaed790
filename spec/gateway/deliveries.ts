// Deliveries: targets, agent runs and their answers, the outbox, and real senders.

import { type Rules, chosen, stated, observedAtReference } from '../language.ts'
import { limits } from '../limits.ts'
import {
  any,
  anyObject,
  anyOf,
  boolean,
  integer,
  list,
  nothing,
  number,
  object,
  oneOf,
  positive,
  text,
  textOrNull,
} from '../schema.ts'

/** Chat platforms that can be a target. */
export const platforms = [
  'telegram',
  'discord',
  'slack',
  'signal',
  'sms',
  'whatsapp',
  'matrix',
  'mattermost',
  'homeassistant',
  'email',
  'dingtalk',
  'feishu',
  'wecom',
  'wecom_callback',
  'weixin',
  'bluebubbles',
  'qqbot',
  'yuanbao',
] as const

/** The default target of a route: the text is only logged. */
export const logTarget = 'log'
/** The target that stands for the place where the route was subscribed. */
export const originTarget = 'origin'
/** The target that comments on an issue or a pull request of a code host. */
export const commentTarget = 'github_comment'

/** All values of `deliver`. All but `log` are real targets, which direct delivery requires. */
export const targets = [logTarget, originTarget, commentTarget, ...platforms] as const
export type Target = (typeof targets)[number]

/** Members of `deliver_extra` by purpose; if several names exist the first non-empty one counts. */
export const extraMembers = {
  chat: ['chat_id'],
  thread: ['message_thread_id', 'thread_id'],
  repository: ['repo'],
  number: ['pr_number'],
} as const

/** Where the payload has what a comment needs and `deliver_extra` lacks; the first path that resolves counts. */
export const commentFromPayload = {
  repository: ['repository.full_name'],
  number: ['pull_request.number', 'issue.number', 'number'],
} as const

/** The form of a repository: its owner and its name. */
export const repositoryName = /^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+$/

/** Reasons for which a delivery fails before the gateway sends anything. Senders of webhooks never receive these. */
export const deliveryErrors = {
  commentIncomplete: 'Missing repo or pr_number',
  commentNumber: 'Invalid pr_number',
  commentRepository: 'Invalid repo format',
  noChat: 'No chat_id or home channel for {target}',
  notConnected: 'Platform {target} not connected',
  unusable: 'Invalid {name} for {target}',
  unknownTarget: 'Unknown deliver type: {target}',
} as const

/** Answers of an agent that mean silence, once trimmed, in upper case, with single spaces. */
export const silenceMarkers = ['[SILENT]', 'SILENT', 'NO_REPLY', 'NO REPLY'] as const

/** The texts instead of an answer: of a run that failed, of one without an answer, and of one that its target refused. */
export const notices = {
  failed: 'The request failed: {reason}\nThe log of the gateway says more.',
  empty: 'The agent finished without an answer.\nThe log of the gateway says more.',
  refused: 'An answer could not be delivered: {reason}\nThe log of the gateway says more.',
} as const

/** The ids of an agent run. */
export const runIds = {
  chat_id: 'webhook:{name}:{delivery_id}',
  session_key: 'agent:main:webhook:webhook:webhook:{name}:{delivery_id}:webhook:{name}',
} as const

/**
 * When an answer is tried again: after pauses that double, each up to a part shorter, so that not all come at the same
 * time. A reply that says how long to wait is waited for, up to a limit. A direct delivery is never retried.
 */
export const retrySchedule = {
  attempts: limits.deliveryAttempts.value,
  firstMs: 2000,
  factor: 2,
  longestMs: limits.retryPause.value * 1000,
  shorterBy: 0.25,
  longestAskedMs: limits.retryAfter.value * 1000,
} as const

/** What the status of a reply means for an answer; any other one is final. */
export const statusMeanings = {
  /** Tried again by the schedule, */
  again: [408, 429],
  /** from this one on as well, */
  againFrom: 500,
  /** and these ones if the reply says how long to wait. */
  againIfAsked: [403],
  /** The format can be at fault: tried once more as plain text. */
  plain: [400],
} as const

/**
 * The kinds of errors of an answer's delivery, by their text, case-insensitively: the first row that matches decides,
 * and the last one matches every error. They decide where there is no status. The pauses are those of the reference
 * gateway, which knows no others.
 */
export const retries = [
  {
    contains: [
      'connecterror',
      'connectionerror',
      'connectionreset',
      'connectionrefused',
      'connecttimeout',
      'network',
      'broken pipe',
      'remotedisconnected',
      'eoferror',
      'econnrefused',
      'econnreset',
      'fetch failed',
    ],
    afterMs: [2000, 4000],
  },
  { contains: ['timed out', 'readtimeout', 'writetimeout'], afterMs: [] },
  { contains: [''], afterMs: [0], as: 'plain' },
] as const

/** The text of the second attempt when its format can be at fault. The limits state where the answer is cut. */
export const plainText = '(Response formatting failed, plain text:)\n\n{answer}'

/** The key of an accepted post: the beginning of an HMAC of its route, id and time or text, in hexadecimal digits. */
export const idempotencyKey = {
  header: 'Idempotency-Key',
  purpose: 'flowdouble run',
  characters: 32,
} as const

/** Where deliveries go: into the outbox by default. */
export const deliveryModes = {
  outbox:
    'Each delivery is an entry of a list that tests read; scripted failures make targets fail.',
  url: 'Each delivery is one POST of JSON to the address of --deliver-url.',
  senders: 'With --send each delivery is one call of the sender of its target.',
} as const

const idOrNull = anyOf(text, number, nothing)

/** The body that the gateway posts to --deliver-url. */
export const deliveryCall = object({
  key: text,
  part: positive,
  parts: positive,
  target: { enum: targets },
  chat_id: idOrNull,
  thread_id: idOrNull,
  text,
  route: text,
  event: any,
  delivery_id: text,
  deliver_extra: anyObject,
  attempt: positive,
})

/** One attempt to deliver, as the outbox lists it. An unknown target appears as it was written. */
export const outboxEntry = object({
  ...deliveryCall.properties,
  target: text,
  status: oneOf('delivered', 'failed'),
  error: textOrNull,
  timestamp: integer,
})

/** What becomes of an answer: nothing is to be delivered, it is not yet, it is, or it will not be. */
export const deliveryStates = ['silent', 'pending', 'delivered', 'dead'] as const

/** The command that sends a dead answer again. */
export const retryCommand = 'flowdouble gateway runs retry'

/** An agent run, as the gateway lists it. */
export const agentRun = object({
  key: text,
  delivery_id: text,
  route: text,
  event: any,
  prompt: text,
  skills: list(text),
  payload: anyObject,
  chat_id: text,
  session_key: text,
  status: oneOf('running', 'completed', 'failed'),
  answer: textOrNull,
  is_silent: boolean,
  error: textOrNull,
  delivery: { enum: deliveryStates },
})

/** The body that the gateway posts to --agent-url: the run without an answer. It replies 2xx with text or `{answer}`. */
export const agentCall = object({
  prompt: text,
  skills: list(text),
  route: text,
  event: any,
  delivery_id: text,
  session_key: text,
})

/** The environment variables of --agent-command, and the members of the run that they contain. */
export const agentVariables = {
  FLOWDOUBLE_ROUTE: 'route',
  FLOWDOUBLE_EVENT: 'event',
  FLOWDOUBLE_DELIVERY_ID: 'delivery_id',
  FLOWDOUBLE_SESSION_KEY: 'session_key',
  /** Separated by commas. */
  FLOWDOUBLE_SKILLS: 'skills',
} as const

/** The form of a value in the path of a call: one segment that cannot lead to another path. */
export const pathValue = /^(?!\.{1,2}$)[\w.:@+-]+$/

export type Sender = {
  /** The address that precedes the paths, unless `platforms.<target>.base_url` is set. */
  readonly baseUrl: string
  readonly method: 'POST'
  /** `{token}`, `{chat_id}`, `{thread_id}`, `{text}`, `{repo}` and `{number}` stand for values. */
  readonly path: string
  /** The path if there is a thread. */
  readonly threadPath?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, string>>
  /** Further members if there is a thread. */
  readonly threadBody?: Readonly<Record<string, string>>
  /** The variable with the credential, unless `platforms.<target>.token` has it. */
  readonly tokenVariable: string
  /** The variable with the chat of routes that name none, unless `platforms.<target>.home_channel` has it. */
  readonly homeVariable?: string
  /** The longest text of a call, in UTF-16 units: where platforms count otherwise, they count less. */
  readonly longestText: number
  /** The member of the reply that must be true; if unset, a status of 2xx is enough. */
  readonly successMember?: string
  /** Where the JSON of a reply says in how many seconds to try again, if not only its Retry-After does. */
  readonly retryAfter?: readonly string[]
  /** The status that an `error` of a 2xx without success stands for; 400 for any other one. */
  readonly statusOf?: Readonly<Record<string, number>>
}

/** The senders by target: one HTTP call each. */
export const senders = {
  github_comment: {
    baseUrl: 'https://api.github.com',
    method: 'POST',
    path: '/repos/{repo}/issues/{number}/comments',
    headers: { Authorization: 'Bearer {token}', Accept: 'application/vnd.github+json' },
    body: { body: '{text}' },
    longestText: 65_536,
    tokenVariable: 'GITHUB_TOKEN',
  },
  telegram: {
    baseUrl: 'https://api.telegram.org',
    method: 'POST',
    path: '/bot{token}/sendMessage',
    headers: {},
    body: { chat_id: '{chat_id}', text: '{text}' },
    longestText: 4096,
    threadBody: { message_thread_id: '{thread_id}' },
    tokenVariable: 'TELEGRAM_BOT_TOKEN',
    homeVariable: 'TELEGRAM_HOME_CHANNEL',
    successMember: 'ok',
    retryAfter: ['parameters', 'retry_after'],
  },
  discord: {
    baseUrl: 'https://discord.com',
    method: 'POST',
    path: '/api/v10/channels/{chat_id}/messages',
    threadPath: '/api/v10/channels/{thread_id}/messages',
    headers: { Authorization: 'Bot {token}' },
    body: { content: '{text}' },
    longestText: 2000,
    tokenVariable: 'DISCORD_BOT_TOKEN',
    homeVariable: 'DISCORD_HOME_CHANNEL',
    retryAfter: ['retry_after'],
  },
  slack: {
    baseUrl: 'https://slack.com',
    method: 'POST',
    path: '/api/chat.postMessage',
    headers: { Authorization: 'Bearer {token}' },
    body: { channel: '{chat_id}', text: '{text}' },
    // It takes ten times as much, and then breaks the text itself, wherever.
    longestText: 4000,
    threadBody: { thread_ts: '{thread_id}' },
    tokenVariable: 'SLACK_BOT_TOKEN',
    homeVariable: 'SLACK_HOME_CHANNEL',
    successMember: 'ok',
    statusOf: {
      account_inactive: 401,
      channel_not_found: 404,
      fatal_error: 500,
      internal_error: 500,
      invalid_auth: 401,
      is_archived: 404,
      missing_scope: 403,
      not_authed: 401,
      not_in_channel: 403,
      rate_limited: 429,
      ratelimited: 429,
      request_timeout: 408,
      restricted_action: 403,
      service_unavailable: 503,
      team_added_to_org: 503,
      token_expired: 401,
      token_revoked: 401,
    },
  },
} as const satisfies Partial<Record<Target, Sender>>

export const rules = {
  ...stated.gateway({
    'deliveries/run':
      'Without deliver_only a matching post starts an agent run with the rendered prompt. [B4 B35]',
    'deliveries/answer':
      'The answer of an agent run is delivered to the target of its route. [B6 B35]',
    'deliveries/skills': 'The skills of a route go to its agent runs and appear in them. [B13]',
  }),
  ...observedAtReference.gateway({
    'deliveries/runs-at-once':
      'Runs of one route run concurrently: none waits for another while the agent has capacity.',
    'deliveries/failed-run':
      'A failed or empty run delivers a notice of two lines with up to 300 characters of the reason.',
    'deliveries/answer-trimmed':
      'The answer of an agent is delivered and listed without surrounding whitespace.',
    'deliveries/silence': 'A successful answer that is only a silence marker is not delivered.',
  }),
  ...stated.gateway({
    'deliveries/direct':
      'With deliver_only the rendered text itself is delivered, and no agent runs. [B5 B18 B36]',
    'deliveries/direct-is-literal':
      'A direct delivery is literal: skills and silence markers have no effect. [B36]',
  }),
  ...observedAtReference.gateway({
    'deliveries/direct-once':
      'A direct delivery is tried once, and its post is answered when it ends.',
  }),
  ...stated.gateway({
    'deliveries/target':
      'A target is `log`, `origin`, the comment target of a code host, or a chat platform. [B6 B14]',
    'deliveries/log':
      'The target `log` writes the first 200 characters of the text to the log and succeeds. [B6]',
    'deliveries/chat':
      'A chat platform receives the text for the chat of the route, deliver_extra.chat_id. [B6 B15]',
  }),
  ...observedAtReference.gateway({
    'deliveries/home-channel': 'A route without a chat uses the home channel of its platform.',
    'deliveries/no-chat':
      'A delivery to a chat platform fails if there is neither a chat nor a home channel.',
    'deliveries/not-connected':
      'If the connected platforms are listed, a delivery to any other platform fails.',
    'deliveries/target-case':
      'A direct delivery ignores the case of its platform; an answer to another case fails.',
    'deliveries/empty-target':
      'An empty `deliver` is not a valid target and fails; only a missing one means `log`.',
    'deliveries/thread':
      'message_thread_id, or else thread_id, in deliver_extra names a thread of the chat.',
  }),
  ...stated.gateway({
    'deliveries/origin':
      'The target `origin` delivers to the place that its subscription recorded, or to the outbox. [B6 B14]',
    'deliveries/comment':
      'A comment uses repository and number from deliver_extra, or else from the payload. [B6 B14]',
  }),
  ...observedAtReference.gateway({
    'deliveries/comment-checked':
      'A comment without owner/name, or without a number above 0, fails and sends nothing.',
    'deliveries/sender-missing':
      'A delivery to an unknown target, or by a sender without credential or chat, fails.',
    'deliveries/sender-time-out': 'A call that takes more than 30 seconds fails as timed out.',
    'deliveries/retry-plain':
      'After 400, or an error without a status, it is retried once as plain text, cut to 3500 characters.',
    'deliveries/failure-stays-inside':
      'A run or delivery that fails after 202 is logged; the sender of the post is not notified.',
  }),
  ...chosen.gateway({
    'deliveries/run-listed':
      'Agent runs are listed with their ids, prompt, payload, skills, status and answer.',
    'deliveries/agents-at-once':
      'A real agent executes 10 runs at a time; other runs wait, and their time-out has not started.',
    'deliveries/runs-bounded':
      'While 1000 runs or 64 MiB of them wait, a post returns 503 with Retry-After and its id stays new.',
    'deliveries/fair-places':
      'Then a route still has its share: these places divided by the routes that wait.',
    'deliveries/fair-turns':
      'Routes with waiting runs take turns at a real agent, each with its oldest run.',
    'deliveries/in-order':
      'Runs of a route with `in_order` start one by one, each when the answer before it has ended.',
    'deliveries/retry-after-pace':
      'Retry-After is the time that the waiting runs need at the pace of the last ones, 1 to 600 s.',
    'deliveries/refused-unread':
      'The 503 follows the signature: such a post is not parsed, and not counted for its rate limit.',
    'deliveries/scripted-agent': 'By default the agent follows a script and repeats the prompt.',
    'deliveries/agent-command':
      'The agent can be a command, run without a shell, or a URL that receives JSON.',
    'deliveries/agent-asked':
      'A command receives the prompt as input and ids as variables; a URL receives everything as JSON.',
    'deliveries/agent-environment':
      "A command has the environment of the gateway, without its secrets and the senders' credentials.",
    'deliveries/agent-answers':
      'The answer is the output of a command that exits with 0, or the text or `answer` of a 2xx.',
    'deliveries/agent-too-long': 'An answer of a command or URL above 1 MiB fails its run.',
    'deliveries/agent-ended':
      'When a command times out or the gateway stops, the command and its processes are killed.',
    'deliveries/agent-left':
      'A process that left the process group of its command does not keep the gateway running.',
    'deliveries/agent-time-out':
      'An agent command or URL that takes more than 600 seconds fails its run.',
    'deliveries/work-awaited':
      'A clock that jumps waits for active agents and senders, and lets none of them time out.',
    'deliveries/runs-kept':
      'The gateway lists the last 10,000 agent runs and outbox entries, up to 64 MiB of each.',
    'deliveries/outbox':
      'By default each attempt is only an entry of the outbox, and the gateway sends nothing.',
    'deliveries/scripted-failures':
      'A script makes targets of the outbox fail, once or always, with a chosen error.',
    'deliveries/deliver-url':
      'With a deliver URL the gateway posts target, chat, text and ids of each delivery to it.',
    'deliveries/retry-network':
      'An answer is tried up to 11 times while network errors, 408, 429 or 5xx come, about 16 minutes.',
    'deliveries/retry-pauses':
      'The pauses before retries double from 2 to 300 seconds, each up to a quarter shorter, by the seed.',
    'deliveries/retry-after':
      'A retry waits as long as Retry-After or retry_after of the reply asks, but at most 3600 seconds.',
    'deliveries/retry-final':
      'After 3xx, another 4xx, or a time-out, which can have arrived, an answer is not sent again.',
    'deliveries/retry-keyed':
      'A deliver URL knows a repeat by its key: it gets one after a time-out too, and none after 400.',
    'deliveries/dead':
      'An answer is dead after its last attempt: its run and one line of the log, an error, say so.',
    'deliveries/dead-notice':
      'If its target refuses an answer as plain text too, it gets a notice of two lines, tried once.',
    'deliveries/parts':
      'With --send a text above the limit of its platform is sent in parts, cut after lines or words.',
    'deliveries/parts-fences':
      'A code fence that is cut is closed, and opened again with its language in the next part.',
    'deliveries/parts-confirmed':
      'Parts are sent in order; a retry goes on with the first part that has not been confirmed.',
    'deliveries/idempotency-key':
      'Deliver URL and agent URL get an Idempotency-Key, the same for each attempt of an accepted post.',
    'deliveries/direct-key':
      'If its sender repeats the post of a direct delivery, the key is the same, unless the text differs.',
    'deliveries/senders':
      'With --send a sender delivers by one HTTP call: code-host comment, Telegram, Discord, Slack.',
    'deliveries/sender-settings':
      'A sender reads its credential, home channel and address from a variable or config.yaml.',
    'deliveries/sender-block':
      'In config.yaml a sender is under its target, for example `platforms.github_comment.token`.',
    'deliveries/sender-paths':
      'A chat that cannot be part of the path of a call fails its delivery, and nothing is sent.',
    'deliveries/sender-success':
      'A call succeeds on 2xx, for Telegram and Slack with `ok` true; it follows no redirect.',
    'deliveries/credentials-hidden':
      'No credential of a sender appears in the outbox, a log line or an error.',
  }),
} as const satisfies Rules
