// The tasks of a hosted account [tasks/*]: kept, listed, read and cancelled. What they do is in task-steps.ts.

import { taskStates } from '../../../../spec/assets/tasks.ts'
import { limits } from '../../../../spec/limits.ts'
import { createBounded, get, put } from '../../../lib/bounded.ts'
import { type Json, type JsonObject, readJson, writeJson } from '../../../lib/json.ts'
import { drawUuid } from '../../../lib/random.ts'
import { json, noContent, type Reply } from '../../../http/replies.ts'
import { type Request, wholeNumber } from '../../../http/requests.ts'
import { refuseAsset } from '../../local/assets/replies.ts'
import type { Task } from '../../state/assets.ts'
import type { World } from '../../state/world.ts'
import { momentOf } from '../../world/derived.ts'
import { wakeTask } from '../../world/timers.ts'

/** Stores a task as it is now. */
export function keepTask({ state }: World, task: Task): Task {
  state.assets.tasks ??= createBounded(limits.tasks.value)
  put(state.assets.tasks, task.id, task)
  return task
}

const tasksOf = ({ state }: World): readonly Task[] =>
  Array.from(state.assets.tasks?.entries.values() ?? [], ({ value }) => value)

export const taskWithId = ({ state }: World, id: string): Task | undefined =>
  state.assets.tasks && get(state.assets.tasks, id)

/** The tasks with this key, the latest first. */
export const tasksWithKey = (world: World, key: string): readonly Task[] =>
  tasksOf(world)
    .filter((task) => task.key === key)
    .toReversed()

export const isOpen = ({ status }: Task): boolean => status === 'created' || status === 'running'

/** The reply to a request for a task: the one of an equal request that is not over, or a new one [tasks/same]. */
export function beginTask(
  world: World,
  { name, key, payload, stepMs }: Pick<Task, 'name' | 'key' | 'payload'> & { stepMs: number },
): Reply {
  const same = tasksWithKey(world, key).find(isOpen)
  const { nowMs } = world.state
  const task = same ?? {
    id: drawUuid(world.state.random),
    name,
    key,
    payload,
    status: 'created',
    step: 0,
    createdMs: nowMs,
    updatedMs: nowMs,
    startedMs: null,
    completedMs: null,
    result: null,
    error: null,
    assetId: null,
  }
  if (same === undefined) {
    keepTask(world, task)
    wakeTask(world, task.id, nowMs + stepMs)
  }
  return json(JSON.stringify({ task_id: task.id, status: task.status }), 202)
}

const timeText = (world: World, ms: number): string => new Date(momentOf(world, ms)).toISOString()

/** The members of a task in a list; members without a value are absent. */
function entryOf(world: World, { id, name, status, ...task }: Task): JsonObject {
  const entry: JsonObject = new Map<string, Json>([
    ['id', id],
    ['task_name', name],
    ['status', status],
    ['create_time', timeText(world, task.createdMs)],
  ])
  if (task.startedMs !== null) entry.set('started_at', timeText(world, task.startedMs))
  if (task.completedMs !== null) entry.set('completed_at', timeText(world, task.completedMs))
  return entry
}

/** GET /tasks/<id>. */
export function readTask(world: World, { segment }: Request): Reply {
  const id = segment.toLowerCase()
  const task = taskWithId(world, id)
  if (task === undefined) return refuseAsset(world, 'taskUnknown', { id })
  const shown = entryOf(world, task)
    .set('idempotency_key', task.key)
    .set('payload', readJson(task.payload))
    .set('update_time', timeText(world, task.updatedMs))
  if (task.result !== null) shown.set('result', readJson(task.result))
  if (task.error !== null) shown.set('error_message', task.error)
  return json(writeJson(shown))
}

/** DELETE /tasks/<id>: only downloads can be cancelled. */
export function cancelTask(world: World, { segment }: Request): Reply {
  const id = segment.toLowerCase()
  const task = taskWithId(world, id)
  if (task === undefined) return refuseAsset(world, 'taskUnknown', { id })
  if (!isOpen(task) || task.name !== 'task:download') return refuseAsset(world, 'taskOver', { id })
  const { nowMs } = world.state
  const end = { status: 'cancelled', updatedMs: nowMs, completedMs: nowMs } as const
  keepTask(world, Object.assign({}, task, end))
  return noContent
}

/** The query of a list: which tasks, and which of them; or the name of a parameter that does not fit. */
function tasksQuery(world: World, text: string) {
  const query = new URLSearchParams(text)
  const words = query.get('status')?.split(',') ?? []
  if (!words.every((word) => taskStates.some((one) => one === word))) return 'status'
  const order = query.get('sort_order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') return 'sort_order'
  const offset = wholeNumber(query.get('offset') ?? '0', 0, Number.MAX_SAFE_INTEGER)
  if (offset === undefined) return 'offset'
  const limit = wholeNumber(query.get('limit') ?? '20', 1, 100)
  if (limit === undefined) return 'limit'
  const [after, before] = ['created_after', 'created_before'].map((name) =>
    Date.parse(query.get(name) ?? ''),
  ) as [number, number]
  if (query.has('created_after') && Number.isNaN(after)) return 'created_after'
  if (query.has('created_before') && Number.isNaN(before)) return 'created_before'
  const [name, key] = [query.get('task_name'), query.get('idempotency_key')]
  const isWanted = (task: Task): boolean => {
    const createdAt = momentOf(world, task.createdMs)
    return (
      (words.length === 0 || words.includes(task.status)) &&
      (name === null || task.name === name) &&
      (key === null || task.key === key) &&
      !(createdAt <= after || createdAt >= before)
    )
  }
  return { isWanted, isAscending: order === 'asc', offset, limit }
}

/** GET /tasks. */
export function listTasks(world: World, request: Request): Reply {
  const query = tasksQuery(world, request.query)
  if (typeof query === 'string') return refuseAsset(world, 'taskQuery', { name: query })
  const { isWanted, isAscending, offset, limit } = query
  const found = tasksOf(world).filter(isWanted)
  const ordered = isAscending ? found : found.toReversed()
  const page = ordered.slice(offset, offset + limit)
  const pagination = new Map<string, Json>([
    ['offset', offset],
    ['limit', limit],
    ['total', found.length],
    ['has_more', offset + page.length < found.length],
  ])
  const members: readonly (readonly [string, Json])[] = [
    ['tasks', page.map((task) => entryOf(world, task))],
    ['pagination', pagination],
  ]
  return json(writeJson(new Map(members)))
}
