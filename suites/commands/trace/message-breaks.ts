// What breaks each law about messages and frames: one change of a session that keeps all of them.

import type { Recording } from '../../../dist/emulator/internal.js'
import {
  all,
  type BreakRow,
  before,
  data,
  dropped,
  type Edit,
  exchanges,
  frame,
  frameBefore,
  atClient,
  message,
  messages,
  metadata,
  request,
} from './edit.ts'

const local = ['local'] as const
const hosted = ['hosted'] as const
const both = ['local', 'hosted'] as const

/** The history says the same as the messages: what differs there, differs here too. */
const kept = 'history/messages'

/** On hosted each socket receives the end of a run. */
const unended = 'messages/hosted-all-connections'

const isNull = ({ data }: Recording['sockets'][number]['messages'][number]): boolean =>
  typeof data === 'string' && /^\{"type": ?"executing".*"node": ?null/.test(data)

/** Sets members of the data of a message, at each client of its run. */
const set = (type: string, members: object, nth = 0): Edit =>
  atClient((which) => data(type, () => members, which), nth)

const counting = (queue_remaining: unknown) => ({ status: { exec_info: { queue_remaining } } })

/** Adds a message about the run of the last submit but one to the older socket of its client. */
const onOlder: Edit = (recording: Recording) => {
  const submit = recording.exchanges.filter(({ url }) => url.endsWith('/prompt')).at(-2)
  const { prompt_id } = JSON.parse(new TextDecoder().decode(submit?.response?.body))
  const text = JSON.stringify({ type: 'execution_start', data: { prompt_id, timestamp: 1 } })
  const atMs = recording.exchanges.at(-1)?.endMs ?? 0
  return messages((own) => [...own, { from: 'server', atMs, data: text }], 1)(recording)
}

/** A session with a later local server. */
const ofLater: Edit = (recording: Recording) => ({
  ...recording,
  info: recording.info && { ...recording.info, software: 'ComfyUI 0.38.0' },
})

const fitting: readonly BreakRow[] = [
  [
    'tasks/download-messages',
    hosted,
    before('status', '{"type":"asset_download","data":{}}', { nth: 1 }),
  ],
  [
    'tasks/export-messages',
    hosted,
    before('status', '{"type":"asset_export","data":{}}', { nth: 1 }),
  ],
  [
    'assets/scan-messages',
    local,
    all(ofLater, before('status', '{"type":"assets.seed.started","data":{}}', { nth: 1 })),
  ],
  ['messages/status', both, set('status', counting(-1), 1)],
  [
    'messages/feature-flags',
    both,
    data('feature_flags', () => ({ supports_preview_metadata: 'yes' })),
  ],
  ['messages/execution-start', both, set('execution_start', { timestamp: 'x' }), kept],
  ['messages/execution-cached', both, set('execution_cached', { nodes: 'x' }), kept],
  ['messages/executing', both, set('executing', { display_node: 7 })],
  [
    'messages/progress-state',
    both,
    atClient((which) => data('progress_state', () => ({ nodes: {} }), which), 3),
  ],
  ['messages/progress', both, set('progress', { max: 'x' })],
  ['messages/executed', both, set('executed', { display_node: 7 })],
  ['messages/success', both, set('execution_success', { timestamp: 'x' }), kept],
  ['messages/error', both, set('execution_error', { traceback: [] }), kept],
  ['messages/interrupted', both, set('execution_interrupted', { timestamp: 'x' }), kept],
  [
    'internal/log-subscription',
    local,
    before('status', '{"type":"logs","data":{"entries":1,"size":null}}', { nth: 1 }),
  ],
  [
    'messages/local-notification',
    local,
    before('status', '{"type":"notification","data":{}}', { nth: 1 }),
  ],
  ['messages/notification', hosted, set('notification', { value: 7 })],
]

const ofSocket: readonly BreakRow[] = [
  ['messages/json-text', both, before('status', '{"type":"odd","data":{}}', { nth: 1 })],
  ['messages/json-text', both, before('status', '{"type":', { nth: 1 })],
  [
    'messages/type-first',
    both,
    message('status', (own) => ({ data: own.data, type: own.type }), { nth: 1 }),
  ],
  ['messages/status-on-connect', both, dropped('status')],
  ['messages/sid', local, data('status', () => ({ sid: 'another' }))],
  [
    'messages/hosted-no-executing-null',
    hosted,
    before('status', '{"type":"executing","data":{"node":null,"prompt_id":"odd"}}', {
      nth: 1,
    }),
    'messages/order',
  ],
]

const ofRuns: readonly BreakRow[] = [
  ['messages/order', both, atClient((which) => dropped('executing', which))],
  ['messages/success', hosted, atClient((which) => dropped('execution_success', which)), unended],
  ['messages/error', hosted, atClient((which) => dropped('execution_error', which)), unended],
  [
    'messages/interrupted',
    hosted,
    atClient((which) => dropped('execution_interrupted', which)),
    unended,
  ],
  ['messages/timestamps', both, set('execution_success', { timestamp: 1 }), kept],
  ['messages/progress', both, set('progress', { value: 99 })],
  ['messages/progress', both, set('progress', { value: 1 }, 1)],
  ['runs/sources-first', both, set('executing', { node: 'nowhere', display_node: 'nowhere' })],
  ['files/entry', both, set('executed', { display_node: 'nowhere' })],
  ['runs/unchanged-is-cached', both, set('execution_cached', { nodes: ['nowhere'] }), kept],
  ['messages/executed-cached', both, set('execution_cached', { nodes: ['4'] }), kept],
  ['messages/error-details', both, set('execution_error', { node_type: 'Odd' }), kept],
  ['messages/error-details', both, set('execution_error', { executed: ['2'] }), kept],
]

const ofFrames: readonly BreakRow[] = [
  ['frames/type-code', both, frame(4, (bytes) => bytes.fill(9, 3, 4))],
  ['frames/image-types', both, frame(1, (bytes) => bytes.fill(2, 7, 8), { socket: 1 })],
  ['frames/metadata-names-node', both, metadata(({ display_node_id: _, ...own }) => own)],
  ['frames/preview-with-metadata', both, metadata((own) => ({ ...own, image_type: 'image/png' }))],
  [
    'frames/metadata-when-asked',
    local,
    messages((own) => own.filter(({ from }) => from === 'server')),
  ],
  ['frames/preview-place', local, frameBefore(4, 'executing')],
  ['frames/preview-place', local, frameBefore(4, 'executing', { nth: 2 })],
]

const ofReceivers: readonly BreakRow[] = [
  ['messages/own-client', local, request('POST /prompt', (body) => ({ ...body, client_id: 'b' }))],
  ['messages/own-client', local, exchanges('POST /prompt', () => [], 1)],
  ['messages/no-client', local, request('POST /prompt', ({ client_id: _, ...body }) => body)],
  ['messages/newest-socket messages/older-socket', local, onOlder],
  ['messages/hosted-one-notification', hosted, atClient((which) => dropped('notification', which))],
  [
    'messages/hosted-all-connections',
    hosted,
    data('progress', () => ({ value: 0 }), { socket: 1 }),
  ],
  [
    'messages/status-of-a-run',
    both,
    atClient((which) => all(dropped('status', which), dropped('status', which)), 1),
  ],
  [
    'messages/status',
    both,
    before('executing', JSON.stringify({ type: 'status', data: counting(0) })),
  ],
  ['messages/executing-null', local, messages((all) => all.toSpliced(all.findIndex(isNull), 1))],
  ['messages/executing-null-last', local, dropped('status', { nth: 3 })],
]

export const ofMessages: readonly BreakRow[] = [
  ...fitting,
  ...ofSocket,
  ...ofRuns,
  ...ofFrames,
  ...ofReceivers,
]
