// Cancelling queued calls of models.

import { routerCancel } from '../../../spec/router/router-queue.ts'
import { expect } from '../../judge/expect.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { expectRouterError, routerOf } from '../../judge/hosted/router.ts'
import {
  at,
  cancel,
  cents,
  OVER,
  queueWorld,
  resultOf,
  several,
  statusOf,
  wordsOf,
} from '../../judge/hosted/router-queue.ts'
import { provesHosted } from '../../judge/proves.ts'

provesHosted(
  'router-queue/cancel-queued',
  async (subject) => {
    const router = await routerOf(subject)
    const before = await cents(subject)
    const [first = '', second = '', third = ''] = await several(router, 3)
    expect((await cancel(router, second, 202)).status).toBe('CANCELLATION_REQUESTED')
    const { status, error_type } = await statusOf(router, second)
    expect([status, error_type]).toEqual([OVER, 'cancelled'])
    expectRouterError(await resultOf(router, second), 409, 'cancelled')
    expect((await statusOf(router, third)).queue_position).toBe(0)
    await subject.idle()
    expect(await wordsOf(router, [first, third])).toEqual([OVER, OVER])
    expect(await cents(subject)).toBeCloseTo((before * 80) / 100, 2)
  },
  queueWorld([], { balance: 100 }),
)

provesHosted(
  'router-queue/cancel-running',
  async (subject) => {
    const router = await routerOf(subject)
    const before = await cents(subject)
    const [first = '', second = ''] = await several(router, 2)
    await cancel(router, first, 202)
    await subject.idle()
    const { status, error_type } = await statusOf(router, first)
    expect([status, error_type]).toEqual([OVER, 'cancelled'])
    expect((await resultOf(router, second)).status).toBe(200)
    expect(await cents(subject)).toBeCloseTo((before * 90) / 100, 2)
  },
  queueWorld([], { balance: 100 }),
)

provesHosted(
  'router-queue/cancel-over',
  async (subject) => {
    const router = await routerOf(subject)
    const [first = '', second = ''] = await several(router, 2)
    await cancel(router, second, 202)
    await subject.idle()
    for (const id of [first, second]) {
      const reply = await router.send('PUT', at(id, '/cancel'))
      expect(fitting(routerCancel, reply, 409)).toEqual({
        request_id: id,
        status: 'ALREADY_COMPLETED',
      })
      expect(reply.headers).not.toHaveProperty('x-comfy-error-type')
    }
    expect((await resultOf(router, first)).status).toBe(200)
  },
  queueWorld(),
)
