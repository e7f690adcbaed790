// Random actions on two servers in parallel: requests of all kinds, sockets that open and close, and passing time.

import { encode } from 'fast-png'
import * as fc from 'fast-check'
import { draws, graphOf, treeOf, trees } from './arbitraries.ts'
import { breaks } from './broken-workflows.ts'
import { pickFrom, types } from './catalogue.ts'
import { failing, type Graph, node, slow, solid, talking } from './graphs.ts'
import { at, moving } from './userdata-paths.ts'

/** A request in local form. `<run 3>` and `<file 3>` stand for names that the server chose, counted from 0. */
export type PlainRequest = {
  readonly method: string
  readonly path: string
  /** A JSON body. */
  readonly json?: any
  /** Another body. */
  readonly text?: string
  /** An upload, with the other fields of its form. */
  readonly file?: { readonly name: string; readonly bytes: Buffer }
  readonly fields?: Readonly<Record<string, string>>
}

/** One action: a request, time that passes, or a client that connects or disconnects. */
export type Action =
  | { readonly kind: 'request'; readonly request: PlainRequest }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'connect' | 'disconnect'; readonly client: string }

const ask = (
  method: string,
  path: string,
  more: Omit<PlainRequest, 'method' | 'path'> = {},
): Action => ({
  kind: 'request',
  request: { method, path, ...more },
})
const posted = (path: string, json: unknown): Action => ask('POST', path, { json })

const films = types.filter(({ name }) => name === 'SaveVideo' || name === 'SaveWEBM')
const broken = fc
  .tuple(trees, fc.constantFrom(...Object.values(breaks)), fc.array(fc.nat(99), { minLength: 1 }))
  .map(([graph, break_, numbers]) => break_(graph, pickFrom(numbers))?.graph ?? {})
/** One part of it is valid. */
const half: Graph = { ...talking('half'), '2': node('PreviewImage', { images: ['9', 0] }) }
const graph: fc.Arbitrary<Graph> = fc.oneof(
  { weight: 3, arbitrary: draws.map(graphOf) },
  { weight: 3, arbitrary: trees },
  { weight: 2, arbitrary: broken },
  {
    weight: 3,
    arbitrary: fc.constantFrom(slow(0.1, 2), talking(), solid(), solid(1, 'below/solid'), half),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      failing(),
      {
        ...failing('torch.OutOfMemoryError'),
        '0': node('PreviewImage', { images: ['1', 0] }),
      },
      { '1': node('FlowdoubleNotify', { value: 'a word' }) },
    ),
  },
)
const client = fc.constantFrom('me', 'you')
const run = fc.nat(4).map((serial) => `<run ${serial}>`)
const file = fc.nat(4).map((serial) => `<file ${serial}>`)
const submit = fc
  .record(
    {
      prompt: graph,
      client_id: client,
      prompt_id: fc.constantFrom('mine', 'yours'),
      number: fc.integer({ min: -2, max: 2 }),
      front: fc.boolean(),
      extra_data: fc.constantFrom({}, { of: 'somebody' }),
    },
    { requiredKeys: ['prompt'] },
  )
  .map((body) => posted('/prompt', body))

const removal = fc.oneof(
  fc.constant(posted('/queue', { clear: true })),
  fc.array(run, { maxLength: 3 }).map((ids) => posted('/queue', { delete: ids })),
)
const interrupt = fc
  .option(run, { nil: undefined, freq: 2 })
  .map((prompt_id) => posted('/interrupt', prompt_id === undefined ? {} : { prompt_id }))
const past = fc.oneof(
  run.map((id) => ask('GET', `/history/${id}`)),
  fc
    .constantFrom('?max_items=2', '?max_items=1&offset=1')
    .map((query) => ask('GET', `/history${query}`)),
  fc.array(run, { maxLength: 2 }).map((ids) => posted('/history', { delete: ids })),
  fc.constant(posted('/history', { clear: true })),
)

/** A small picture of one brightness, opaque or not. */
const picture = (brightness: number): Buffer =>
  Buffer.from(
    encode({
      width: 2,
      height: 2,
      channels: 4,
      data: Uint8Array.from({ length: 16 }, (_, index) => (index % 4 === 3 ? 90 : brightness)),
    }),
  )
const upload = fc.record({
  name: fc.constantFrom('a.png', 'b.PNG'),
  bytes: fc.constantFrom(picture(0), picture(200), Buffer.from('no picture')),
})
const fields = fc.record(
  {
    type: fc.constantFrom('input', 'temp'),
    subfolder: fc.constant('below'),
    overwrite: fc.constantFrom('true', 'false'),
  },
  { requiredKeys: [] },
)
const files = fc.oneof(
  fc.tuple(upload, fields).map(([file, fields]) => ask('POST', '/upload/image', { file, fields })),
  fc
    .tuple(upload, fields, file)
    .map(([mask, fields, original_ref]) =>
      ask('POST', '/upload/mask', { file: mask, fields: { ...fields, original_ref } }),
    ),
  file.map((one) => ask('GET', `/view?${one}`)),
)

