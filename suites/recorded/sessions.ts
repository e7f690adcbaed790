// The sessions with worlds that recordings/sessions/ holds: what a client does in each, and which rules it shows.

import type { EmulatorOptions } from 'flowdouble'
import type { Place } from '../../spec/language.ts'
import { type Graph, node, saying, slow } from '../generate/graphs.ts'

/** What a client does: a request, a socket, a message on it, an upload, a link that it follows, a wait. `{run}` is the latest run. */
export type Step = {
  readonly method?: string
  readonly path?: string
  /** A text, or a value that is sent as JSON. */
  readonly body?: unknown
  /** The id of a delivery, and the key of the request: null for none. */
  readonly id?: string
  readonly key?: string | null
  readonly socket?: string
  readonly say?: object
  readonly upload?: string
  readonly content?: string
  readonly link?: true
  readonly until?: 'idle' | 'next' | 'started'
}

export type Session = {
  readonly name: string
  readonly place: Place
  readonly rules: readonly string[]
  readonly steps: readonly Step[]
  /** Those of its world. */
  readonly options: EmulatorOptions
}

const image = (color: number, prefix: string): Graph => ({
  '1': node('EmptyImage', { width: 16, height: 16, batch_size: 1, color }),
  '2': node('SaveImage', { images: ['1', 0], filename_prefix: prefix }),
})
const failing: Graph = {
  '1': node('FlowdoubleFail', { exception_type: 'ValueError', message: 'too small' }),
}
const previews: Graph = {
  '1': node('FlowdoublePreviews', { width: 16, height: 16, steps: 1, seed: 1 }),
  '2': node('PreviewImage', { images: ['1', 0] }),
}

const get = (path: string): Step => ({ method: 'GET', path })
const post = (path: string, body: unknown): Step => ({ method: 'POST', path, body })
const submit = (prompt: Graph, more = {}): Step =>
  post('/prompt', { prompt, client_id: 'recorder', ...more })
const socket: Step = { socket: 'recorder' }
const say = (message: object): Step => ({ say: message })
const until = (what: NonNullable<Step['until']>): Step => ({ until: what })
const upload = (filename: string, content: string): Step => ({ upload: filename, content })

const sessionAt =
  (place: Place) =>
  (
    name: string,
    rules: readonly string[],
    steps: readonly Step[],
    options: EmulatorOptions = {},
  ): Session => ({ name, place, rules, steps, options })
const [local, hosted, gateway] = [sessionAt('local'), sessionAt('hosted'), sessionAt('gateway')]

