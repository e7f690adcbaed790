// The runs of a server as an observer sees them: those in the queue and those in the history.

import type { RunView } from '../journal/received.ts'
import type { Run } from './state/runs.ts'
import type { Server } from './state/server.ts'
import type { World } from './state/world.ts'
import { runningOf } from './world/derived.ts'

/** All runs: of each account in the order of their submits. */
export const runViews = ({ worlds }: Server): readonly RunView[] => worlds.flatMap(viewsOf)

type Known = Pick<Run, 'prompt_id' | 'serial'> & Pick<RunView, 'state'>

function viewsOf(world: World): readonly RunView[] {
  const { pending, history } = world.state
  const user = world.setup.hosted?.account.user ?? null
  const known: Known[] = Array.from(history.entries.values(), ({ value }) => value)
  const add = ({ prompt_id, serial }: Run, state: RunView['state']): void => {
    known.push({ prompt_id, serial, state })
  }
  for (const { run } of runningOf(world)) add(run, 'running')
  for (const run of pending) if (!run.deleted) add(run, 'pending')
  return known
    .sort((a, b) => a.serial - b.serial)
    .map(({ prompt_id, state }) => ({ prompt_id, state, user }))
}
