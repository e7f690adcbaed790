// What a client may send to any local server: others may be connected at the same time.

import { once } from 'node:events'
import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import type { Message } from '../../judge/judge.ts'
import { listedIds, occupy } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { openSocket } from '../../judge/edges.ts'

const local = { deployment: 'local' } as const
const typesOf = (messages: readonly Message[]): string[] => messages.map(({ type }) => type)

const flags = JSON.stringify({
  type: 'feature_flags',
  data: { supports_preview_metadata: true, of_ours: 1 },
})

proves(
  'messages/feature-flags',
  async ({ connect, get, unique }) => {
    const served = (await get('/features')).json()
    expect(served).toMatchObject({
      supports_preview_metadata: expect.any(Boolean),
      max_upload_size: expect.any(Number),
    })
    const [session, other] = [await connect(unique('me')), await connect(unique('other'))]
    session.send(flags)
    const answer = await session.next(({ type }) => type === 'feature_flags')
    expect(answer.data).toEqual(served)
    for (const text of ['no JSON', '["feature_flags"]', '7', 'null']) other.send(text)
    other.send(new Uint8Array([1, 2, 3]))
    other.send('{"type": "feature_flags"}')
    await other.next(({ type }) => type === 'feature_flags')
    const own = other.messages().filter(({ type }) => type !== 'status')
    expect(own).toEqual([{ type: 'feature_flags', data: served }])
  },
  local,
)

proves(
  'messages/client-messages',
  async (subject) => {
    const session = await subject.connect(subject.unique('me'))
    // The first message counts, and only the first.
    session.send(flags)
    await session.next(({ type }) => type === 'feature_flags')
    const silent = await subject.connect(subject.unique('silent'))
    const held = await occupy(subject, session)
    const before = session.received.length
    const said = ['{"type": "interrupt"}', '{"type": "status", "data": {}}', flags, flags, '{}', '']
    for (const text of said) session.send(text)
    session.send(new Uint8Array(100))
    silent.send('{"type": "hello"}')
    for (const _ of [1, 2]) silent.send(flags)
    await Promise.all([session.settled(), silent.settled()])
    expect(typesOf(silent.messages())).not.toContain('feature_flags')
    expect((await listedIds(subject)).running).toContain(held.prompt_id)
    const types = new Set(typesOf(session.messages().slice(before)))
    for (const type of ['feature_flags', 'execution_interrupted', 'execution_error'])
      expect([...types]).not.toContain(type)
    await held.stop()
    const { entry } = await subject.run(session, talking(subject.unique('after')))
    expect(entry.status.status_str).toBe('success')
  },
  local,
)

proves('messages/pings-and-closes', async ({ url }) => {
  for (const code of [1000, 1001, 3000, 4999, undefined]) {
    const socket = openSocket(url, '/ws')
    await once(socket, 'message')
    socket.ping('are you there')
    const [pong] = await once(socket, 'pong')
    expect((pong as Buffer).toString()).toBe('are you there')
    if (code === undefined) socket.close()
    else socket.close(code, 'bye')
    const [answered] = await once(socket, 'close')
    expect({ code, answered }).toEqual({ code, answered: 1000 })
  }
})
