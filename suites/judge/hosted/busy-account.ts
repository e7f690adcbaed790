// Keeps an account of a hosted server busy, so that cases find runs at work and runs that wait, whatever its tier is.

import { createHash } from 'node:crypto'
import { hostedFeatures } from '../../../spec/server/messages.ts'
import { cancel, fitting, submitOne } from './jobs.ts'
import type { Message } from '../judge.ts'
import { listedIds } from '../responses.ts'
import { missing, Skip } from '../skip.ts'
import type { Subject } from '../subject.ts'

/** Whether a message says that this run works on a node. */
export const isAtWork =
  (prompt_id: string) =>
  ({ type, data }: Message): boolean =>
    type === 'executing' && data['prompt_id'] === prompt_id && typeof data['node'] === 'string'

/** How many runs of the account are at work at a time. */
export async function runsAtATime({ get }: Subject): Promise<number> {
  const most: unknown = fitting(hostedFeatures, await get('/features')).max_concurrent_jobs
  if (typeof most !== 'number') throw missing('The features contain no max_concurrent_jobs.')
  return most
}

/**
 * Submits as many slow runs as the account has at work at a time, and returns their ids. The first is at work. What the
 * account submits after them waits as long as none of them has ended.
 */
export async function keepBusy(subject: Subject): Promise<readonly [string, ...string[]]> {
  const most = await runsAtATime(subject)
  const session = await subject.connect()
  const first = await submitOne(subject, await subject.workloads.slow())
  const others: string[] = []
  while (others.length < most - 1)
    others.push(await submitOne(subject, await subject.workloads.slow()))
  await subject.reach(session, isAtWork(first))
  return [first, ...others]
}

/** Cancels runs. */
export async function cancelAll(subject: Subject, ids: readonly string[]): Promise<void> {
  for (const id of ids) await cancel(subject, id)
}

/** Ends a case that concerns any run of the account, if other runs than these are in its queue. */
export async function expectAlone(subject: Subject, own: readonly string[]): Promise<void> {
  const { running, pending } = await listedIds(subject)
  if ([...running, ...pending].some((id) => !own.includes(id)))
    throw new Skip('busy', 'Runs of somebody else with this key are in the queue.')
}

/** An id in the form of a UUID: the same in every world, another one each time on a server elsewhere. */
export const newUuid = (subject: Subject, name: string): string =>
  createHash('sha256')
    .update(subject.unique(name))
    .digest('hex')
    .replace(
      /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/,
      (_, a: string, b: string, c: string, d: string, e: string) => `${a}-${b}-4${c}-8${d}-${e}`,
    )
