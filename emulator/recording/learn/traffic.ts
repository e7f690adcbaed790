// What the traffic of a server shows of its options: versions, features, previews, the cache, quirks.

import type { Place } from '../../../spec/language.ts'
import { limits } from '../../../spec/limits.ts'
import type { Start } from '../../../spec/scenario/start.ts'
import type { QuirkId } from '../../../spec/truth/quirks.ts'
import { type NamedServer, servers } from '../../../spec/truth/servers.ts'
import type { Recording } from '../recording.ts'
import type { Answered } from './requests.ts'
import { historyIn, type LearnedRun } from './runs.ts'
import { isMembers, jsonOf, linkOf, listOf, type Members, membersOf, textOf } from './values.ts'

/** What the recorded server is: as the recording says, or by the header or the token with the key of hosted servers. */
export function placeOf(recordings: readonly Recording[]): Place {
  const [named] = recordings.flatMap(({ info }) => info?.place ?? [])
  if (named !== undefined) return named
  const isHosted = recordings.some(
    ({ exchanges, sockets }) =>
      exchanges.some(({ headers }) => headers.some(([name]) => /^x-api-key$/i.test(name))) ||
      sockets.some(({ url }) => new URL(url).searchParams.has('token')),
  )
  return isHosted ? 'hosted' : 'local'
}

const replyTo = (answered: readonly Answered[], wanted: string): Members | undefined => {
  const found = answered.find(
    ({ method, path, status }) => method === 'GET' && path === wanted && status === 200,
  )
  const reply = found?.received()
  return isMembers(reply) ? reply : undefined
}

/** The statistics of the server; undefined if they were not recorded. */
export function statisticsIn(answered: readonly Answered[]): Start['statistics'] | undefined {
  const reply = replyTo(answered, '/system_stats')
  if (reply === undefined) return undefined
  const devices = listOf(reply['devices']).filter(isMembers)
  return { system: membersOf(reply['system']), devices: [...devices] }
}

/** The software version that the statistics state. */
export const versionIn = (statistics: Start['statistics'] | undefined): string | undefined => {
  const version = membersOf(statistics?.system)['comfyui_version']
  return typeof version === 'string' ? version : undefined
}

/** The named server that a recording names, or that has the version of its statistics. */
export function likeOf(
  recordings: readonly Recording[],
  place: Place,
  version: string | undefined,
): string | undefined {
  const names = [...recordings.flatMap(({ info }) => info?.like ?? []), `comfyui-${version}`]
  const named: Readonly<Record<string, NamedServer>> = servers
  return names.find((name) => Object.hasOwn(named, name) && named[name]?.on === place)
}

/** The options that the traffic shows. */
export function optionsIn(
  answered: readonly Answered[],
  recordings: readonly Recording[],
  runs: readonly LearnedRun[],
  place: Place,
): Members {
  const uploads = maxUploadOf(answered, recordings)
  const origin = answered
    .map(({ header }) => header('access-control-allow-origin'))
    .find((one) => one !== undefined)
  const hasManager = answered.some(
    ({ path, status }) => path.startsWith('/manager/') && status === 200,
  )
  return {
    ...(uploads !== undefined && { maxUploadSize: uploads }),
    ...(place === 'local' && origin !== undefined && { cors: origin }),
    ...(place === 'local' && hasManager && { manager: true }),
    ...previewOf(runs),
    ...(reranAll(runs) && { cache: 'none' }),
  }
}

/** The largest upload in MiB, if it is not the usual one. */
function maxUploadOf(
  answered: readonly Answered[],
  recordings: readonly Recording[],
): number | undefined {
  const flags = recordings
    .flatMap(({ sockets }) => sockets.flatMap(({ messages }) => messages))
    .flatMap(({ from, data }) => (from === 'server' && typeof data === 'string' ? data : []))
    .filter((text) => text.includes('"feature_flags"'))
    .map((text) => membersOf(membersOf(jsonOf(text))['data']))
  const bytes = [replyTo(answered, '/features'), ...flags]
    .map((one) => one?.['max_upload_size'])
    .find((one) => typeof one === 'number')
  return bytes === undefined || bytes === limits.body.value ? undefined : bytes / 2 ** 20
}

/** The format of previews, or none if nodes made steps without any. */
function previewOf(runs: readonly LearnedRun[]): Members {
  const nodes = runs.flatMap((run) => [...run.nodes.values()])
  const format = nodes.find(({ preview }) => preview !== null)?.preview
  if (format) return { preview: format }
  return nodes.some(({ stepsMs }) => stepsMs.length > 0) ? { preview: 'none' } : {}
}

