// The steps of tasks, each when its time has come.

import type { World } from '../../state/world.ts'
import { isHosted } from '../../world/derived.ts'
import { wakeTask } from '../../world/timers.ts'
import { DOWNLOAD_STEP_MS, stepDownload } from './downloads.ts'
import { EXPORT_STEP_MS, stepExport } from './exports.ts'
import { gather } from './library.ts'
import { isOpen, keepTask, taskWithId } from './tasks.ts'

/** Does the next step of a task, unless it was cancelled or is no longer kept. */
export function advanceTask(world: World, id: string): void {
  const before = taskWithId(world, id)
  if (before === undefined || !isOpen(before) || !isHosted(world)) return
  gather(world)
  const { nowMs } = world.state
  const startedMs = before.startedMs ?? nowMs
  const task = Object.assign({}, before, { step: before.step + 1, startedMs, updatedMs: nowMs })
  const isDownload = task.name === 'task:download'
  const change = isDownload ? stepDownload(world, task) : stepExport(world, task)
  const after = keepTask(world, Object.assign(task, change))
  if (isOpen(after)) wakeTask(world, id, nowMs + (isDownload ? DOWNLOAD_STEP_MS : EXPORT_STEP_MS))
  else keepTask(world, Object.assign(after, { completedMs: nowMs }))
}
