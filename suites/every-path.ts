// One harmless request for each endpoint of a local server, to prove what holds for every path.

import { type EndpointName, endpoints } from '../spec/index.ts'
import type { Endpoint } from '../spec/language.ts'
import { talking } from './graphs.ts'

type Plain = {
  /** Path and query, with a value for each variable part. */
  readonly path: string
  readonly body?: unknown
  /** Status of the answer. */
  readonly status: number
}

/** Endpoints that only hosted has, those that a local server has only when it is told so, and masks (not built yet). */
type Elsewhere =
  | 'jobStatus'
  | 'job'
  | 'managerInstall'
  | 'managerStatus'
  | 'managerInstallModel'
  | 'uploadMask'

// What is asked leaves the answers as they are: the same request again is answered alike.
const plain: Readonly<Record<Exclude<EndpointName, Elsewhere>, Plain>> = {
  submit: {
    path: '/prompt',
    body: { prompt: talking(), prompt_id: 'mine', number: 1 },
    status: 200,
  },
  readHistory: { path: '/history?max_items=5', status: 200 },
  readHistoryEntry: { path: '/history/mine', status: 200 },
  changeHistory: { path: '/history', body: { delete: ['nowhere'] }, status: 200 },
  view: { path: '/view?filename=example.png&type=input', status: 200 },
  uploadImage: { path: '/upload/image', body: {}, status: 400 },
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
}

/** The requests, ready to be sent, with what the spec says of their endpoints. */
export const everyPath = Object.entries<Plain>(plain).map(([name, { path, body, status }]) => {
  const endpoint: Endpoint = endpoints[name as keyof typeof plain]
  const text = body === undefined ? '' : JSON.stringify(body)
  return { method: endpoint.method, path, body: text, status, replies: endpoint.replies }
})