/**
 * Whether nothing is kept of a run: no node without links is in the cache of the next one, whose workflow has it as well.
 */
const reranAll = (runs: readonly LearnedRun[]): boolean =>
  runs.some((run, at) => {
    const before = runs[at - 1]
    if (before === undefined || run.startMs === null) return false
    const shared = Object.entries(run.graph).filter(
      ([id, node]) =>
        before.nodes.get(id)?.failure === null &&
        before.nodes.get(id)?.endMs !== null &&
        JSON.stringify(before.graph[id]) === JSON.stringify(node) &&
        !Object.values(membersOf(node['inputs'])).some(linkOf),
    )
    const isAgain = shared.some(([id]) => run.nodes.has(id))
    return isAgain && shared.every(([id]) => !run.cached.includes(id))
  })

/** What shows a quirk: one of these exchanges, or one of these messages. */
type Signs = Readonly<
  Partial<Record<QuirkId, { readonly on: Place; readonly shows: (one: Answered) => boolean }>>
>

const path =
  (pattern: RegExp, shows: (one: Answered) => boolean) =>
  (one: Answered): boolean =>
    pattern.test(one.path) && shows(one)

const submits = (shows: (one: Answered) => boolean) =>
  path(/^\/prompt$/, (one) => one.method === 'POST' && shows(one))

const errorTypeOf = (one: Answered): unknown =>
  membersOf(membersOf(one.received())['error'])['type']

/** Quirks that a single exchange proves. Others need sessions made for them: those are for `check`. */
const signs: Signs = {
  'workflows.bare-graph-errors': {
    on: 'local',
    shows: submits(
      (one) =>
        one.status === 400 &&
        /^(invalid_prompt|missing_node_type)$/.test(textOf(errorTypeOf(one))) &&
        Object.keys(membersOf(one.sent()['prompt'])).length > 0 &&
        Object.keys(membersOf(membersOf(one.received())['node_errors'])).length === 0,
    ),
  },
  'workflows.invalid-is-200': {
    on: 'local',
    shows: submits((one) => one.status === 200 && errorTypeOf(one) !== undefined),
  },
  'history.completed-on-error': {
    on: 'local',
    shows: path(/^\/history/, (one) =>
      historyIn(one.received()).some(([, { status }]) => {
        const { status_str, completed } = membersOf(status)
        return status_str === 'error' && completed === true
      }),
    ),
  },
  'local.queue-shows-partner-key': {
    on: 'local',
    shows: path(/^\/queue$/, (one) =>
      Object.values(membersOf(one.received()))
        .flatMap(listOf)
        .some((run) => Object.hasOwn(membersOf(listOf(run)[3]), 'api_key_comfy_org')),
    ),
  },
  'local.video-under-images': {
    on: 'local',
    shows: path(/^\/history/, (one) =>
      historyIn(one.received()).some(([, { outputs }]) =>
        Object.values(membersOf(outputs)).some((output) =>
          listOf(membersOf(output)['images']).some((file) =>
            /\.(mp4|webm)$/.test(textOf(membersOf(file)['filename'])),
          ),
        ),
      ),
    ),
  },
  'hosted.no-free': {
    on: 'hosted',
    shows: path(/^\/free$/, ({ method, status }) => method === 'POST' && status === 404),
  },
  'hosted.history-as-map': {
    on: 'hosted',
    shows: path(/^\/history_v2$/, ({ method, status, received }) => {
      const reply = received()
      return method === 'GET' && status === 200 && isMembers(reply) && !('history' in reply)
    }),
  },
  'hosted.status-raw-states': {
    on: 'hosted',
    shows: path(/^\/job\/[^/]+\/status$/, (one) =>
      /^(submitted|executing|success|error)$/.test(textOf(membersOf(one.received())['status'])),
    ),
  },
  'hosted.bearer': {
    on: 'hosted',
    shows: submits(
      ({ status, sentHeader }) =>
        status === 200 &&
        sentHeader('x-api-key') === undefined &&
        /^bearer /i.test(sentHeader('authorization') ?? ''),
    ),
  },
  'hosted.view-channel-bytes': {
    on: 'hosted',
    shows: path(
      /^\/view$/,
      ({ status, query }) => status === 200 && (query.has('channel') || query.has('res')),
    ),
  },
}

/** The quirks that the traffic proves. */
export const quirksIn = (answered: readonly Answered[], place: Place): readonly string[] =>
  Object.entries(signs)
    .filter(([, { on, shows }]) => on === place && answered.some(shows))
    .map(([id]) => id)
