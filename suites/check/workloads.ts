// Builds the runs that cases need from the node types that a server lists: without a model where that is possible.

import { setTimeout as delay } from 'node:timers/promises'
import { type Graph, node, textToImage } from '../generate/graphs.ts'
import type { Message } from '../judge/judge.ts'
import type { Subject } from '../judge/subject.ts'
import { endsRun } from '../judge/responses.ts'
import type { Workloads } from '../generate/workloads.ts'
import { ownFolder } from './guard.ts'
import { Skip } from '../judge/skip.ts'

/** How long a slow run takes about, in milliseconds. */
const SLOW_MS = 3000
/** How long the server has nothing to do between two runs, in milliseconds. */
const REST_MS = 300
/** How many requests a case sends while a slow run is at work. */
const REQUESTS = 25
/** The most units of a slow run. */
const MAX_UNITS = 1500
/** A unit that seems shorter counts as so long: whether the most units are slow, a run of them shows. */
const MIN_UNIT_MS = SLOW_MS / MAX_UNITS

/** Work in units that take about equally long. Each seed makes another graph. */
type Work = (units: number, seed: number) => Graph

/** A file that has the name of a picture, and is none. */
const broken = { name: 'broken.png', bytes: Buffer.from('not a picture') }

/** The workloads of a server with these node types. */
export function createWorkloads(
  types: Readonly<Record<string, any>>,
): (subject: Subject) => Workloads {
  const lists = (...names: readonly string[]): boolean => names.every((name) => name in types)
  let units: Promise<number> | undefined
  let seed = Date.now() % 1e9
  let upload: Promise<string> | undefined

  const checkpoint = lists('KSampler', 'CheckpointLoaderSimple') ? checkpointOf(types) : undefined
  const work = (): Work => {
    if (checkpoint !== undefined) return sampled(checkpoint)
    if (lists('EmptyImage', 'ImageScale', 'PreviewImage')) return scaled
    throw new Skip('no-workload', 'The server lists no types that a slow run could be made of.')
  }
  return (subject) => ({
    slow: async () => {
      const make = work()
      units ??= measure(subject, make, () => ++seed)
      return make(await units, ++seed)
    },
    failing: async () => {
      if (subject.deployment === 'local' && lists('EmptyImage', 'SaveImage'))
        return { graph: outsideGraph(++seed), node_id: '2', before: ['1'] }
      if (!lists('LoadImage', 'PreviewImage', 'PreviewAny'))
        throw new Skip(
          'no-workload',
          'The server lists no types that a failing run could be made of.',
        )
      upload ??= uploadBroken(subject)
      return { graph: failingGraph(await upload), node_id: '2', before: [] }
    },
    sampling: async (steps) => {
      if (checkpoint === undefined)
        throw new Skip(
          'no-workload',
          'The server lists no checkpoint that a run could sample with.',
        )
      return sampled(checkpoint)(steps, ++seed)
    },
  })
}

/** Uploads the broken picture, and returns the name under which a node finds it. */
async function uploadBroken(subject: Subject): Promise<string> {
  const reply = await subject.upload(broken, { subfolder: ownFolder, overwrite: 'true' })
  const { name, subfolder } = reply.json() as { name: string; subfolder: string }
  return subject.deployment === 'hosted' ? name : `${subfolder}/${name}`
}

/** A picture that must not be saved: its place is outside the folder of outputs. */
const outsideGraph = (seed: number): Graph => ({
  '1': node('EmptyImage', { width: 64, height: 64, batch_size: 1, color: seed % 2 ** 24 }),
  '2': node('SaveImage', { images: ['1', 0], filename_prefix: `../${ownFolder}` }),
})

const failingGraph = (image: string): Graph => ({
  '2': node('LoadImage', { image }),
  '3': node('PreviewImage', { images: ['2', 0] }),
})

/** The first checkpoint that a server has. */
const checkpointOf = (types: Readonly<Record<string, any>>): string | undefined => {
  const [list, options] = types['CheckpointLoaderSimple']?.input?.required?.ckpt_name ?? []
  const names: unknown = Array.isArray(list) ? list : options?.options
  return Array.isArray(names) ? (names[0] as string | undefined) : undefined
}

/** The classic workflow, whose picture is shown and not kept: a unit is a step. */
const sampled =
  (ckpt_name: string): Work =>
  (units, seed) => {
    const graph = textToImage(seed, units)
    return {
      ...graph,
      '4': node('CheckpointLoaderSimple', { ckpt_name }),
      '9': node('PreviewImage', { images: ['8', 0] }),
    }
  }

