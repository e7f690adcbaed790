// Learns a scenario from recordings: a world with it answers as the recorded server did.

import type { scenario } from '../../../spec/scenario/scenario.ts'
import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import type { Static } from '../../../spec/static.ts'
import { refused } from '../../lib/refused.ts'
import { listOf } from '../../lib/loose.ts'
import type { Recording } from '../../session/recording.ts'
import { type Trace, traceOf } from '../../session/trace.ts'
import { accountsIn, accountsText } from './accounts.ts'
import {
  type Downloads,
  downloadsIn,
  fileKey,
  isWritten,
  outputRules,
  uploadedIn,
} from './outputs.ts'
import { beginTimes, failureRules, timeRules } from './node-rules.ts'
import { faultsIn, userDataNotes } from './refusals.ts'
import { type LearnedRun, runsIn } from './runs.ts'
import { answeredIn, likeOf, optionsIn, quirksIn, statisticsIn, versionIn } from './traffic.ts'
import { type KnownTypes, typesIn } from './types.ts'

export type { KnownTypes } from './types.ts'

/** A scenario file as a value. */
export type LearnedScenario = Static<typeof scenario>

export type Learned = {
  readonly scenario: LearnedScenario
  /** What was learned, in words: a part of the scenario, and how much of it. */
  readonly summary: readonly (readonly [part: string, text: string])[]
  /** What the recordings lack, or a scenario cannot say. */
  readonly notLearned: readonly string[]
}

/** What a caller knows better than the recordings. */
export type LearnOptions = {
  /** The named server that it is. */
  readonly like?: string
  /** Where the recordings come from, in a few words. */
  readonly from: string
}

/**
 * Learns from recordings, as if their sessions followed each other. Throws a refusal if they show nothing of a workflow
 * server.
 */
export function learn(
  recordings: readonly Recording[],
  known: KnownTypes,
  { like, from }: LearnOptions,
): Learned {
  const [named] = recordings.flatMap(({ info }) => info?.place ?? [])
  const traces = recordings.flatMap((one) => traceOf(one, from, named) ?? [])
  const place = named ?? traces[0]?.place ?? 'local'
  if (place === 'gateway')
    throw refused(
      `${from} is a session of a gateway. A scenario is learned from sessions of workflow servers.`,
    )
  const runs: LearnedRun[] = []
  for (const one of traces) runs.push(...runsIn(one, runs.length))
  const answered = traces.flatMap(answeredIn)
  const downloads = downloadsIn(traces)
  const statistics = statisticsIn(answered)
  const version = versionIn(statistics)
  const likeName = like ?? likeOf(traces, place, version)
  const types = typesIn(answered, runs, known)
  const declared = types.objectInfo ?? { ...known.types, ...types.types }
  const isKnown = (name: string): boolean =>
    Object.hasOwn(known.types, name) && Object.hasOwn(declared, name)
  const outputs = outputRules(runs, downloads, isKnown)
  const failures = failureRules(runs)
  const times = timeRules(runs)
  const quirk = quirksIn(answered, place)
  const faults = faultsIn(answered, runs)
  const files = startFiles(traces, runs, downloads)
  const accounts = place === 'hosted' ? accountsIn(answered) : { accounts: [], notes: [] }
  const options = {
    ...(accounts.accounts.length > 0 && { accounts: accounts.accounts }),
    ...optionsIn(answered, traces, runs, place),
    ...beginTimes(runs),
    ...(quirk.length > 0 && { quirk: [...quirk] }),
    ...(types.objectInfo !== null && { objectInfo: types.objectInfo }),
  }
  const nodes = [...failures, ...byType([...outputs.rules, ...stepRules(runs, isKnown), ...times])]
  const start = { ...(files.length > 0 && { files }), ...(statistics && { statistics }) }
  const learned = [options, types.types, nodes, faults, start].map((one) => Object.keys(one).length)
  if (runs.length === 0 && learned.every((count) => count === 0))
    throw refused(
      `${from} shows nothing of a workflow server that could be learned. ` +
        'Record a run, or at least GET /object_info or GET /system_stats.',
    )
  const count = (one: number, noun: string): string => `${one} ${noun}${one === 1 ? '' : 's'}`
  const listedTypes = Object.keys(types.objectInfo ?? types.types)
  return {
    scenario: {
      version: 1,
      about: `Answers as the server of ${from}.`,
      world: { deployment: place, ...(likeName !== undefined && { like: likeName }), ...options },
      ...(Object.keys(start).length > 0 && { start }),
      ...(nodes.length > 0 && { nodes }),
      ...(Object.keys(types.types).length > 0 && { types: types.types }),
      ...(faults.length > 0 && { faults: [...faults] }),
    },
    summary: [
      ['server', [place, version, likeName && `like ${likeName}`].filter(Boolean).join(', ')],
      ['runs', count(runs.length, 'run')],
      [
        'node types',
        types.objectInfo === null
          ? `built-in and ${count(listedTypes.length, 'other')}`
          : count(listedTypes.length, 'type'),
      ],
      ['model files', count(types.modelFiles, 'file')],
      ['durations', count(times.length, 'node type')],
      ['outputs', count(outputs.rules.length, 'rule')],
      ...(place === 'hosted' ? [['accounts', accountsText(accounts)] as const] : []),
      ['failures', count(failures.length, 'rule')],
      ['refusals', count(faults.length, 'fault')],
      ['quirks', quirk.length === 0 ? 'none shown' : quirk.join(', ')],
      ['files', count(files.length, 'file')],
    ],
    notLearned: [
      ...(types.objectInfo === null
        ? ['the list of node types: GET /object_info was not recorded, so the built-in ones apply']
        : []),
      ...types.guessed.map((name) => `the declaration of ${name}, beyond how workflows use it`),
      ...(statistics === undefined
        ? ['versions and devices: GET /system_stats was not recorded']
        : []),
      ...(likeName === undefined
        ? [
            'other behaviours of the version: no named server is known for it (--like NAME names one)',
          ]
        : []),
      ...outputs.notes,
      ...earlierRuns(traces, runs),
      ...userDataNotes(answered),
      ...accounts.notes,
    ],
  }
}

