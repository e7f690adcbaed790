// Requests for each endpoint of a local and of a hosted server, to prove what holds for every path.

import { type EndpointName, endpointsOn, managerEndpoints } from '../../spec/server/endpoints.ts'
import { endpoints } from '../../spec/index.ts'
import type { Deployment, Endpoint } from '../../spec/language.ts'
import { talking } from './graphs.ts'
import { bodiesOn, isBeyondV1, isPaid, pathOn } from './replies-on.ts'

/** The id of the run that the requests submit: every server accepts it. */
export const ownRunId = '5f0c6b1e-8f4d-4c1b-9f57-3f1c0e9a7b21'

/** What a request to an endpoint has, or its answer, besides the path and the status 200. */
type PlainRequest = {
  /** Path and query, with a value for each variable part. */
  readonly path?: string
  readonly body?: unknown
  /** Status of the answer. */
  readonly status?: number
  /** Whether it is about a file or a folder that not every server has: another one answers 404. */
  readonly needsFile?: true
}

// The requests leave the answers as they are: the same request again gets the same answer.
const plain: Readonly<Partial<Record<EndpointName, PlainRequest>>> = {
  submit: { body: { prompt: talking(), prompt_id: ownRunId, number: 1 } },
  readHistory: { path: '/history?max_items=5' },
  readHistoryEntry: { path: `/history/${ownRunId}` },
  changeHistory: { body: { delete: ['nowhere'] } },
  view: { path: '/view?filename=example.png&type=input' },
  uploadImage: { body: {}, status: 400 },
  uploadMask: { body: {}, status: 400 },
  socket: { status: 400 },
  objectInfoOf: { path: '/object_info/KSampler' },
  models: { path: '/models/checkpoints' },
  changeQueue: { body: { delete: ['nowhere'] } },
  interrupt: { body: { prompt_id: 'nowhere' } },
  free: { body: {} },
  experimentModels: { path: '/experiment/models/loras' },
  modelPreview: { path: '/experiment/models/preview/loras/0/sub/none.safetensors', status: 404 },
  modelMetadata: {
    path: '/view_metadata/embeddings?filename=example_negative.safetensors',
    needsFile: true,
  },
  // Until something is stored, a new server has no folder for it.
  listUserdata: { path: '/userdata?dir=.&full_info=true', needsFile: true },
  readUserdata: { path: '/userdata/none.json', status: 404 },
  writeUserdata: { path: '/userdata/mine.json', body: {} },
  deleteUserdata: { path: '/userdata/none.json', status: 404 },
  moveUserdata: { path: '/userdata/none.json/move/there.json', status: 404 },
  changeSettings: { body: { mine: 1 } },
  readSetting: { path: '/settings/mine' },
  changeSetting: { path: '/settings/mine', body: 1 },
  addUser: { body: {}, status: 500 },
  subscribeLogs: { body: { clientId: 'nobody', enabled: false } },
  folderFiles: { path: '/internal/files/input' },
}

/** A request to each endpoint of a local server, except those that it serves only with an option. */
export const everyPath = endpointsOn('local')
  .filter(([name]) => !Object.hasOwn(managerEndpoints, name))
  .map(([name, endpoint]) => {
    const { method, replies } = endpoint
    const { path = endpoint.path, body, status = 200, needsFile = false } = plain[name] ?? {}
    const text = body === undefined ? '' : JSON.stringify(body)
    return { method, path, body: text, status, needsFile, replies }
  })

/**
 * Each endpoint of a hosted server, at a path of which every variable part is `nowhere`. The other APIs have other keys
 * and other errors.
 */
export const everyHostedPath = Object.values<Endpoint>(endpoints)
  .filter((one) => one.on.includes('hosted') && !isBeyondV1(one))
  .map((endpoint) => ({
    method: endpoint.method,
    path: pathOn('hosted', endpoint).replace(/\{\w+(\.\.\.)?\}/g, 'nowhere'),
    hasBody: endpoint.body !== undefined,
    isPaid: isPaid(endpoint),
    bodies: bodiesOn('hosted', endpoint),
  }))

/** Requests to paths that only one deployment has, without a prefix. */
export function pathsOnlyOn(deployment: Deployment): { method: string; path: string }[] {
  const ownPath = ({ path, hostedPath = path }: Endpoint, on: Deployment): string =>
    (on === 'hosted' ? hostedPath : path).replace(/\{\w+(\.\.\.)?\}/g, 'nowhere')
  const other = deployment === 'local' ? 'hosted' : 'local'
  const there = new Set(endpointsOn(other).map(([, one]) => ownPath(one, other)))
  return endpointsOn(deployment)
    .map(([, one]) => ({ method: one.method, path: ownPath(one, deployment) }))
    .filter(({ path }) => !there.has(path))
}
