// What breaks each law about messages and frames: one change of a session that keeps all of them.

import type { Recording } from '../../../dist/emulator/internal.js'
import {
  all,
  type Break,
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
const kept = { also: ['history/messages'] }

const isNull = ({ data }: Recording['sockets'][number]['messages'][number]): boolean =>
  typeof data === 'string' && /^\{"type": ?"executing".*"node": ?null/.test(data)

/** On hosted each socket receives the end of a run. */
const unended = { also: ['messages/hosted-all-connections'] }

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

const fitting: readonly Break[] = [
  {
    law: 'assets/scan-messages',
    on: local,
    edit: all(ofLater, before('status', '{"type":"assets.seed.started","data":{}}', { nth: 1 })),
  },
  { law: 'messages/status', on: both, edit: set('status', counting(-1), 1) },
  {
    law: 'messages/feature-flags',
    on: both,
    edit: data('feature_flags', () => ({ supports_preview_metadata: 'yes' })),
  },
  {
    law: 'messages/execution-start',
    on: both,
    edit: set('execution_start', { timestamp: 'x' }),
    ...kept,
  },
  {
    law: 'messages/execution-cached',
    on: both,
    edit: set('execution_cached', { nodes: 'x' }),
    ...kept,
  },
  { law: 'messages/executing', on: both, edit: set('executing', { display_node: 7 }) },
  {
    law: 'messages/progress-state',
    on: both,
    edit: atClient((which) => data('progress_state', () => ({ nodes: {} }), which), 3),
  },
  { law: 'messages/progress', on: both, edit: set('progress', { max: 'x' }) },
  { law: 'messages/executed', on: both, edit: set('executed', { display_node: 7 }) },
  {
    law: 'messages/success',
    on: both,
    edit: set('execution_success', { timestamp: 'x' }),
    ...kept,
  },
  { law: 'messages/error', on: both, edit: set('execution_error', { traceback: [] }), ...kept },
  {
    law: 'messages/interrupted',
    on: both,
    edit: set('execution_interrupted', { timestamp: 'x' }),
    ...kept,
  },
  {
    law: 'internal/log-subscription',
    on: local,
    edit: before('status', '{"type":"logs","data":{"entries":1,"size":null}}', { nth: 1 }),
  },
  {
    law: 'messages/local-notification',
    on: local,
    edit: before('status', '{"type":"notification","data":{}}', { nth: 1 }),
  },
  { law: 'messages/notification', on: hosted, edit: set('notification', { value: 7 }) },
]

const ofSocket: readonly Break[] = [
  {
    law: 'messages/json-text',
    on: both,
    edit: before('status', '{"type":"odd","data":{}}', { nth: 1 }),
  },
  { law: 'messages/json-text', on: both, edit: before('status', '{"type":', { nth: 1 }) },
  {
    law: 'messages/type-first',
    on: both,
    edit: message('status', (own) => ({ data: own.data, type: own.type }), { nth: 1 }),
  },
  { law: 'messages/status-on-connect', on: both, edit: dropped('status') },
  { law: 'messages/sid', on: local, edit: data('status', () => ({ sid: 'another' })) },
  {
    law: 'messages/hosted-no-executing-null',
    on: hosted,
    edit: before('status', '{"type":"executing","data":{"node":null,"prompt_id":"odd"}}', {
      nth: 1,
    }),
    also: ['messages/order'],
  },
]

const ofRuns: readonly Break[] = [
  {
    law: 'messages/order',
    on: both,
    edit: atClient((which) => dropped('executing', which)),
  },
  {
    law: 'messages/success',
    on: hosted,
    edit: atClient((which) => dropped('execution_success', which)),
    ...unended,
  },
  {
    law: 'messages/error',
    on: hosted,
    edit: atClient((which) => dropped('execution_error', which)),
    ...unended,
  },
  {
    law: 'messages/interrupted',
    on: hosted,
    edit: atClient((which) => dropped('execution_interrupted', which)),
    ...unended,
  },
  {
    law: 'messages/timestamps',
    on: both,
    edit: set('execution_success', { timestamp: 1 }),
    ...kept,
  },
  { law: 'messages/progress', on: both, edit: set('progress', { value: 99 }) },
  { law: 'messages/progress', on: both, edit: set('progress', { value: 1 }, 1) },
  {
    law: 'runs/sources-first',
    on: both,
    edit: set('executing', { node: 'nowhere', display_node: 'nowhere' }),
  },
  { law: 'files/entry', on: both, edit: set('executed', { display_node: 'nowhere' }) },
  {
    law: 'runs/unchanged-is-cached',
    on: both,
    edit: set('execution_cached', { nodes: ['nowhere'] }),
    ...kept,
  },
  {
    law: 'messages/executed-cached',
    on: both,
    edit: set('execution_cached', { nodes: ['4'] }),
    ...kept,
  },
  {
    law: 'messages/error-details',
    on: both,
    edit: set('execution_error', { node_type: 'Odd' }),
    ...kept,
  },
  {
    law: 'messages/error-details',
    on: both,
    edit: set('execution_error', { executed: ['2'] }),
    ...kept,
  },
]

const ofFrames: readonly Break[] = [
  { law: 'frames/type-code', on: both, edit: frame(4, (bytes) => bytes.fill(9, 3, 4)) },
  {
    law: 'frames/image-types',
    on: both,
    edit: frame(1, (bytes) => bytes.fill(2, 7, 8), { socket: 1 }),
  },
  {
    law: 'frames/metadata-names-node',
    on: both,
    edit: metadata(({ display_node_id: _, ...own }) => own),
  },
  {
    law: 'frames/preview-with-metadata',
    on: both,
    edit: metadata((own) => ({ ...own, image_type: 'image/png' })),
  },
  {
    law: 'frames/metadata-when-asked',
    on: local,
    edit: messages((own) => own.filter(({ from }) => from === 'server')),
  },
  { law: 'frames/preview-place', on: local, edit: frameBefore(4, 'executing') },
  { law: 'frames/preview-place', on: local, edit: frameBefore(4, 'executing', { nth: 2 }) },
]

const ofReceivers: readonly Break[] = [
  {
    law: 'messages/own-client',
    on: local,
    edit: request('POST /prompt', (body) => ({ ...body, client_id: 'b' })),
  },
  { law: 'messages/own-client', on: local, edit: exchanges('POST /prompt', () => [], 1) },
  {
    law: 'messages/no-client',
    on: local,
    edit: request('POST /prompt', ({ client_id: _, ...body }) => body),
  },
  { law: 'messages/newest-socket messages/older-socket', on: local, edit: onOlder },
  {
    law: 'messages/hosted-one-notification',
    on: hosted,
    edit: atClient((which) => dropped('notification', which)),
  },
  {
    law: 'messages/hosted-all-connections',
    on: hosted,
    edit: data('progress', () => ({ value: 0 }), { socket: 1 }),
  },
  {
    law: 'messages/status-of-a-run',
    on: both,
    edit: atClient((which) => all(dropped('status', which), dropped('status', which)), 1),
  },
  {
    law: 'messages/status',
    on: both,
    edit: before('executing', JSON.stringify({ type: 'status', data: counting(0) })),
  },
  {
    law: 'messages/executing-null',
    on: local,
    edit: messages((all) => all.toSpliced(all.findIndex(isNull), 1)),
  },
  { law: 'messages/executing-null-last', on: local, edit: dropped('status', { nth: 3 }) },
]

export const ofMessages: readonly Break[] = [
  ...fitting,
  ...ofSocket,
  ...ofRuns,
  ...ofFrames,
  ...ofReceivers,
]