const name = fc.constantFrom('a.json', 'b.txt', 'sub/c.json', '../d')
const query = fc.constantFrom('', '?overwrite=false')
const userdata = fc.oneof(
  fc.tuple(name, query).map(([one, query]) => ask('POST', at(one, query), { text: one })),
  name.map((one) => ask('GET', at(one))),
  name.map((one) => ask('DELETE', at(one))),
  fc.tuple(name, name, query).map(([one, other, query]) => ask('POST', moving(one, other, query))),
  fc
    .constantFrom(
      '',
      '?dir=sub',
      '?dir=nowhere',
      '?dir=..',
      '?recurse=true',
      '?dir=&full_info=true',
    )
    .map((query) => ask('GET', `/userdata${query}`)),
)
const setting = fc.constantFrom('one', 'two')
const settings = fc.oneof(
  setting.map((id) => ask('GET', `/settings/${id}`)),
  fc
    .tuple(setting, fc.jsonValue({ maxDepth: 1 }))
    .map(([id, value]) => posted(`/settings/${id}`, value)),
  fc.dictionary(setting, fc.integer(), { maxKeys: 2 }).map((all) => posted('/settings', all)),
  fc.constant(ask('GET', '/settings')),
)
const catalogue = fc
  .constantFrom(
    '/models',
    '/models/checkpoints',
    '/models/nowhere',
    '/models/embeddings',
    '/models/configs',
    '/object_info/KSampler',
    '/object_info/NoSuchType',
    '/nowhere',
  )
  .map((path) => ask('GET', path))
const free = fc.constantFrom<Action>(
  posted('/free', { free_memory: true }),
  posted('/free', { unload_models: true }),
  ask('POST', '/free', { text: 'no json' }),
)
const advance = fc
  .oneof(fc.constantFrom(5, 10, 25, 30, 60), fc.nat(60))
  .map((ms): Action => ({ kind: 'advance', ms }))
const socket = fc
  .tuple(fc.constantFrom('connect' as const, 'connect' as const, 'disconnect' as const), client)
  .map(([kind, client]): Action => ({ kind, client }))

/** One action of any kind. */
const any = fc.oneof(
  { weight: 7, arbitrary: submit },
  { weight: 9, arbitrary: advance },
  { weight: 3, arbitrary: removal },
  { weight: 4, arbitrary: interrupt },
  { weight: 3, arbitrary: past },
  { weight: 3, arbitrary: files },
  { weight: 3, arbitrary: userdata },
  { weight: 2, arbitrary: settings },
  { weight: 1, arbitrary: catalogue },
  { weight: 1, arbitrary: free },
  { weight: 3, arbitrary: socket },
)

/** Actions that belong together, and that chance alone would seldom combine. */
const together: fc.Arbitrary<readonly Action[]> = fc.oneof(
  // At its only node, after the last moment at which it checks for an interrupt.
  fc
    .constantFrom(30, 34)
    .map((ms): Action[] => [
      posted('/queue', { clear: true }),
      { kind: 'advance', ms: 5000 },
      posted('/free', { free_memory: true }),
      posted('/prompt', { prompt: talking() }),
      { kind: 'advance', ms },
      posted('/interrupt', {}),
    ]),
  fc
    .constantFrom(...films)
    .map((type): Action[] => [
      posted('/prompt', { prompt: treeOf(type, pickFrom([0])) }),
      { kind: 'advance', ms: 5000 },
    ]),
  // Written, then read.
  fc
    .tuple(name, fc.constantFrom('GET', 'DELETE'))
    .map(([one, method]) => [ask('POST', at(one), { text: one }), ask(method, at(one))]),
  // Uploaded, then the original of a mask.
  fc
    .tuple(upload, upload, fields)
    .map(([original, mask, fields]) => [
      ask('POST', '/upload/image', { file: original, fields }),
      ask('POST', '/upload/mask', { file: mask, fields: { original_ref: '<file 0>' } }),
    ]),
)

/** Sequences of at most this many actions or groups of actions. */
export const actionsUpTo = (maxLength: number): fc.Arbitrary<readonly Action[]> =>
  fc
    .array(
      fc.oneof(
        { weight: 12, arbitrary: any.map((action) => [action]) },
        { weight: 1, arbitrary: together },
      ),
      { maxLength, size: 'max' },
    )
    .map((groups) => groups.flat())
