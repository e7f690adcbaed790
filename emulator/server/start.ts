// What a server has before its first input [scenario/start-*]: the files of its scenario, runs that are over, results in
// the cache, and runs of other clients. Runs happen as any others do, in the time before the start.

import type { Start } from '../../spec/scenario/start.ts'
import type { NodeRule } from '../../spec/scenario/nodes.ts'
import type { RunRule } from '../../spec/scenario/runs.ts'
import { createRandom } from '../lib/random.ts'
import { didYouMean } from '../lib/nearest.ts'
import { refusedAt } from '../lib/refused.ts'
import { createTimers, takeTimer } from '../lib/timers.ts'
import { answer as answerLocal } from './local/endpoints.ts'
import { advance } from './local/on-demand.ts'
import { isForUser } from './nodes/script.ts'
import { folderNames, isCombo, nodeTypes } from './nodes/catalog.ts'
import { contentOf, placeholderContent } from './nodes/file-contents.ts'
import type { Server } from './state/server.ts'
import type { NodeResult } from './state/nodes.ts'
import type { TimerTarget } from './state/runs.ts'
import type { WorldOptions } from './state/options.ts'
import type { World, WorldSetup } from './state/world.ts'
import { isHosted } from './world/derived.ts'
import { addModel } from './world/installs.ts'
import { store } from './world/files.ts'
import { fileInputOf } from './world/named-files.ts'
import { removeEntry } from './world/history.ts'
import { isFolderType, nameOf, pathWithin } from './world/paths.ts'
import { enqueue, takeOut } from './world/queue.ts'
import { restWorker } from './world/timers.ts'

type List<Name extends Exclude<keyof Start, 'statistics' | 'models' | 'values'>> = NonNullable<
  Start[Name]
>[number]

/** A run of the start: where the scenario has it, and what it is. */
type StartRun = Partial<List<'history'>> & {
  readonly list: 'history' | 'queue' | 'cached'
  readonly at: number
  readonly rule: RunRule
  /** The node rules that apply to it: those of the scenario only where results are kept. */
  readonly nodes: readonly NodeRule[]
}

/** The time between two runs that are over, in milliseconds. */
const APART_MS = 60_000

/** Whether a scenario has runs before the first input: what runs workflows must be loaded then. */
export const beginsWithRuns = ({
  start: { history = [], queue = [], cached = [] },
}: WorldOptions['script']): boolean => history.length + queue.length + cached.length > 0

/** Adds the start of its scenario to a server. */
export function beginScenario(server: Server): void {
  const { script } = server.options
  const {
    files = [],
    models = {},
    values = {},
    history = [],
    queue = [],
    cached = [],
  } = script.start
  for (const world of server.worlds) {
    requireCombos(world, values)
    for (const [folder, names] of Object.entries(models)) addModels(world, folder, names)
    files.forEach((file, at) => isForUser(world, file.user) && addFile(world, file, at))
    const over = runsOf(world, 'history', history, ({ outcome = 'success', ...own }) =>
      exceptionOf(outcome, own),
    )
    const open = runsOf(world, 'queue', queue, ({ durationMs, neverEnds }) =>
      Object.assign({}, durationMs !== undefined && { durationMs }, neverEnds && { neverEnds }),
    )
    const nodes = world.script.nodes
      .filter(({ exception_type }) => exception_type === undefined)
      .map(({ waitsFor: _, ...rule }) => rule)
    const kept = cached.map((workflow, at): StartRun => {
      return { workflow, list: 'cached', at, rule: {}, nodes }
    })
    if (beginsWithRuns(script)) addRuns(server, world, over, kept, open)
  }
}

function addModels(world: World, folder: string, names: readonly string[]): void {
  const folders = folderNames(world)
  if (!folders.includes(folder))
    throw refusedAt(
      ['start', 'models', folder],
      `start.models of the scenario names the unknown folder ${folder}.${didYouMean(folder, folders)}`,
    )
  for (const name of names) addModel(world, { folder, name })
}

