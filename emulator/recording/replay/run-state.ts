// What a replay answers where the recording says nothing: polls of a run in the state that it has reached, and what clients
// ask before they begin. Made from the messages and the history of the recording.

import { json, type Reply } from '../../http/replies.ts'
import { decodePart, splitTarget } from '../../http/requests.ts'
import { isObject, type Json, writeJson } from '../../lib/json.ts'
import type { PictureFile } from '../../pictures/picture.ts'
import { fileBody } from '../../server/world/files.ts'
import { madeOf } from '../../../spec/scenario/samples.ts'
import { madeContent } from '../../server/world/made-files.ts'
import { replaceText } from '../identities.ts'
import type { CanonicalRequest } from './canonical.ts'
import { documentIn, objectIn } from './json-in.ts'
import { exchangeAt, type Instance, momentMs, presentValues, type ReplayWorld } from './state.ts'
import type { RunState } from '../../journal/run-states.ts'
import { jobWords } from '../../session/listings.ts'
import type { Moment } from './script.ts'

/** A run that was submitted again. */
export type ReplayRun = {
  readonly prompt_id: string
  readonly instance: Instance
  /** Null while it waits. */
  readonly state: RunState | null
}

/** The runs in the order of their submits. */
export const runsOf = (world: ReplayWorld): readonly ReplayRun[] =>
  Array.from(world.state.runs, ([prompt_id, instance]) => runAt(world, prompt_id, instance))

function runAt(world: ReplayWorld, prompt_id: string, instance: Instance): ReplayRun {
  const { script, state } = world
  const positions = script.momentsOf.runs.get(exchangeAt(script, instance.exchange).run ?? '') ?? []
  const moments = positions.map((at) => script.moments[at] as Moment)
  // Where the recording does not show its start, a run has started with its submit.
  let reached: RunState | null = moments.some((one) => one.state === 'started') ? null : 'started'
  for (const moment of moments) {
    const dueMs = moment.state === 'requested' ? undefined : momentMs(world, moment, instance)
    if (dueMs !== undefined && dueMs <= state.nowMs) reached = moment.state as RunState
  }
  return { prompt_id, instance, state: reached }
}

const isOver = ({ state }: ReplayRun): boolean => state !== null && state !== 'started'

/** The answer to a question about runs; undefined for any other request. */
export function stateAnswer(world: ReplayWorld, target: string): Reply | undefined {
  const { place } = world.script
  if (place === 'gateway') return undefined
  const path = splitTarget(target)[0]
  const isPrefixed = path.startsWith('/api/')
  if (place === 'hosted' && !isPrefixed) return undefined
  const [, name = '', id, more] = path.slice(isPrefixed ? 4 : 0).split('/')
  const instance = id === undefined ? undefined : world.state.runs.get(decodePart(id))
  const run = instance && runAt(world, instance.run ?? '', instance)
  const runs = id === undefined ? runsOf(world) : []
  if (name === 'queue' && id === undefined) return json(queueText(world, runs))
  if (name === 'prompt' && id === undefined) {
    const remaining = runs.filter((one) => !isOver(one)).length
    return json(`{"exec_info": {"queue_remaining": ${remaining}}}`)
  }
  if (name === 'history' || name === 'history_v2') {
    const shown = id === undefined ? runs : run === undefined ? [] : [run]
    const entries = shown
      .filter(isOver)
      .map((one) => `${JSON.stringify(one.prompt_id)}: ${entryText(world, one)}`)
    return json(`{${entries.join(', ')}}`)
  }
  if (run === undefined) return undefined
  if (name === 'jobs' && more === undefined) return json(jobText(world, run))
  return name === 'job' && more === 'status'
    ? json(JSON.stringify({ id: run.prompt_id, status: wordOf(run) }))
    : undefined
}

/** The row of a run in the queue: number, id, workflow, further data, outputs. */
function rowText({ script }: ReplayWorld, { prompt_id, instance }: ReplayRun): string {
  const text = new TextDecoder().decode(exchangeAt(script, instance.exchange).body)
  const span = documentIn(text)?.spans.get('prompt')
  const prompt = text.slice(...(span ?? [0, 0]))
  return `[0, ${JSON.stringify(prompt_id)}, ${prompt === '' ? '{}' : prompt}, {}, []]`
}

