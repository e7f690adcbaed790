// The ids that a server chooses for sockets whose clients do not name one, or whose ids it ignores.

import type { Session } from './client.ts'
import { expect } from './expect.ts'

/** Connects with each of these client ids, while two runs are left: each first message is a status with a new id. */
export async function expectNewSids(
  connect: (clientId?: string) => Promise<Session>,
  clientIds: readonly (string | undefined)[],
): Promise<void> {
  const sids: unknown[] = []
  for (const clientId of clientIds) {
    const [first] = (await connect(clientId)).messages()
    const sid = first?.data['sid']
    const status = { exec_info: { queue_remaining: 2 } }
    expect(first).toEqual({ type: 'status', data: { status, sid } })
    expect(sid).toMatch(/^[0-9a-f]{32}$/)
    sids.push(sid)
  }
  expect(new Set(sids).size).toBe(clientIds.length)
}