/** One rule for what is said of all nodes of a type; those of single nodes come first. */
function byType(rules: readonly NodeRule[]): readonly NodeRule[] {
  const isNarrow = ({ node_id, run }: NodeRule): boolean =>
    node_id !== undefined || run !== undefined
  const wide = new Map<string, NodeRule>()
  for (const rule of rules.filter((one) => !isNarrow(one)))
    wide.set(rule.class_type ?? '', { ...wide.get(rule.class_type ?? ''), ...rule })
  return [...rules.filter(isNarrow), ...wide.values()]
}

/** Steps and previews of types whose behaviour a world does not know. */
function stepRules(
  runs: readonly LearnedRun[],
  isKnown: (class_type: string) => boolean,
): readonly NodeRule[] {
  const rules = new Map<string, NodeRule>()
  for (const { class_type, stepsMs, preview } of runs.flatMap(({ nodes }) => [...nodes.values()])) {
    if (isKnown(class_type) || stepsMs.length === 0) continue
    rules.set(class_type, { class_type, steps: stepsMs.length, ...(preview && { preview }) })
  }
  return [...rules.values()]
}

/** Files that were downloaded although no recorded request or run made them. */
function startFiles(
  traces: readonly Trace[],
  runs: readonly LearnedRun[],
  downloads: Downloads,
): { readonly path: string; readonly base64: string }[] {
  const made = new Set(
    runs.flatMap(({ nodes }) =>
      Array.from(nodes.values(), ({ output }) => output ?? {}).flatMap((output) =>
        Object.values(output).flatMap(listOf).filter(isWritten).map(fileKey),
      ),
    ),
  )
  const uploaded = uploadedIn(traces)
  return [...downloads].flatMap(([key, content]) => {
    const [, ...parts] = key.split('/')
    if (made.has(key) || uploaded.has(parts.at(-1) ?? '')) return []
    return { path: key.replace(/\/\//g, '/'), base64: content }
  })
}

/** Whether the history has runs that began before the recordings. */
function earlierRuns(traces: readonly Trace[], runs: readonly LearnedRun[]): readonly string[] {
  const known = new Set(runs.map(({ prompt_id }) => prompt_id))
  const isEarlier = traces
    .flatMap((trace) => trace.runs)
    .some(
      ({ prompt_id, entries }) =>
        !known.has(prompt_id) && entries.some(({ entry }) => entry.status !== undefined),
    )
  return isEarlier ? ['runs from before the recording'] : []
}
