// The queue: listing, order, clearing, deleting, interrupting.

import { expect } from 'vitest'
import { solid } from '../graphs.ts'
import { proves } from '../proves.ts'

proves('queue/listing', async ({ get, submit, idle }) => {
  await submit(solid())
  const listing = (await get('/queue')).json()
  expect(listing.queue_running).toEqual([])
  expect(listing.queue_pending).toHaveLength(1)
  await idle()
  expect((await get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
})
