// A server in process that runs one node at a time, without sockets, and shows what it computed.

import {
  completeOptions,
  createServer,
  nextWakeMs,
  stepServer,
  worldOptions,
  typeTexts,
} from '../../dist/emulator/internal.js'
import { formOf } from '../generate/form.ts'
import type { Node } from '../generate/graphs.ts'
import { nodeTypesText } from '../generate/node-types.ts'
import { type Line, type RecordedMap, withWholeNumbers } from './lines.ts'
import { inputsIn, type RecipeFiles } from './recipes.ts'
import {
  type AudioFile,
  type LatentFile,
  latentOf,
  type PictureFile,
  pngOf,
  wavOf,
} from './uploads.ts'

const catalogue = nodeTypesText()
/** A node that takes anything, so that the node under test runs. */
const sink =
  '"Sink": {"input": {"required": {"any": ["*", {}]}}, "output": [], "output_node": true, "name": "Sink"}'
const types = typeTexts(`${catalogue.trimEnd().slice(0, -1)}, ${sink}}`)
const outputNodes = new Map(
  Object.entries(
    JSON.parse(catalogue) as Record<string, { output_node: boolean; output: unknown[] }>,
  ),
)

type Server = ReturnType<typeof createServer>
type Graph = Record<string, Node>

/** What came of a node: its outputs, its output for the user, its exception, or why the graph was refused. */
export type Outcome = {
  readonly outputs?: readonly (readonly any[])[]
  readonly ui?: any
  readonly failure?: {
    readonly exception_type: string
    readonly exception_message: string
    readonly node_type: string
  }
  readonly refused?: { readonly error: any; readonly nodeErrors: any }
  readonly world: Server['worlds'][0]
}

/** The uploads that a server has before the first run: combos list them. */
type Setup = 'folders' | 'mesh' | 'empty'

/** The uploads before a recorded line. */
export function setupOf({ class_type, inputs, note }: Line): Setup {
  if (class_type === 'LoadImageSetFromFolderNode') return note === undefined ? 'empty' : 'folders'
  if (!class_type.startsWith('Load3D')) return 'folders'
  return inputs['model_file'] === 'x.glb' ? 'empty' : 'mesh'
}

export function createNodeServer(setup: Setup = 'folders') {
  const options = completeOptions({ deployment: 'local', like: 'comfyui-0.3.64' })
  const server = createServer(
    worldOptions(options, () => types, 0, null),
    null,
  )
  const uploaded = new Set<string>()
  let atMs = 0
  let last = 0

  const ask = (method: string, target: string, body: Uint8Array, type: string) => {
    const request = ++last
    const headers = { 'content-type': type, host: '127.0.0.1' }
    const input = { kind: 'request', request, method, target, headers, body, atMs } as const
    for (const effect of stepServer(server, input)) {
      if (effect.kind === 'reply' && effect.request === request)
        return { status: effect.status, body: effect.body as string }
    }
    throw new Error('no reply')
  }

  const upload = (filename: string, content: Uint8Array, subfolder = ''): string => {
    const key = `${subfolder}/${filename}`
    if (!uploaded.has(key)) {
      uploaded.add(key)
      const [body, headers] = formOf(
        { name: 'image', filename, content },
        { name: 'subfolder', content: subfolder },
      )
      ask('POST', '/upload/image', Buffer.from(body), headers['Content-Type'] ?? '')
    }
    return filename
  }
  const uploadPicture = (file: PictureFile, k = 0, subfolder = '', name?: string): string => {
    const { w, h, pattern, mode = 'RGB' } = file
    const own = `${pattern.replaceAll(/[:,]/g, '_')}-${w}x${h}-${k}-${mode}.png`
    return upload(name ?? own, pngOf(file, k), subfolder)
  }
  const uploadLatent = (file: LatentFile): string =>
    upload(`${file.pattern.replace(':', '_')}-${file.shape.join('x')}.latent`, latentOf(file))
  const uploadAudio = (file: AudioFile): string =>
    upload(`tone-${file.samples}-${file.channels ?? 1}-${file.rate ?? 8000}.wav`, wavOf(file))

  if (setup !== 'folders') server.worlds[0].state.files.entries.delete('input/3d/example.glb')
  if (setup === 'folders') {
    for (const k of [0, 1, 2])
      uploadPicture({ w: 6, h: 5, pattern: 'gradient' }, k, 'set', `g${k}.png`)
    uploadPicture({ w: 6, h: 5, pattern: 'noise' }, 0, 'mixed', 'm0.png')
    uploadPicture({ w: 9, h: 4, pattern: 'noise' }, 1, 'mixed', 'm1.png')
    upload('readme.txt', Buffer.from('text'), 'texts')
  }
  if (setup === 'mesh') {
    upload('x.glb', Buffer.from('glTF'), '3d')
    uploadPicture({ w: 6, h: 5, pattern: 'gradient', mode: 'RGBA' })
  }
  if (setup !== 'empty') uploadPicture({ w: 6, h: 5, pattern: 'gradient' })

  const files: RecipeFiles = { picture: uploadPicture, latent: uploadLatent, audio: uploadAudio }

  /** Runs one node, and what its inputs need. */
  const run = (class_type: string, given: RecordedMap): Outcome => {
    // The cache also holds results of the runs before.
    const NODE = `node ${++last}`
    const graph: Graph = {}
    graph[NODE] = { class_type, inputs: inputsIn(graph, given, files) }
    const type = outputNodes.get(class_type)
    if (!type?.output_node) graph['sink'] = { class_type: 'Sink', inputs: { any: [NODE, 0] } }
    const world = server.worlds[0]
    const free = '{"unload_models": true, "free_memory": true}'
    ask('POST', '/free', Buffer.from(free), 'application/json')
    const reply = ask(
      'POST',
      '/prompt',
      Buffer.from(withWholeNumbers(JSON.stringify({ prompt: graph }))),
      'application/json',
    )
    const answer = JSON.parse(reply.body.replaceAll(/: (?:NaN|-?Infinity)(?=[,}])/g, ': null'))
    if (reply.status !== 200)
      return { refused: { error: answer.error, nodeErrors: answer.node_errors }, world }
    for (let due = nextWakeMs(server); due !== undefined; due = nextWakeMs(server)) {
      atMs = Math.max(atMs, due)
      stepServer(server, { kind: 'wake', atMs })
    }
    const text = ask('GET', `/history/${answer.prompt_id}`, Buffer.alloc(0), '').body
    const history = JSON.parse(text.replaceAll(/(?:NaN|-?Infinity)(?=[,}\]])/g, 'null'))
    const entry = history[answer.prompt_id]
    const failed = entry.status.messages.find(([type]: [string]) => type === 'execution_error')
    const results = [...world.state.workers[0]!.cache.values()]
    const result = results.find(({ producer }) => producer === NODE)
    if (failed !== undefined) return { failure: failed[1], outputs: result?.outputs ?? [], world }
    return { outputs: result?.outputs ?? [], ui: entry.outputs[NODE] ?? null, world }
  }
  return { run, server }
}
