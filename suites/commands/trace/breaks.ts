// What breaks each law about exchanges: one change of a session that keeps all of them.

import { added, all, type BreakRow, type Edit, exchange, reply, request, response } from './edit.ts'
import { ofMessages } from './message-breaks.ts'

const local = ['local'] as const
const hosted = ['hosted'] as const
const both = ['local', 'hosted'] as const
const gateway = ['gateway'] as const

/** Sets members of a value in JSON. */
const set =
  (members: object) =>
  (value: any): any => ({ ...value, ...members })

const bytes = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

type Recorded = Parameters<Parameters<typeof exchange>[1]>[0]

const isSubmit = ({ method, url }: Recorded): boolean =>
  method === 'POST' && url.endsWith('/prompt')
/** The submit that is refused, the one with one valid output, and the one that loads an upload. */
const isRefused = (one: Recorded): boolean => isSubmit(one) && one.response?.status === 400
const isHalf = (one: Recorded): boolean => isSubmit(one) && textOf(one.body).includes('"half"')
const isLoading = (one: Recorded): boolean =>
  isSubmit(one) && textOf(one.body).includes('LoadImage')
const isLink = ({ url }: Recorded): boolean => url.includes('X-Goog-Signature')

const textOf = (body: Uint8Array): string => new TextDecoder().decode(body)

/** Changes the entry of the one run in a reply of the history. */
const entry =
  (change: (entry: any) => any) =>
  (body: any): any =>
    Object.fromEntries(Object.entries(body).map(([id, one]) => [id, change(one)]))
const status = (members: object) =>
  entry((one) => ({ ...one, status: { ...one.status, ...members } }))

/** Names a node that the workflow does not have. */
const misnamed = ({ node_errors, ...body }: any): any => ({
  ...body,
  node_errors: { nowhere: Object.values(node_errors)[0] },
})

const rejected = {
  errors: [{ type: 'custom_validation_failed', message: 'm', details: 'd', extra_info: {} }],
  dependent_outputs: [],
  class_type: 'LoadImage',
}

const ofReplies: readonly BreakRow[] = [
  [
    'http/json-replies',
    both,
    response('POST /prompt', { headers: [['content-type', 'text/plain']] }),
  ],
  [
    'http/hosted-refusals',
    hosted,
    reply('GET /jobs/00000000-0000-4000-8000-000000000000', () => ({ error: 'no' })),
    'jobs/detail jobs/detail-while-open jobs/detail-times jobs/detail-workflow',
  ],
  [
    'router/request-id',
    hosted,
    all(added('GET', '/v2/models', 299), response('GET /v2/models', { headers: [] })),
    'router/list router/list-pages router/list-limit',
  ],
  ['http/unknown-path', local, response('GET /nowhere', { body: bytes('not here') })],
]

const ofSubmits: readonly BreakRow[] = [
  ['workflows/prompt-id-given', local, request('POST /prompt', set({ prompt_id: 'another' }))],
  ['workflows/prompt-id-made', both, reply('POST /prompt', set({ prompt_id: 'odd' }), 5)],
  ['workflows/number-counts', local, reply(isHalf, set({ number: 0.5 })), 'history/prompt'],
  ['workflows/half-valid', both, reply(isHalf, misnamed)],
  ['workflows/invalid-names-nodes', both, reply(isRefused, misnamed)],
]

/** The same outputs, without what they hold. */
const emptied = (outputs: object) => Object.fromEntries(Object.keys(outputs).map((id) => [id, {}]))

const ofHistory: readonly BreakRow[] = [
  ['history/status-words', local, reply('GET /history/', status({ completed: false }))],
  [
    'history/error-comes-first',
    local,
    reply('GET /history/', status({ status_str: 'success' }), 1),
  ],
  ['history/failed-not-completed', local, reply('GET /history/', status({ completed: true }), 1)],
  ['history/hosted-two-ways', hosted, reply('GET /history_v2/', status({ status_str: 'error' }))],
  [
    'history/kept history/outputs',
    local,
    reply(
      'GET /history/',
      entry(({ outputs, ...one }) => ({ ...one, outputs: emptied(outputs) })),
    ),
  ],
  [
    'history/meta',
    local,
    reply(
      'GET /history/',
      entry(({ meta, ...one }) => ({ ...one, meta: { ...meta, nowhere: Object.values(meta)[0] } })),
    ),
  ],
  [
    'workflows/extra-data-kept',
    local,
    reply(
      'GET /history?',
      entry(({ prompt: [number, id, graph, , ids], ...one }) => ({
        ...one,
        prompt: [number, id, graph, {}, ids],
      })),
    ),
  ],
  [
    'workflows/extra-data-kept',
    hosted,
    reply(
      'GET /history_v2/',
      entry(({ prompt, ...one }) => ({ ...one, prompt: { ...prompt, extra_data: {} } })),
    ),
  ],
  ['history/messages', local, reply('GET /history/', status({ messages: [] }))],
  [
    'history/prompt',
    local,
    reply(
      'GET /history/',
      entry((one) => ({ ...one, prompt: [99, ...one.prompt.slice(1)] })),
    ),
  ],
  ['history/kept', local, reply('GET /history/', () => ({}))],
  [
    'history/oldest-first',
    local,
    reply('GET /history?', (body) => Object.fromEntries(Object.entries(body).toReversed())),
  ],
  [
    'history/max-items',
    local,
    exchange('GET /history?', (one) => ({ ...one, url: one.url.replace('=20', '=1') })),
  ],
]

