// What in a session deserves a look: failed nodes, refused requests, lost messages, and what else went wrong.

import { gapsOf, isMissed } from './clients.ts'
import { membersOf } from '../../lib/loose.ts'
import { isRefused, pathOf, refusalOf } from './requests.ts'
import type { Run, RunNode } from './runs.ts'
import { timeText } from './scale.ts'
import type { Session } from './session.ts'

export type Tone = 'bad' | 'warn' | 'good' | 'info'

export type Finding = { readonly tone: Tone; readonly key: string; readonly text: string }

export function findingsOf(session: Session): readonly Finding[] {
  const { runs, requests, clients, events, others, entries } = session
  const found: Finding[] = runs.flatMap((run) => ofRun(run))
  for (const { entry, method, target, status, faults, reply } of requests.filter(isRefused)) {
    const post = others.get(entry)
    const why = post?.reason ?? refusalOf({ reply, status })
    const by = faults.length === 0 ? '' : ` by ${faults.join(', ')}`
    const text = `${method} ${pathOf(target)} → ${status === 0 ? 'reset' : status}${by}${why ? `: ${why}` : ''}`
    found.push({ tone: 'bad', key: `e${entry}`, text })
  }
  for (const client of clients) {
    for (const one of client.messages.filter(isMissed)) {
      const run = runs.find(({ id }) => id === membersOf(one.data)['prompt_id'])
      const of = run === undefined ? '' : ` of run ${run.number}`
      const by = one.faults.length === 0 ? '' : `: fault ${one.faults.join(', ')}`
      const what = one.state === 'lost' ? 'missed' : 'got only a part of'
      found.push({
        tone: 'bad',
        key: `m${one.key}`,
        text: `${client.name} ${what} ${one.type}${of}${by}`,
      })
    }
    for (const { from, to, missed } of gapsOf(client, runs, session.now)) {
      const text = `${client.name} was away for ${timeText(to - from)}: missed ${missed}`
      found.push({ tone: 'warn', key: `c:${client.name}`, text })
    }
  }
  for (const { id, deliveries } of events)
    for (const { target, attempt, error } of deliveries)
      if (error !== null)
        found.push({
          tone: 'bad',
          key: `g:${id}`,
          text: `${id}: delivery ${attempt} to ${target} failed: ${error}`,
        })
  for (const { n, effects } of entries)
    for (const { kind, where } of effects) {
      if (kind === 'restart')
        found.push({ tone: 'warn', key: `e${n}`, text: 'The server restarted' })
      if (kind === 'exit') found.push({ tone: 'bad', key: `e${n}`, text: 'The server exited' })
      if (kind === 'leak')
        found.push({
          tone: 'bad',
          key: `e${n}`,
          text: `A credential was sent to a signed link (${String(where)})`,
        })
    }
  return joined(found)
}

function ofRun(run: Run): readonly Finding[] {
  if (run.state !== 'error' && run.state !== 'interrupted') return []
  const node = endOf(run)
  const key = node === undefined ? `r:${run.id}` : nodeKey(run, node)
  const at = node === undefined ? '' : ` in ${node.title || node.id} (${node.id})`
  const step = node?.step ? `, step ${node.step[0]}/${node.step[1]}` : ''
  if (run.state === 'interrupted')
    return [{ tone: 'warn', key, text: `Run ${run.number} interrupted${at}${step}` }]
  return [{ tone: 'bad', key, text: `Run ${run.number} failed${at}${step}: ${errorText(node)}` }]
}

/** The node at which a run ended early. */
export const endOf = (run: Run): RunNode | undefined =>
  [...run.nodes.values()].find(({ state }) => state === 'error' || state === 'interrupted')

export const nodeKey = ({ id }: Pick<Run, 'id'>, node: Pick<RunNode, 'id'>): string =>
  `n:${id}:${node.id}`

/** Why a node failed. */
export const errorText = (node: RunNode | undefined): string => node?.reason ?? 'unknown'

/** Repeated findings as one, with their number. */
function joined(found: readonly Finding[]): readonly Finding[] {
  const byText = new Map<string, { first: Finding; count: number }>()
  for (const first of found) {
    const known = byText.get(first.text)
    if (known) known.count++
    else byText.set(first.text, { first, count: 1 })
  }
  return Array.from(byText.values(), ({ first: { tone, key, text }, count }) => ({
    tone,
    key,
    text: count === 1 ? text : `${text} (${count} times)`,
  }))
}