export const sessions: readonly Session[] = [
  local(
    'local-run',
    ['messages/success', 'history/kept'],
    [
      socket,
      submit(image(255, 'red')),
      until('idle'),
      get('/history/{run}'),
      get('/view?filename=red_00001_.png&type=output'),
    ],
  ),
  local(
    'local-queue',
    ['queue/listing', 'queue/clear'],
    [
      socket,
      submit(slow(2, 2)),
      submit(image(1, 'a')),
      submit(image(2, 'b'), { front: true }),
      until('next'),
      get('/queue'),
      post('/queue', { clear: true }),
      get('/queue'),
      until('idle'),
    ],
  ),
  local(
    'local-interrupt',
    ['queue/interrupt'],
    [
      socket,
      submit(slow(2, 2)),
      until('started'),
      post('/interrupt', {}),
      until('idle'),
      get('/history/{run}'),
    ],
  ),
  local(
    'local-history',
    ['history/oldest-first', 'history/max-items', 'history/clear'],
    [
      submit(image(1, 'a')),
      submit(image(2, 'b')),
      until('idle'),
      get('/history?max_items=1'),
      get('/history'),
      post('/history', { clear: true }),
      get('/history'),
    ],
  ),
  local(
    'local-failure',
    ['runs/failure-ends', 'messages/error'],
    [socket, submit(failing), until('idle'), get('/history/{run}')],
  ),
  local(
    'local-refused',
    ['workflows/no-prompt', 'workflows/unknown-class', 'workflows/required-input'],
    [
      post('/prompt', { prompt: {} }),
      post('/prompt', { prompt: { 1: { class_type: 'Unknown', inputs: {} } } }),
      post('/prompt', { prompt: { 1: { class_type: 'SaveImage', inputs: {} } } }),
      post('/prompt', 'not json'),
    ],
  ),
  local(
    'local-frames',
    ['frames/preview', 'frames/text'],
    [socket, submit(previews), until('idle'), submit(saying('a text of a node')), until('idle')],
  ),
  local(
    'local-frames-metadata',
    ['frames/metadata-when-asked'],
    [
      socket,
      say({ type: 'feature_flags', data: { supports_preview_metadata: true } }),
      submit(previews),
      until('idle'),
    ],
  ),
  local(
    'local-cache',
    ['runs/unchanged-is-cached', 'messages/executed-cached'],
    [socket, submit(image(7, 'same')), until('idle'), submit(image(7, 'same')), until('idle')],
  ),
  local(
    'local-uploads',
    ['files/upload', 'files/upload-renamed', 'files/view-missing'],
    [
      upload('a.txt', 'first'),
      upload('a.txt', 'second'),
      get('/view?filename=a.txt&type=input'),
      get('/view?filename=missing.png&type=input'),
    ],
  ),
  local(
    'local-userdata',
    ['userdata/write', 'userdata/read', 'userdata/list', 'userdata/delete'],
    [
      post('/userdata/notes.json', { one: 1 }),
      get('/userdata/notes.json'),
      get('/userdata?dir=&recurse=true'),
      { method: 'DELETE', path: '/userdata/notes.json' },
      get('/userdata/notes.json'),
    ],
  ),
  local(
    'local-settings',
    ['settings/merge', 'settings/one', 'settings/users'],
    [get('/users'), post('/settings', { 'a.b': true }), get('/settings'), get('/settings/a.b')],
  ),
  local(
    'local-catalog',
    ['catalog/model-folders', 'catalog/models', 'catalog/one-node-type', 'catalog/embeddings'],
    [get('/models'), get('/models/checkpoints'), get('/object_info/SaveImage'), get('/embeddings')],
  ),
  local(
    'local-system',
    ['system/statistics', 'system/features'],
    [
      get('/system_stats'),
      get('/features'),
      get('/prompt'),
      post('/free', { unload_models: true }),
    ],
  ),
  local('local-manager', ['manager/status'], [get('/manager/queue/status'), until('idle')], {
    manager: true,
  }),
  local(
    'local-internal',
    ['internal/folder-paths', 'internal/files', 'internal/log'],
    [get('/internal/folder_paths'), get('/internal/files/output'), get('/internal/logs')],
  ),
  hosted(
    'hosted-run',
    ['jobs/detail', 'messages/success'],
    [
      socket,
      submit(image(255, 'red')),
      until('idle'),
      get('/job/{run}/status'),
      get('/jobs/{run}'),
      get('/history_v2/{run}'),
    ],
  ),
  hosted(
    'hosted-jobs',
    ['jobs/listing', 'jobs/listing-pages'],
    [
      submit(image(1, 'a')),
      submit(image(2, 'b')),
      get('/jobs'),
      until('idle'),
      get('/jobs?limit=1'),
    ],
  ),
  hosted(
    'hosted-cancel',
    ['jobs/cancel'],
    [
      socket,
      submit(slow(2, 2)),
      until('started'),
      post('/jobs/{run}/cancel', {}),
      until('idle'),
      get('/jobs/{run}'),
    ],
  ),
  hosted(
    'hosted-keys',
    ['access/hosted-key', 'access/hosted-key-refusal', 'access/hosted-public-statistics'],
    [
      { ...get('/queue'), key: null },
      { ...get('/queue'), key: 'not-a-key-of-anybody' },
      get('/queue'),
      { ...get('/system_stats'), key: null },
    ],
  ),
  hosted(
    'hosted-tiers',
    ['access/free-tier-refusal'],
    [
      { ...submit(image(1, 'a')), key: 'test-key-free' },
      { ...get('/jobs'), key: 'test-key-free' },
    ],
  ),
  hosted(
    'hosted-failure',
    ['jobs/detail-error', 'runs/other-failures'],
    [socket, submit(failing), until('idle'), get('/jobs/{run}')],
  ),
  hosted(
    'hosted-uploads',
    ['files/hosted-upload-name', 'files/hosted-view-missing'],
    [upload('a.txt', 'first'), get('/view?filename=missing.png&type=input')],
  ),
  hosted(
    'hosted-links',
    ['files/hosted-view', 'files/hosted-signed-url'],
    [
      submit(image(255, 'red')),
      until('idle'),
      get('/history_v2/{run}'),
      get('/view?filename={file}&type=output'),
      { link: true },
    ],
  ),
  gateway(
    'gateway-posts',
    ['webhooks/accepted', 'webhooks/unknown-route', 'webhooks/health'],
    [
      post('/webhooks/ci', { status: 'passed' }),
      until('idle'),
      post('/webhooks/unknown', {}),
      get('/health'),
    ],
  ),
  gateway(
    'gateway-repeats',
    ['webhooks/duplicate'],
    [
      { ...post('/webhooks/ci', { status: 'failed' }), id: 'delivery-1' },
      { ...post('/webhooks/ci', { status: 'failed' }), id: 'delivery-1' },
      until('idle'),
    ],
  ),
]