const foreign = [-5, 'foreign', {}, {}, []]

/** Lists the deleted run as pending in the last listing. */
const undeleted: Edit = (recording) => {
  const deleting = recording.exchanges.find(
    ({ method, url }) => method === 'POST' && url.endsWith('/queue'),
  )
  const [id] = JSON.parse(textOf(deleting!.body)).delete
  const item =
    recording.info?.place === 'hosted' ? [1, id, {}, [], { create_time: 1 }] : [99, id, {}, {}, []]
  const listed = (body: any) => ({ ...body, queue_pending: [...body.queue_pending, item] })
  return reply('GET /queue', listed, -1)(recording)
}

const ofQueue: readonly BreakRow[] = [
  [
    'queue/listing',
    both,
    reply('GET /queue', (body) => ({
      queue_running: [...body.queue_running, ...body.queue_pending],
      queue_pending: [...body.queue_running, ...body.queue_pending],
    })),
  ],
  [
    'queue/item',
    local,
    reply('GET /queue', ({ queue_pending: [[, ...rest]], ...body }) => ({
      ...body,
      queue_pending: [[99, ...rest]],
    })),
  ],
  ['queue/delete', both, undeleted, 'queue/item'],
  [
    'queue/by-number',
    local,
    reply('GET /queue', (body) => ({
      ...body,
      queue_pending: [...body.queue_pending, foreign],
    })),
  ],
]

const ofFiles: readonly BreakRow[] = [
  [
    'files/view',
    local,
    response('GET /view?filename=image', {
      status: 404,
      headers: [['content-length', '0']],
      body: new Uint8Array(),
    }),
  ],
  [
    'files/view-headers',
    local,
    response('GET /view', { headers: [['content-type', 'image/webp']] }),
  ],
  ['files/hosted-signed-url', hosted, response(isLink, { status: 403 })],
  ['files/upload-renamed', local, reply('POST /upload', set({ name: 'odd.png' }))],
  ['files/upload-is-usable', both, reply(isLoading, set({ node_errors: { '1': rejected } }))],
]

const ofJobs: readonly BreakRow[] = [
  ['jobs/status', hosted, reply('GET /job/', set({ status: 'pending' }), 2)],
  [
    'jobs/status-final',
    hosted,
    all(
      reply('GET /job/', set({ status: 'failed' }), -2),
      reply('GET /job/', set({ status: 'failed' }), -1),
      reply('GET /jobs/', set({ status: 'failed' }), -2),
    ),
  ],
  ['jobs/detail', hosted, reply('GET /jobs/', set({ outputs: {} }))],
]

const accepted = { status: 'accepted', route: 'builds', event: 'unknown' }

const ofGateway: readonly BreakRow[] = [
  [
    'webhooks/json-replies',
    gateway,
    reply('POST /webhooks', set({ status: 'odd' }), 1),
    'webhooks/duplicate',
  ],
  [
    'signatures/every-post',
    gateway,
    response(
      'POST /webhooks',
      { status: 202, body: bytes({ ...accepted, delivery_id: 'two' }) },
      2,
    ),
  ],
  [
    'webhooks/no-500',
    gateway,
    response('POST /webhooks', { status: 500 }, 2),
    'webhooks/json-replies',
  ],
  ['webhooks/accepted', gateway, reply('POST /webhooks', set({ route: 'odd' }))],
  [
    'webhooks/duplicate',
    gateway,
    response(
      'POST /webhooks',
      { status: 202, body: bytes({ ...accepted, delivery_id: 'one' }) },
      1,
    ),
  ],
]

const rows: readonly BreakRow[] = [
  ...ofReplies,
  ...ofSubmits,
  ...ofHistory,
  ...ofQueue,
  ...ofFiles,
  ...ofJobs,
  ...ofGateway,
  ...ofMessages,
]

export const breaks = rows.map(([law, on, edit, ...also]) => ({ law, on, edit, also }))