function queueText(world: ReplayWorld, runs: readonly ReplayRun[]): string {
  const rows = (state: RunState | null): string =>
    runs
      .filter((run) => run.state === state)
      .map((run) => rowText(world, run))
      .join(', ')
  return `{"queue_running": [${rows('started')}], "queue_pending": [${rows(null)}]}`
}

/** The history entry of a finished run: the recorded one, else one made from its messages. */
function entryText(world: ReplayWorld, run: ReplayRun): string {
  const { run: recorded } = exchangeAt(world.script, run.instance.exchange)
  const known = world.script.historyEntries.get(recorded ?? '')
  if (known !== undefined) return replaceText(known, presentValues(world, run.instance))
  const status_str = run.state === 'success' ? 'success' : 'error'
  const completed = status_str === 'success'
  const status = JSON.stringify({ status_str, completed, messages: [] })
  return `{"prompt": ${rowText(world, run)}, "outputs": ${outputsText(world, run)}, "status": ${status}}`
}

/** The outputs in the messages of a run. */
function outputsText({ script }: ReplayWorld, { instance }: ReplayRun): string {
  const { run } = exchangeAt(script, instance.exchange)
  const outputs = new Map<string, Json>()
  for (const { data, run: of } of script.messages) {
    if (of !== run || typeof data !== 'string' || !data.includes('"executed"')) continue
    const members = objectIn(data)?.get('data')
    if (!isObject(members)) continue
    const [node, output] = [members.get('node'), members.get('output')]
    if (typeof node === 'string' && output !== undefined && output !== null)
      outputs.set(node, output)
  }
  return writeJson(outputs)
}

const wordOf = ({ state }: ReplayRun): string => jobWords[state ?? 'waiting']

function jobText(world: ReplayWorld, run: ReplayRun): string {
  const outputs = isOver(run) ? outputsText(world, run) : '{}'
  return `{"id": ${JSON.stringify(run.prompt_id)}, "status": "${wordOf(run)}", "outputs": ${outputs}}`
}

/** Answers what clients ask although it was not recorded; undefined for everything else. */
export function fallback(world: ReplayWorld, request: CanonicalRequest): Reply | undefined {
  const { place, software } = world.script
  if (place === 'gateway') return undefined
  const { path, query } = request
  if (path === '/system_stats') {
    const comfyui_version = software?.replace(/^ComfyUI /, '') ?? 'recorded'
    const cpu = { name: 'cpu', type: 'cpu', index: null, vram_total: 0, vram_free: 0 }
    return json(JSON.stringify({ system: { comfyui_version }, devices: [cpu] }))
  }
  if (path === '/features') return json(featuresText(world))
  const filename = new Map(query).get('filename')
  return path === '/view' && filename !== undefined && isNamed(world, filename)
    ? sampleOf(filename)
    : undefined
}

/** The features that the server announced to a client. */
function featuresText({ script }: ReplayWorld): string {
  for (const { data } of script.messages) {
    if (typeof data !== 'string' || !data.includes('feature_flags')) continue
    const message = objectIn(data)
    const features = message?.get('data')
    if (message?.get('type') === 'feature_flags' && isObject(features)) return writeJson(features)
  }
  return '{}'
}

/** Whether a run of the recording made a file of that name. */
export const isNamed = ({ script }: ReplayWorld, filename: string): boolean => {
  const quoted = JSON.stringify(filename)
  return (
    [...script.historyEntries.values()].some((text) => text.includes(quoted)) ||
    script.messages.some(({ data }) => typeof data === 'string' && data.includes(quoted))
  )
}

const SAMPLE_SIZE = { width: 64, height: 64 }

/** A small file of the format in place of one that nobody downloaded while the session was recorded. */
function sampleOf(filename: string): Reply {
  const extension = filename.split('.').at(-1)?.toLowerCase() ?? ''
  const made = madeOf(extension)
  if (made?.kind === 'picture') {
    const picture = { kind: 'solid', id: 0, ...SAMPLE_SIZE, color: 0x808080 } as const
    const body: PictureFile = { picture, format: made.format, text: [] }
    return { status: 200, headers: { 'Content-Type': `image/${made.format}` }, body }
  }
  const content = madeContent(extension, 0, SAMPLE_SIZE) ?? { sample: 'txt' }
  return {
    status: 200,
    headers: { 'Content-Type': 'application/octet-stream' },
    body: fileBody(content),
  }
}