/** Throws a refusal for values of what is not a combo: they would have no effect. */
function requireCombos(world: World, values: NonNullable<Start['values']>): void {
  for (const [class_type, inputs] of Object.entries(values)) {
    const type = nodeTypes(world).get(class_type)
    for (const input of Object.keys(inputs)) {
      const declared = type?.inputs.find(({ name }) => name === input)
      const listsFiles = fileInputOf(class_type)?.name === input
      if (declared !== undefined && isCombo(declared) && !listsFiles) continue
      const what =
        type === undefined
          ? 'an unknown node type'
          : listsFiles
            ? 'a list of files (start.files adds some)'
            : 'not a combo'
      throw refusedAt(
        ['start', 'values', class_type, input],
        `start.values of the scenario names ${class_type}, ${input}: ${what}.`,
      )
    }
  }
}

const exceptionOf = (
  outcome: NonNullable<List<'history'>['outcome']>,
  { exception_type, exception_message }: List<'history'>,
): RunRule =>
  Object.assign(
    { outcome },
    exception_type !== undefined && { exception_type },
    exception_message !== undefined && { exception_message },
  )

/** Stores a file; on hosted in its flat folders, under its own name. */
function addFile(world: World, file: List<'files'>, at: number): void {
  const { path } = file
  const cut = path.indexOf('/')
  const type = path.slice(0, Math.max(0, cut))
  const within = isFolderType(type) ? pathWithin(type, path.slice(cut + 1)) : undefined
  if (!isFolderType(type) || within === undefined || within === '' || path.endsWith('/'))
    throw refusedAt(
      ['start', 'files', at, 'path'],
      `start.files[${at}].path of the scenario must name a file in input, output or temp, such as input/photo.png.`,
    )
  const content =
    file.placeholder === undefined
      ? { bytes: contentOf(file) }
      : placeholderContent(world.setup.pictureSeed, path, file.placeholder)
  const name = nameOf(within)
  if (!world.setup.traits.hasSubfolders)
    return store(world, type === 'input' ? 'input' : 'output', '', name, content)
  const subfolder = within.slice(0, Math.max(0, within.length - name.length - 1))
  store(world, type, subfolder, name, content)
}

/** The runs of an account, each as often as the scenario says. Only the first has the id. */
function runsOf<T extends List<'history'> | List<'queue'>>(
  world: World,
  list: 'history' | 'queue',
  items: readonly T[],
  ruleOf: (item: T) => RunRule,
): readonly StartRun[] {
  return items.flatMap((item, at) => {
    const { workflow, prompt_id, client_id, user, times = 1 } = item
    if (!isForUser(world, user)) return []
    const run = Object.assign(
      { list, at, rule: ruleOf(item), nodes: [] },
      workflow !== undefined && { workflow },
      client_id !== undefined && { client_id },
    )
    const first = Object.assign({}, run, prompt_id !== undefined && { prompt_id })
    return Array.from({ length: times }, (_, index) => (index === 0 ? first : run))
  })
}

/**
 * Adds the runs of an account. Their numbers end at 0, so that the first run of a client is number 1; and they draw from
 * another source, so that the ids of later runs are those of a server without them.
 */
function addRuns(
  server: Server,
  world: World,
  over: readonly StartRun[],
  kept: readonly StartRun[],
  open: readonly StartRun[],
): void {
  const { state } = world
  const { nowMs } = state
  const random = Object.assign({}, state.random)
  const { seed } = world.setup.options
  Object.assign(state.random, createRandom(`start of ${seed} ${world.setup.index}`))
  state.nextSerial = -(over.length + kept.length + open.length)
  addHistory(server, world, over, nowMs)
  addCached(server, world, kept, nowMs)
  addQueue(server, world, open, nowMs)
  Object.assign(state.random, random)
}

/** Runs that are over, the last a while before the start. Each begins with an empty cache. */
function addHistory(server: Server, world: World, runs: readonly StartRun[], nowMs: number): void {
  const { state, setup } = world
  const apartMs = Math.min(
    APART_MS,
    Math.floor((setup.options.epochMs + nowMs) / (runs.length + 1)),
  )
  for (const [at, run] of runs.entries()) {
    state.nowMs = nowMs - (runs.length - at) * apartMs
    clearCaches(world)
    execute(server, world, run, state.nowMs + apartMs)
  }
  state.nowMs = nowMs
  clearCaches(world)
}

