// What customers ask partners for [partner/task, partner/poll, partner/result]: tasks, and results that need none.

import { partnerNodeCost } from '../../../spec/server/access.ts'
import { type Partner, partners } from '../../../spec/partner/partners.ts'
import { taskTimes } from '../../../spec/partner/partner.ts'
import { base64 } from '../../lib/base64.ts'
import { get, put } from '../../lib/bounded.ts'
import { drawUuid } from '../../lib/random.ts'
import { json, noContent, type Reply, refusePartner } from '../../http/replies.ts'
import { decodePart, type Request } from '../../http/requests.ts'
import { encodeFile } from '../../pictures/encode.ts'
import { wholeFile } from '../local/view.ts'
import type { PartnerTask } from '../state/partner.ts'
import type { StoredFile } from '../state/files.ts'
import type { HostedWorld } from '../state/world.ts'
import { flatFile } from '../world/named-files.ts'
import { waitUntil } from '../world/timers.ts'
import { fileLink, originOf } from '../v2/links.ts'
import { makeFile } from './media.ts'
import { setAt } from './members.ts'

/** The partner that answers at a path. */
const partnerAt = (path: string): Partner =>
  partners.find(({ at }) => path === at || path.startsWith(`${at}/`)) as Partner

/** POST: the customer pays, and the partner begins or answers. */
export function submit(world: HostedWorld, request: Request): Reply {
  const { path } = request
  const { state } = world
  if (state.balance < partnerNodeCost)
    return refusePartner('insufficientFunds', {
      price: `${partnerNodeCost}`,
      balance: `${state.balance}`,
    })
  state.balance -= partnerNodeCost
  const id = drawUuid(state.random)
  const createdMs = state.nowMs
  put(state.partner.charges, id, { id, path, credits: partnerNodeCost, atMs: createdMs })
  const partner = partnerAt(path)
  const file = makeFile(world, id, partner.makes)
  if (partner.answers === 'task') {
    const task = { id, path, createdMs, file, isCancelled: false }
    put(state.partner.tasks, id, task)
    // A clock that skips what nobody waits for reaches its end.
    waitUntil(world, createdMs + taskTimes.ms)
    return taskReply(world, request, task)
  }
  const stored = flatFile(world, file)?.file as StoredFile
  const whole = wholeFile(world, file, stored)
  return partner.answers === 'bytes' ? whole : resultReply(world, request, partner, file, whole)
}

/** The result without a task: with a link to the file, or with the file. */
function resultReply(
  world: HostedWorld,
  request: Request,
  { link = [], inline }: Partner,
  file: string,
  { headers, body }: Reply,
): Reply {
  const reply = {}
  for (const place of link) setAt(reply, place, fileLink(world, file, originOf(request)).url)
  if (inline !== undefined) {
    const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : encodeFile(body)
    setAt(reply, inline, typeof bytes === 'string' ? btoa(bytes) : base64(bytes))
    setAt(reply, inline.replace(/\w+$/, 'mimeType'), headers['Content-Type'])
  }
  return json(JSON.stringify(reply))
}

/** The task that a request names: in a part of its path, or as a parameter. */
function taskOf({ state }: HostedWorld, { path, query }: Request): PartnerTask | undefined {
  const names = [...path.split('/').map(decodePart), ...new URLSearchParams(query).values()]
  for (const name of names) {
    const task = get(state.partner.tasks, name)
    if (task !== undefined) return task
  }
  return undefined
}

/** GET: the task as it is now. */
export function poll(world: HostedWorld, request: Request): Reply {
  const task = taskOf(world, request)
  return task === undefined ? refusePartner('notFound') : taskReply(world, request, task)
}

/** DELETE: a task that is not done is cancelled. */
export function cancel(world: HostedWorld, request: Request): Reply {
  const task = taskOf(world, request)
  if (task === undefined) return refusePartner('notFound')
  if (!isDone(world, task))
    put(world.state.partner.tasks, task.id, Object.assign({}, task, { isCancelled: true }))
  return noContent
}

const isDone = ({ state }: HostedWorld, { createdMs }: PartnerTask): boolean =>
  state.nowMs >= createdMs + taskTimes.ms

/** A task under all the names that clients know for its members. */
function taskReply(world: HostedWorld, request: Request, task: PartnerTask): Reply {
  const { id, path, file, createdMs, isCancelled } = task
  const partner = partnerAt(path)
  const { status = '', words = [], link = [] } = partner
  const elapsedMs = world.state.nowMs - createdMs
  const done = isDone(world, task)
  const phase = isCancelled ? 3 : done ? 2 : elapsedMs >= taskTimes.waitsMs ? 1 : 0
  const origin = originOf(request)
  const { links } = world.setup.hosted
  const base = `${links.scheme}://${origin.host}${links.publicPath ?? ''}${origin.prefix}`
  const body = {
    id,
    task_id: id,
    request_id: id,
    video_id: id,
    file_id: id,
    progress: Math.min(1, elapsedMs / taskTimes.ms),
    polling_url: `${base}/proxy/bfl/get_result?id=${id}`,
  }
  if (status.startsWith('data.')) setAt(body, 'data.task_id', id)
  setAt(body, status, words[phase])
  if (phase === 2) for (const place of link) setAt(body, place, fileLink(world, file, origin).url)
  return json(JSON.stringify(body))
}