/** Pictures that are scaled again and again: a unit is a node. */
const scaled: Work = (units, seed) => {
  const graph: Record<string, ReturnType<typeof node>> = {
    first: node('EmptyImage', { width: 512, height: 512, batch_size: 1, color: seed % 2 ** 24 }),
  }
  let last = 'first'
  for (let at = 0; at < units; at++) {
    const side = 1024 + (at % 2)
    graph[`scaled ${at}`] = node('ImageScale', {
      image: [last, 0],
      upscale_method: 'lanczos',
      width: side,
      height: side,
      crop: 'disabled',
    })
    last = `scaled ${at}`
  }
  return { ...graph, shown: node('PreviewImage', { images: [last, 0] }) }
}

/** When a run began, in milliseconds on the clock of the server, if its messages say it, and on ours. */
type Start = { readonly prompt_id: string; readonly serverMs: number; readonly ourMs: number }

/** How long a run took, in milliseconds of both clocks. */
type Measured = Start & { readonly tookMs: number; readonly serverTookMs: number }

/** How often the work of a server is measured before its runs count as too fast: what else a computer does disturbs. */
const MAX_MEASURES = 3

/**
 * How many units take as long as a slow run should. Ends the case on a server whose runs are over as soon as they are
 * submitted.
 */
async function measure(subject: Subject, make: Work, nextSeed: () => number): Promise<number> {
  for (let left = MAX_MEASURES; left > 0; left--) {
    const units = await measureOnce(subject, make, nextSeed)
    if (units !== undefined) return units
  }
  throw tooFast()
}

/** Measures with short runs, the first of which loads what is needed. Undefined if a run of so many units takes no time. */
async function measureOnce(
  subject: Subject,
  make: Work,
  nextSeed: () => number,
): Promise<number | undefined> {
  const { deployment, reach, submit, post, idle } = subject
  const session = await subject.connect(subject.unique('measure'))
  const start = async (units: number): Promise<Start> => {
    const reply = await submit(make(units, nextSeed()), { client_id: session.clientId })
    const { prompt_id } = reply.json() as { prompt_id: string }
    // Those of others may be before it.
    const { data } = await reach(session, ({ data }) => data['prompt_id'] === prompt_id)
    return { prompt_id, serverMs: Number(data['timestamp']), ourMs: performance.now() }
  }
  const run = async (units: number): Promise<Measured> => {
    const begun = await start(units)
    await reach(session, endsRun(deployment, begun.prompt_id))
    const tookMs = performance.now() - begun.ourMs
    const success = session
      .messages()
      .find(
        ({ type, data }) => type === 'execution_success' && data['prompt_id'] === begun.prompt_id,
      )
    const serverTookMs = Number(success?.data['timestamp']) - begun.serverMs
    return { ...begun, tookMs, serverTookMs }
  }
  const first = await run(1)
  await delay(REST_MS)
  const base = await run(1)
  if (standsStill(first, base)) throw tooFast()
  const unitMs = Math.max(MIN_UNIT_MS, unitOf(first, base, [await run(21), await run(21)]))
  const startMs = performance.now()
  await subject.get('/queue')
  const slowMs = SLOW_MS + REQUESTS * (performance.now() - startMs)
  const units = Math.max(2, Math.min(MAX_UNITS, Math.round(slowMs / unitMs)))
  const { prompt_id } = await start(units)
  const hasEnded = reach(session, endsRun(deployment, prompt_id), SLOW_MS / 3)
  await hasEnded.catch(() => undefined)
  await post('/interrupt', { prompt_id })
  await idle()
  // It was over long before it should.
  const isOver = ({ type, data }: Message): boolean =>
    type === 'execution_success' && data['prompt_id'] === prompt_id
  return session.messages().some(isOver) ? undefined : units
}

/**
 * How long a unit of work takes, from runs of one unit and of 21: the shortest time found. Other work of the computer makes a run
 * seem slow to a client; the times in the messages show less of that. They pass at the rate of the server's clock.
 */
function unitOf(first: Start, base: Measured, long: readonly Measured[]): number {
  const rate = (base.serverMs - first.serverMs) / (base.ourMs - first.ourMs)
  const units = long.flatMap(({ tookMs, serverTookMs }) => [
    (tookMs - base.tookMs) / 20,
    (serverTookMs - base.serverTookMs) / 20 / rate,
  ])
  return Math.min(...units.filter(Number.isFinite))
}

/**
 * Whether the clock of the server stood still while it had nothing to do. Such a clock jumps to whatever comes next: a run takes as
 * long as the computer needs for its messages, however long it is said to have taken.
 */
const standsStill = (first: Start, next: Start): boolean =>
  next.serverMs - first.serverMs < (next.ourMs - first.ourMs) / 2

const tooFast = (): Skip => new Skip('no-workload', 'Runs take no time on this server.')
