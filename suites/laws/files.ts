// Laws about files: what outputs list can be read, is what its type says, and uploads can be used under their names.

import { type Finding, law, type Law, shown, unless } from './law.ts'
import type { Listed, Trace, TracedExchange } from '../../dist/emulator/session/index.js'
import { isOf, typeOfName } from './media.ts'

type File = { readonly filename: string; readonly subfolder: string; readonly type: string }

const isFile = (value: any): value is File =>
  typeof value?.filename === 'string' && typeof value?.type === 'string'

/** The files in an output. */
const filesIn = (output: unknown): readonly File[] =>
  Object.values(output ?? {}).flatMap((list: unknown) =>
    Array.isArray(list) ? list.filter(isFile) : [],
  )

const keyOf = ({ filename, subfolder, type }: File): string =>
  JSON.stringify([filename, subfolder ?? '', type])

/** The files that the messages and the history list, and since when. */
function listedFiles({ runs }: Trace): ReadonlyMap<string, number> {
  const files = new Map<string, number>()
  const add = (file: File, atMs: number): void => {
    const key = keyOf(file)
    files.set(key, Math.min(atMs, files.get(key) ?? Infinity))
  }
  for (const { received, entries } of runs) {
    for (const { items } of received)
      for (const { message, atMs } of items)
        if (message.type === 'executed')
          for (const file of filesIn(message.data['output'])) add(file, atMs)
    for (const { exchange, entry } of entries)
      for (const output of Object.values(entry.outputs ?? {}))
        for (const file of filesIn(output)) add(file, exchange.recorded.endMs)
  }
  return files
}

const fileOf = ({ query }: TracedExchange): File => ({
  filename: query.get('filename') ?? '',
  subfolder: query.get('subfolder') ?? '',
  type: query.get('type') ?? 'output',
})

const isView = ({ endpoint, recorded, status }: TracedExchange): boolean =>
  endpoint?.name === 'view' && recorded.method === 'GET' && status > 0

/** Views of files that were listed before. */
function* viewsOfListed(trace: Trace): Iterable<TracedExchange> {
  const files = listedFiles(trace)
  for (const exchange of trace.exchanges)
    if (
      isView(exchange) &&
      (files.get(keyOf(fileOf(exchange))) ?? Infinity) <= exchange.recorded.startMs
    )
      yield exchange
}

/** Statuses of a file that exists: whole, in part, or unchanged since the client read it. */
const found: ReadonlySet<number> = new Set([200, 206, 304, 412, 416])

const mediaOf = ({ type }: TracedExchange): string => type.split(';')[0] ?? ''

/** What is wrong with the media type of a file. */
function typeFaults(exchange: TracedExchange, name: string): readonly Finding[] {
  const media = mediaOf(exchange)
  const expected = typeOfName(name)
  return unless(
    expected === undefined || media === expected,
    { exchange },
    () => `The media type of ${name} is ${shown(media)}.`,
  )
}

/** What is wrong with a whole file that the server has made. */
function byteFaults(exchange: TracedExchange, name: string): readonly Finding[] {
  const { hasBody, recorded } = exchange
  const media = mediaOf(exchange)
  const body = recorded.response?.body ?? new Uint8Array()
  return [
    ...typeFaults(exchange, name),
    ...unless(
      !hasBody || isOf(media, body),
      { exchange },
      () => `The bytes of ${name} do not begin like ${shown(media)}.`,
    ),
  ]
}

const isConverted = ({ query }: TracedExchange): boolean =>
  query.has('preview') || query.has('channel')

type Upload = {
  readonly exchange: TracedExchange
  readonly name: string
  readonly sent: string | undefined
}

/** The file name in a multipart body. */
const sentName = ({ recorded: { body } }: TracedExchange): string | undefined =>
  /filename="([^"\r\n]*)"/.exec(new TextDecoder().decode(body.subarray(0, 4096)))?.[1]

function* uploads({ exchanges }: Trace): Iterable<Upload> {
  for (const exchange of exchanges) {
    if (exchange.endpoint?.name !== 'uploadImage' || exchange.status !== 200) continue
    const name: unknown = exchange.reply()?.name
    if (typeof name === 'string') yield { exchange, name, sent: sentName(exchange) }
  }
}

/** Views of whole files as they are, and whether a client has uploaded them. */
function* wholeViews(trace: Trace) {
  const uploaded = new Set(Array.from(uploads(trace), ({ name }) => name))
  for (const exchange of trace.exchanges) {
    if (!isView(exchange) || exchange.status !== 200 || isConverted(exchange)) continue
    const { filename: name } = fileOf(exchange)
    yield { exchange, name, isUpload: uploaded.has(name) }
  }
}

