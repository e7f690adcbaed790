// Writes the chapters of PROTOCOL.md about the socket: messages, their order, frames.

import { frames, messages, order, receivers } from '../../spec/index.ts'
import { previewMetadata } from '../../spec/server/frames.ts'
import { both, type Frame, type FrameField, type Message } from '../../spec/language.ts'
import type { Kind, Order, State } from '../../spec/server/order.ts'
import { code, section, table } from './markdown.ts'
import { shapeCell, shapeOf } from './shapes.ts'

export const whoReceives = {
  everyone: 'everyone',
  own: 'its own client',
  'own-or-everyone': 'its own client; everyone when the run has no client_id',
  'asking-socket': 'the socket that sent its flags',
  subscriber: 'the subscribed clients',
} as const

function orderTable({ first, last, next }: Order): string {
  const states = Object.entries(next) as [State, Partial<Record<Kind, State>>][]
  const marks = (state: State) =>
    [state === first ? ' (first)' : '', last.includes(state) ? ' (last)' : ''].join('')
  return table(
    ['State', 'Messages that keep it', 'Messages that change it'],
    states
      .filter(([, steps]) => Object.keys(steps).length > 0)
      .map(([state, steps]) => {
        const stays = Object.entries(steps).filter(([, to]) => to === state)
        const goes = Object.entries(steps).filter(([, to]) => to !== state)
        return [
          state + marks(state),
          stays.map(([kind]) => code(kind)).join(', '),
          goes.map(([kind, to]) => `${code(kind)} to ${to}`).join(', '),
        ]
      }),
  )
}

/** A local run of three nodes: a loader, a sampler of two steps, an output node. */
export const sampleRun: readonly (readonly [kind: Kind, about: string])[] = [
  ['status', 'the run is queued'],
  ['status', 'the run starts'],
  ['execution_start', ''],
  ['execution_cached', 'no node'],
  ['progress_state', '1 running'],
  ['executing', '1'],
  ['progress_state', '1 finished'],
  ['progress_state', '2 running'],
  ['executing', '2'],
  ['progress_state', '2 running, 1 of 2'],
  ['progress', '1 of 2'],
  ['progress_state', '2 running, 2 of 2'],
  ['progress', '2 of 2'],
  ['progress_state', '2 finished'],
  ['progress_state', '3 running'],
  ['executing', '3'],
  ['executed', '3, with its images'],
  ['progress_state', '3 finished'],
  ['execution_success', ''],
  ['status', 'the history entry is available'],
  ['executing_null', 'the end'],
]

const dataCell = ({ data, hostedData }: Message): string =>
  hostedData === undefined
    ? shapeCell(data)
    : `${shapeCell(data)}; on hosted ${shapeCell(hostedData)}`

export function messagesPart(): string {
  return section(
    'Messages',
    'Each message on the socket is one text frame: `{"type": ..., "data": ...}`. A local server sends a message ' +
      'to the clients in this table; the hosted server sends each connection of an account all its messages.',
    table(
      ['Type', 'When', 'Receivers on local', 'Data'],
      (Object.keys(messages) as (keyof typeof messages)[]).map((type) => [
        code(type),
        messages[type].when,
        whoReceives[receivers[type]],
        dataCell(messages[type]),
      ]),
    ),
    '### <a id="order"></a>Order',
    'The messages of one run, as its own client receives them, walk through these states and end in a last ' +
      'one. `executing_null` is `executing` with node null. Messages of other runs are not included, but ' +
      '`status` can come at any time.',
    ...both.flatMap((name) => [`On ${name}:`, orderTable(order[name])]),
    'For example, a local run of three nodes, the second of which is a sampler of two steps:',
    sampleRun
      .map(([kind, about], at) => `${at + 1}. ${code(kind)}${about === '' ? '' : `: ${about}`}`)
      .join('\n'),
  )
}

export function fieldText(field: FrameField): string {
  if (field.is === 'u32') {
    const values = Object.entries(field.values ?? {}).map(([name, value]) => `${value} = ${name}`)
    return ['4 bytes', ...values].join(', ')
  }
  if (field.is === 'prefixed-text') return 'its length in 4 bytes, then UTF-8 text'
  if (field.is === 'prefixed-json') return 'its length in 4 bytes, then JSON'
  if (field.is === 'text') return 'UTF-8 text, to the end'
  return 'bytes, to the end'
}

export function framesPart(): string {
  const all: [string, Frame][] = Object.entries(frames)
  return section(
    'Frames',
    'Binary frames begin with a type code of 4 bytes. All numbers are big-endian and unsigned.',
    table(
      ['Frame', 'Type', 'When', 'After the type code'],
      all.map(([name, { type, when, fields }]) => [
        name,
        String(type),
        when,
        fields.map((field) => `${code(field.name)}: ${fieldText(field)}`).join('; '),
      ]),
    ),
    `The metadata of a preview: ${code(shapeOf(previewMetadata))}.`,
  )
}
