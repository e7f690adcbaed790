// What breaks each law about exchanges: one change of a session that keeps all of them.

import { all, type Break, type Edit, exchange, reply, request, response } from './edit.ts'
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

const ofReplies: readonly Break[] = [
  {
    law: 'http/json-replies',
    on: both,
    edit: response('POST /prompt', { headers: [['content-type', 'text/plain']] }),
  },
  {
    law: 'http/hosted-refusals',
    on: hosted,
    edit: reply('GET /jobs/00000000-0000-4000-8000-000000000000', () => ({ error: 'no' })),
    also: ['jobs/detail jobs/detail-while-open jobs/detail-times jobs/detail-workflow'],
  },
  {
    law: 'http/unknown-path',
    on: local,
    edit: response('GET /nowhere', { body: bytes('not here') }),
  },
]

const ofSubmits: readonly Break[] = [
  {
    law: 'workflows/prompt-id-given',
    on: local,
    edit: request('POST /prompt', set({ prompt_id: 'another' })),
  },
  {
    law: 'workflows/prompt-id-made',
    on: both,
    edit: reply('POST /prompt', set({ prompt_id: 'odd' }), 5),
  },
  {
    law: 'workflows/number-counts',
    on: local,
    edit: reply(isHalf, set({ number: 0.5 })),
    also: ['history/prompt'],
  },
  { law: 'workflows/half-valid', on: both, edit: reply(isHalf, misnamed) },
  { law: 'workflows/invalid-names-nodes', on: both, edit: reply(isRefused, misnamed) },
]

const ofHistory: readonly Break[] = [
  {
    law: 'history/status-words',
    on: local,
    edit: reply('GET /history/', status({ completed: false })),
  },
  {
    law: 'history/error-comes-first',
    on: local,
    edit: reply('GET /history/', status({ status_str: 'success' }), 1),
  },
  {
    law: 'history/failed-not-completed',
    on: local,
    edit: reply('GET /history/', status({ completed: true }), 1),
  },
  {
    law: 'history/hosted-two-ways',
    on: hosted,
    edit: reply('GET /history_v2/', status({ status_str: 'error' })),
  },
  {
    law: 'history/kept history/outputs',
    on: local,
    edit: reply(
      'GET /history/',
      entry(({ outputs, ...one }) => ({
        ...one,
        outputs: Object.fromEntries(Object.keys(outputs).map((id) => [id, {}])),
      })),
    ),
  },
  {
    law: 'history/meta',
    on: local,
    edit: reply(
      'GET /history/',
      entry(({ meta, ...one }) => ({ ...one, meta: { ...meta, nowhere: Object.values(meta)[0] } })),
    ),
  },
  {
    law: 'workflows/extra-data-kept',
    on: local,
    edit: reply(
      'GET /history?',
      entry(({ prompt: [number, id, graph, , ids], ...one }) => ({
        ...one,
        prompt: [number, id, graph, {}, ids],
      })),
    ),
  },
  {
    law: 'workflows/extra-data-kept',
    on: hosted,
    edit: reply(
      'GET /history_v2/',
      entry(({ prompt, ...one }) => ({ ...one, prompt: { ...prompt, extra_data: {} } })),
    ),
  },
  { law: 'history/messages', on: local, edit: reply('GET /history/', status({ messages: [] })) },
  {
    law: 'history/prompt',
    on: local,
    edit: reply(
      'GET /history/',
      entry((one) => ({ ...one, prompt: [99, ...one.prompt.slice(1)] })),
    ),
  },
  { law: 'history/kept', on: local, edit: reply('GET /history/', () => ({})) },
  {
    law: 'history/oldest-first',
    on: local,
    edit: reply('GET /history?', (body) => Object.fromEntries(Object.entries(body).toReversed())),
  },
  {
    law: 'history/max-items',
    on: local,
    edit: exchange('GET /history?', (one) => ({ ...one, url: one.url.replace('=20', '=1') })),
  },
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

const ofQueue: readonly Break[] = [
  {
    law: 'queue/listing',
    on: both,
    edit: reply('GET /queue', (body) => ({
      queue_running: [...body.queue_running, ...body.queue_pending],
      queue_pending: [...body.queue_running, ...body.queue_pending],
    })),
  },
  {
    law: 'queue/item',
    on: local,
    edit: reply('GET /queue', ({ queue_pending: [[, ...rest]], ...body }) => ({
      ...body,
      queue_pending: [[99, ...rest]],
    })),
  },
  {
    law: 'queue/by-number',
    on: local,
    edit: reply('GET /queue', (body) => ({
      ...body,
      queue_pending: [...body.queue_pending, foreign],
    })),
  },
  { law: 'queue/delete', on: both, edit: undeleted, also: ['queue/item'] },
]

const ofFiles: readonly Break[] = [
  {
    law: 'files/view',
    on: local,
    edit: response('GET /view?filename=image', {
      status: 404,
      headers: [['content-length', '0']],
      body: new Uint8Array(),
    }),
  },
  {
    law: 'files/view-headers',
    on: local,
    edit: response('GET /view', { headers: [['content-type', 'image/webp']] }),
  },
  { law: 'files/hosted-signed-url', on: hosted, edit: response(isLink, { status: 403 }) },
  { law: 'files/upload-renamed', on: local, edit: reply('POST /upload', set({ name: 'odd.png' })) },
  {
    law: 'files/upload-is-usable',
    on: both,
    edit: reply(isLoading, set({ node_errors: { '1': rejected } })),
  },
]

const ofJobs: readonly Break[] = [
  { law: 'jobs/status', on: hosted, edit: reply('GET /job/', set({ status: 'pending' }), 2) },
  {
    law: 'jobs/status-final',
    on: hosted,
    edit: all(
      reply('GET /job/', set({ status: 'failed' }), -2),
      reply('GET /job/', set({ status: 'failed' }), -1),
      reply('GET /jobs/', set({ status: 'failed' }), -2),
    ),
  },
  { law: 'jobs/detail', on: hosted, edit: reply('GET /jobs/', set({ outputs: {} })) },
]

const accepted = { status: 'accepted', route: 'builds', event: 'unknown' }

const ofGateway: readonly Break[] = [
  {
    law: 'webhooks/json-replies',
    on: gateway,
    edit: reply('POST /webhooks', set({ status: 'odd' }), 1),
    also: ['webhooks/duplicate'],
  },
  {
    law: 'signatures/every-post',
    on: gateway,
    edit: response(
      'POST /webhooks',
      { status: 202, body: bytes({ ...accepted, delivery_id: 'two' }) },
      2,
    ),
  },
  {
    law: 'webhooks/no-500',
    on: gateway,
    edit: response('POST /webhooks', { status: 500 }, 2),
    also: ['webhooks/json-replies'],
  },
  { law: 'webhooks/accepted', on: gateway, edit: reply('POST /webhooks', set({ route: 'odd' })) },
  {
    law: 'webhooks/duplicate',
    on: gateway,
    edit: response(
      'POST /webhooks',
      { status: 202, body: bytes({ ...accepted, delivery_id: 'one' }) },
      1,
    ),
  },
]

export const breaks: readonly Break[] = [
  ...ofReplies,
  ...ofSubmits,
  ...ofHistory,
  ...ofQueue,
  ...ofFiles,
  ...ofJobs,
  ...ofGateway,
  ...ofMessages,
]
