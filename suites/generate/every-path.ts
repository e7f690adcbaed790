// Requests for each endpoint of a local and of a hosted server, to prove what holds for every path.

import { type EndpointOn, endpointsOn, type LaterName } from '../../spec/server/endpoints.ts'
import { endpoints } from '../../spec/index.ts'
import type { Deployment, Endpoint } from '../../spec/language.ts'
import { v2Root } from '../../spec/v2/v2-access.ts'
import { talking } from './graphs.ts'
import { bodiesOn, isPaid, pathOn } from './replies-on.ts'

/** The id of the run that the requests submit: every server accepts it. */
export const ownRunId = '5f0c6b1e-8f4d-4c1b-9f57-3f1c0e9a7b21'

type PlainRequest = {
  /** Path and query, with a value for each variable part. */
  readonly path: string
  readonly body?: unknown
  /** Status of the answer. */
  readonly status: number
  /** Whether it is about a file or a folder that not every server has: another one answers 404. */
  readonly needsFile?: true
}

/** Endpoints of a local server, except those that it serves only with an option. */
type LocalName = Exclude<
  EndpointOn<'local'>,
  'managerInstall' | 'managerStatus' | 'managerInstallModel' | LaterName
>

// The requests leave the answers as they are: the same request again gets the same answer.
const plain: Readonly<Record<LocalName, PlainRequest>> = {
  submit: {
    path: '/prompt',
    body: { prompt: talking(), prompt_id: ownRunId, number: 1 },
    status: 200,
  },
  readHistory: { path: '/history?max_items=5', status: 200 },
  readHistoryEntry: { path: `/history/${ownRunId}`, status: 200 },
  changeHistory: { path: '/history', body: { delete: ['nowhere'] }, status: 200 },
  view: { path: '/view?filename=example.png&type=input', status: 200 },
  uploadImage: { path: '/upload/image', body: {}, status: 400 },
  uploadMask: { path: '/upload/mask', body: {}, status: 400 },
  socket: { path: '/ws', status: 400 },
  objectInfo: { path: '/object_info', status: 200 },
  objectInfoOf: { path: '/object_info/KSampler', status: 200 },
  modelFolders: { path: '/models', status: 200 },
  models: { path: '/models/checkpoints', status: 200 },
  readQueue: { path: '/queue', status: 200 },
  changeQueue: { path: '/queue', body: { delete: ['nowhere'] }, status: 200 },
  interrupt: { path: '/interrupt', body: { prompt_id: 'nowhere' }, status: 200 },
  systemStats: { path: '/system_stats', status: 200 },
  free: { path: '/free', body: {}, status: 200 },
  features: { path: '/features', status: 200 },
  promptInfo: { path: '/prompt', status: 200 },
  home: { path: '/', status: 200 },
  experimentModelFolders: { path: '/experiment/models', status: 200 },
  experimentModels: { path: '/experiment/models/loras', status: 200 },
  modelPreview: { path: '/experiment/models/preview/loras/0/sub/none.safetensors', status: 404 },
  modelMetadata: {
    path: '/view_metadata/embeddings?filename=example_negative.safetensors',
    status: 200,
    needsFile: true,
  },
  embeddings: { path: '/embeddings', status: 200 },
  extensions: { path: '/extensions', status: 200 },
  translations: { path: '/i18n', status: 200 },
  workflowTemplates: { path: '/workflow_templates', status: 200 },
  // Until something is stored, a new server has no folder for it.
  listUserdata: { path: '/userdata?dir=.&full_info=true', status: 200, needsFile: true },
  browseUserdata: { path: '/v2/userdata', status: 200 },
  readUserdata: { path: '/userdata/none.json', status: 404 },
  writeUserdata: { path: '/userdata/mine.json', body: {}, status: 200 },
  deleteUserdata: { path: '/userdata/none.json', status: 404 },
  moveUserdata: { path: '/userdata/none.json/move/there.json', status: 404 },
  readSettings: { path: '/settings', status: 200 },
  changeSettings: { path: '/settings', body: { mine: 1 }, status: 200 },
  readSetting: { path: '/settings/mine', status: 200 },
  changeSetting: { path: '/settings/mine', body: 1, status: 200 },
  users: { path: '/users', status: 200 },
  addUser: { path: '/users', body: {}, status: 500 },
  logs: { path: '/internal/logs', status: 200 },
  rawLogs: { path: '/internal/logs/raw', status: 200 },
  subscribeLogs: {
    path: '/internal/logs/subscribe',
    body: { clientId: 'nobody', enabled: false },
    status: 200,
  },
  folderPaths: { path: '/internal/folder_paths', status: 200 },
  folderFiles: { path: '/internal/files/input', status: 200 },
}

/** The requests, ready to be sent, with the spec of their endpoints. */
export const everyPath = Object.entries<PlainRequest>(plain).map(
  ([name, { path, body, status, needsFile = false }]) => {
    const endpoint: Endpoint = endpoints[name as keyof typeof plain]
    const text = body === undefined ? '' : JSON.stringify(body)
    const { method, replies } = endpoint
    return { method, path, body: text, status, needsFile, replies }
  },
)

/**
 * Each endpoint of a hosted server, at a path of which every variable part is `nowhere`. The hosted API v2 has other keys and
 * other errors.
 */
export const everyHostedPath = Object.values<Endpoint>(endpoints)
  .filter(({ on, path }) => on.includes('hosted') && !path.startsWith(`${v2Root}/`))
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