/** Submits of workflows that load an upload by the name in its reply. */
function* uses(trace: Trace): Iterable<{ submit: TracedExchange; node: string; name: string }> {
  const known = new Map<string, number>()
  for (const { exchange } of uploads(trace)) {
    const { name, subfolder, type } = exchange.reply()
    // Hosted keeps uploads under their hashes, without folders.
    const path = subfolder && trace.place === 'local' ? `${subfolder}/${name}` : name
    const own =
      trace.place === 'local' && type !== 'input'
        ? [`${path} [${type}]`]
        : [path, `${path} [input]`]
    for (const one of own) if (!known.has(one)) known.set(one, exchange.recorded.endMs)
  }
  if (known.size === 0) return
  for (const submit of trace.exchanges) {
    if (submit.endpoint?.name !== 'submit' || submit.status === 0) continue
    const nodes: Record<string, any> = submit.asked()?.prompt ?? {}
    for (const [node, { class_type, inputs } = {} as any] of Object.entries<any>(nodes)) {
      const name: unknown = inputs?.image
      if (class_type !== 'LoadImage' || typeof name !== 'string') continue
      if ((known.get(name) ?? Infinity) <= submit.recorded.startMs) yield { submit, node, name }
    }
  }
}

/** The name of a file as a pattern: it can have a number before its extension. */
function isNumbered(sent: string, name: string): boolean {
  const dot = sent.lastIndexOf('.')
  const [stem, extension] = dot <= 0 ? [sent, ''] : [sent.slice(0, dot), sent.slice(dot)]
  const rest = name.slice(stem.length, name.length - extension.length)
  return name.startsWith(stem) && name.endsWith(extension) && /^(?: \(\d+\))?$/.test(rest)
}

/** The folder of the files of the nodes that have one. */
const folders: Readonly<Record<string, string>> = { SaveImage: 'output', PreviewImage: 'temp' }

type Listing = Listed & { readonly file: File; readonly folder: string }

/** The files in history entries whose node says in which folder they are. */
function* placedFiles({ runs }: Trace): Iterable<Listing> {
  for (const { graph, entries } of runs)
    for (const { exchange, entry } of entries)
      for (const [node, output] of Object.entries(entry.outputs ?? {})) {
        const folder = folders[graph?.[node]?.class_type]
        if (folder === undefined) continue
        for (const file of filesIn(output)) yield { exchange, entry, file, folder }
      }
}

export const fileLaws: readonly Law[] = [
  law('files/view', viewsOfListed, (exchange) =>
    unless(
      found.has(exchange.status),
      { exchange },
      () => `An output lists the file, and reading it returns ${exchange.status}.`,
    ),
  ),
  law('files/entry', placedFiles, ({ exchange, file, folder }) =>
    unless(
      file.type === folder,
      { exchange },
      () => `${file.filename} is in the folder ${shown(file.type)}.`,
    ),
  ),
  // An upload may be anything, whatever its name says.
  law('files/view-headers', wholeViews, ({ exchange, name, isUpload }) =>
    isUpload ? typeFaults(exchange, name) : byteFaults(exchange, name),
  ),
  law(
    'files/hosted-signed-url',
    ({ links }) => links.filter(({ recorded }) => recorded.method === 'GET'),
    (exchange) =>
      exchange.status === 200
        ? byteFaults(exchange, '')
        : unless(
            exchange.status < 400 || exchange.status === 416,
            { exchange },
            () => `A signed link returns ${exchange.status}.`,
          ),
  ),
  law(
    'files/upload-renamed',
    (trace) => [...uploads(trace)].filter(({ sent }) => sent !== undefined && !/[/\\%]/.test(sent)),
    ({ exchange, name, sent = '' }) =>
      unless(
        isNumbered(sent, name),
        { exchange },
        () => `The upload of ${shown(sent)} is named ${shown(name)}.`,
      ),
  ),
  law('files/upload-is-usable', uses, ({ submit, node, name }) => {
    const errors: readonly any[] = submit.reply()?.node_errors?.[node]?.errors ?? []
    return unless(
      !errors.some(({ type }) => type === 'custom_validation_failed'),
      { exchange: submit },
      () => `Node ${node} loads the upload ${shown(name)}, and is rejected.`,
    )
  }),
]
