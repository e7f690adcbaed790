// Queued calls of the Router, as cases use them: a world with models for them, their states and results.

import type { EmulatorOptions } from 'flowdouble'
import { routerCancel, routerStatus } from '../../../spec/router/router-queue.ts'
import type { ModelRule } from '../../../spec/scenario/models.ts'
import { ownWorld } from '../proves.ts'
import type { Subject } from '../subject.ts'
import { account, fitting } from './jobs.ts'
import type { Router } from './router.ts'

/** A world in which one call runs at a time. */
export const queueWorld = (
  models: readonly ModelRule[] = [],
  own: Partial<ReturnType<typeof account>> = {},
  more: EmulatorOptions = {},
): EmulatorOptions => ({
  ...ownWorld,
  accounts: [{ ...account('test-key', 'standard'), ...own }, account('other-key')],
  scenario: {
    version: 1,
    modelTypes: {
      'acme/plain': {
        input: { type: 'object' },
        output: { done: { input: 'n' } },
        price: 10,
        durationMs: 500,
      },
      'acme/other': { input: { type: 'object' }, output: {} },
      'acme/say-1': { input: { type: 'object' }, bytes: 'wav' },
    },
    models: [...models],
  },
  ...more,
})

export const plain = 'acme/plain'
export const at = (id: string, path = '', model = plain): string =>
  `/${model}/requests/${id}${path}`

export const statusOf = async ({ send }: Router, id: string): Promise<any> =>
  fitting(routerStatus, await send('GET', at(id, '/status')))

export const resultOf = async ({ send }: Router, id: string) => send('GET', at(id))

export const cancel = async ({ send }: Router, id: string, status: number): Promise<any> =>
  fitting(routerCancel, await send('PUT', at(id, '/cancel')), status)

/** The ids of as many queued calls, the first of which runs. */
export async function several({ submit }: Router, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push((await submit(plain, { n })).request_id)
  return ids
}

export const wordsOf = async (
  router: Router,
  ids: readonly string[],
): Promise<readonly string[]> => {
  const words: string[] = []
  for (const id of ids) words.push((await statusOf(router, id)).status)
  return words
}

export const [QUEUED, RUNS, OVER] = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'] as const

/** The balance in cents. */
export const cents = async ({ get }: Subject): Promise<number> =>
  (await get('/billing/balance')).json().amount_micros