/** Workflows whose results are in the cache of each worker. Nothing else is known of their runs. */
function addCached(server: Server, world: World, runs: readonly StartRun[], nowMs: number): void {
  const results = new Map<number, NodeResult>()
  for (const run of runs) {
    const id = execute(server, world, run, nowMs)
    for (const { cache } of world.state.workers)
      for (const [hash, result] of cache) results.set(hash, result)
    removeEntry(world, id)
  }
  for (const worker of world.state.workers) worker.cache = new Map(results)
}

const clearCaches = ({ state: { workers } }: World): void => {
  for (const worker of workers) worker.cache = new Map()
}

/** Runs of other clients: as many as the workers take are running, the others wait. */
function addQueue(server: Server, world: World, runs: readonly StartRun[], nowMs: number): void {
  const { state, setup } = world
  state.nowMs = nowMs - setup.options.startDelayMs
  for (const run of runs) submit(server, before(world, run, world.timers), run)
  state.nowMs = nowMs
  const { effects } = world
  world.effects = []
  for (const worker of state.workers) {
    if (worker.timer === null) continue
    restWorker(world, worker)
    advance(world, worker)
  }
  world.effects = effects
}

/** Executes a run to its end, which is at the latest at a time; returns its id. */
function execute(server: Server, world: World, run: StartRun, endMs: number): string {
  const timers = createTimers<TimerTarget>()
  const earlier = before(world, run, timers)
  const id = submit(server, earlier, run)
  const { state } = earlier
  for (let timer = takeTimer(timers, Infinity); timer; timer = takeTimer(timers, Infinity)) {
    state.nowMs = Math.min(endMs, Math.max(state.nowMs, timer.dueMs))
    const { what } = timer
    const worker = what.kind === 'worker' ? state.workers[what.worker] : undefined
    if (worker !== undefined) advance(earlier, worker)
  }
  return id
}

/** A world in the time before its start: without delays, and without what fails submits and runs on purpose. */
function before(world: World, { rule, nodes }: StartRun, timers: World['timers']): World {
  const { setup, state } = world
  const { hosted, options } = setup
  const account = hosted && { tier: 'pro', failsWith: null, subscription: 'active' }
  const quiet: WorldSetup = {
    ...setup,
    options: { ...options, startDelayMs: 0 },
    quirks: new Set([...setup.quirks].filter((id) => !loud.has(id))),
    hosted: hosted && {
      ...hosted,
      account: { ...hosted.account, ...account } as typeof hosted.account,
    },
  }
  const script = Object.assign({}, world.script, { runs: [rule], nodes })
  return { setup: quiet, state, timers, script, effects: [] }
}

/** Quirks that change which submits are accepted. */
const loud: ReadonlySet<string> = new Set([
  'hosted.free-tier-402',
  'hosted.refuse-at-submit',
  'workflows.invalid-is-200',
])

/** A workflow for runs without one. */
const smallWorkflow = {
  1: { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color: 0 } },
  2: { class_type: 'SaveImage', inputs: { filename_prefix: 'ComfyUI', images: ['1', 0] } },
}

/** Submits a run as a client does; returns its id. Throws a refusal if the server rejects it. */
function submit(server: Server, world: World, run: StartRun): string {
  const { workflow = smallWorkflow, client_id, list, at } = run
  const body = new TextEncoder().encode(JSON.stringify({ prompt: workflow, client_id }))
  const target = isHosted(world) ? '/api/prompt' : '/prompt'
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', target, headers, body, request: 0 }
  const reply =
    server.hosted !== null && isHosted(world)
      ? server.hosted.answer(server, world, request, target, '')
      : answerLocal(world, request, target, '')
  const text = typeof reply.body === 'string' ? reply.body : ''
  if (reply.status !== 200)
    throw refusedAt(
      ['start', list, at],
      `start.${list}[${at}] of the scenario cannot run: the server rejects its workflow with ${reply.status} ${text.slice(0, 500)}`,
    )
  const { prompt_id } = JSON.parse(text) as { prompt_id: string }
  return run.prompt_id === undefined ? prompt_id : rename(world, prompt_id, run.prompt_id)
}

/** Changes the id of a pending run. */
function rename(world: World, from: string, to: string): string {
  const run = world.state.pendingById.get(from)?.at(-1)
  if (run === undefined) return from
  takeOut(world, run)
  enqueue(world, Object.assign({}, run, { prompt_id: to, deleted: false }), 'silently')
  return to
}
