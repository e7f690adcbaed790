// What the traffic of a server shows of its options: versions, features, previews, the cache, quirks.

import type { Place } from '../../../spec/language.ts'
import { limits } from '../../../spec/limits.ts'
import type { Start } from '../../../spec/scenario/start.ts'
import type { QuirkId } from '../../../spec/truth/quirks.ts'
import { type NamedServer, servers } from '../../../spec/truth/servers.ts'
import { isMembers, listOf, type Members, membersOf, nameOf } from '../../lib/loose.ts'
import { responseHeader, type TracedExchange } from '../../session/exchanges.ts'
import { headerOf } from '../../session/recording.ts'
import { entriesIn } from '../../session/runs.ts'
import type { Trace } from '../../session/trace.ts'
import { type LearnedRun, linkOf } from './runs.ts'

/** The answered requests of a recording, in order, except those with a body that is not whole. */
export const answeredIn = ({ exchanges }: Trace): readonly TracedExchange[] =>
  exchanges.filter(({ recorded }) => recorded.response !== null && recorded.cut === undefined)

const replyTo = (answered: readonly TracedExchange[], wanted: string): Members | undefined => {
  const found = answered.find(
    ({ recorded, localPath, status }) =>
      recorded.method === 'GET' && localPath === wanted && status === 200,
  )
  const reply = found?.reply()
  return isMembers(reply) ? reply : undefined
}

/** The statistics of the server; undefined if they were not recorded. */
export function statisticsIn(answered: readonly TracedExchange[]): Start['statistics'] | undefined {
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
  traces: readonly Trace[],
  place: Place,
  version: string | undefined,
): string | undefined {
  const names = [
    ...traces.flatMap(({ recording }) => recording.info?.like ?? []),
    `comfyui-${version}`,
  ]
  const named: Readonly<Record<string, NamedServer>> = servers
  return names.find((name) => Object.hasOwn(named, name) && named[name]?.on === place)
}

/** The options that the traffic shows. */
export function optionsIn(
  answered: readonly TracedExchange[],
  traces: readonly Trace[],
  runs: readonly LearnedRun[],
  place: Place,
): Members {
  const uploads = maxUploadOf(answered, traces)
  const origin = answered
    .map(({ recorded }) => responseHeader(recorded, 'access-control-allow-origin'))
    .find((one) => one !== undefined)
  const hasManager = answered.some(
    ({ localPath, status }) => localPath.startsWith('/manager/') && status === 200,
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
  answered: readonly TracedExchange[],
  traces: readonly Trace[],
): number | undefined {
  const flags = traces
    .flatMap(({ byType }) => byType.get('feature_flags') ?? [])
    .map(({ message }) => message.data)
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
  Partial<Record<QuirkId, { readonly on: Place; readonly shows: (one: TracedExchange) => boolean }>>
>

const path =
  (pattern: RegExp, shows: (one: TracedExchange) => boolean) =>
  (one: TracedExchange): boolean =>
    pattern.test(one.localPath) && shows(one)

const submits = (shows: (one: TracedExchange) => boolean) =>
  path(/^\/prompt$/, (one) => one.recorded.method === 'POST' && shows(one))

const errorTypeOf = (one: TracedExchange): unknown =>
  membersOf(membersOf(one.reply())['error'])['type']

/** Quirks that a single exchange proves. Others need sessions made for them: those are for `check`. */
const signs: Signs = {
  'workflows.bare-graph-errors': {
    on: 'local',
    shows: submits(
      (one) =>
        one.status === 400 &&
        /^(invalid_prompt|missing_node_type)$/.test(nameOf(errorTypeOf(one))) &&
        Object.keys(membersOf(one.asked()?.prompt)).length > 0 &&
        Object.keys(membersOf(membersOf(one.reply())['node_errors'])).length === 0,
    ),
  },
  'workflows.invalid-is-200': {
    on: 'local',
    shows: submits((one) => one.status === 200 && errorTypeOf(one) !== undefined),
  },
  'history.completed-on-error': {
    on: 'local',
    shows: path(/^\/history/, (one) =>
      entriesIn(one).some(({ entry }) => {
        const { status_str, completed } = membersOf(entry.status)
        return status_str === 'error' && completed === true
      }),
    ),
  },
  'local.queue-shows-partner-key': {
    on: 'local',
    shows: path(/^\/queue$/, (one) =>
      Object.values(membersOf(one.reply()))
        .flatMap(listOf)
        .some((run) => Object.hasOwn(membersOf(listOf(run)[3]), 'api_key_comfy_org')),
    ),
  },
  'local.video-under-images': {
    on: 'local',
    shows: path(/^\/history/, (one) =>
      entriesIn(one).some(({ entry }) =>
        Object.values(membersOf(entry.outputs)).some((output) =>
          listOf(membersOf(output)['images']).some((file) =>
            /\.(mp4|webm)$/.test(nameOf(membersOf(file)['filename'])),
          ),
        ),
      ),
    ),
  },
  'hosted.no-free': {
    on: 'hosted',
    shows: path(/^\/free$/, ({ recorded, status }) => recorded.method === 'POST' && status === 404),
  },
  'hosted.history-as-map': {
    on: 'hosted',
    shows: path(/^\/history_v2$/, ({ recorded, status, reply }) => {
      const body: unknown = reply()
      return recorded.method === 'GET' && status === 200 && isMembers(body) && !('history' in body)
    }),
  },
  'hosted.status-raw-states': {
    on: 'hosted',
    shows: path(/^\/job\/[^/]+\/status$/, (one) =>
      /^(submitted|executing|success|error)$/.test(nameOf(membersOf(one.reply())['status'])),
    ),
  },
  'hosted.bearer': {
    on: 'hosted',
    shows: submits(
      ({ status, recorded: { headers } }) =>
        status === 200 &&
        headerOf(headers, 'x-api-key') === undefined &&
        /^bearer /i.test(headerOf(headers, 'authorization') ?? ''),
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
export const quirksIn = (answered: readonly TracedExchange[], place: Place): readonly string[] =>
  Object.entries(signs)
    .filter(([, { on, shows }]) => on === place && answered.some(shows))
    .map(([id]) => id)
