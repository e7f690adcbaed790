// The history: its entries, including those of failed, interrupted and cached runs.

import { failing, slow, solid } from '../../generate/graphs.ts'
import type { Message } from '../../judge/judge.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const isEnd = ({ type, data }: Message) => type === 'executing' && data['node'] === null

/** Runs a graph and interrupts it at its first progress. Returns its entry. */
async function interrupted({ connect, get, post, reach, submit }: Subject, client_id: string) {
  const session = await connect(client_id)
  const graph = { ...slow(), '2': { class_type: 'SaveImage', inputs: {} } }
  const { prompt_id } = (await submit(graph, { client_id })).json()
  await reach(session, ({ type }) => type === 'progress')
  await post('/interrupt', {})
  await reach(session, isEnd)
  return { entry: (await get('/history')).json()[prompt_id], messages: session.messages() }
}

proves(
  'history/prompt',
  async ({ get, submit, idle }) => {
    const graph = { ...solid(), '3': { class_type: 'SaveImage', inputs: {} } }
    await submit(graph, { prompt_id: 'a', number: 5, client_id: 'me', extra_data: { note: 1 } })
    const [listed] = (await get('/queue')).json().queue_pending
    await idle()
    const { prompt } = (await get('/history')).json().a
    expect(prompt).toEqual(listed)
    expect(prompt).toEqual([5, 'a', graph, { note: 1, client_id: 'me' }, ['2']])
  },
  ownWorld,
)

for (const quirk of [undefined, 'history.completed-on-error'] as const) {
  proves(
    'history/error-comes-first',
    async ({ connect, run }) => {
      const { status } = (await run(await connect('me'), failing())).entry
      expect(status).toMatchObject({ status_str: 'error', completed: quirk !== undefined })
    },
    quirk === undefined ? {} : { quirk: [quirk] },
  )
}

provesQuirk('history.completed-on-error', async (subject) => {
  const session = await subject.connect('me')
  const failed = (await subject.run(session, failing())).entry.status
  const stopped = (await interrupted(subject, 'you')).entry.status
  const good = (await subject.run(session, solid())).entry.status
  expect([failed.completed, stopped.completed, good.completed]).toEqual([true, true, true])
  expect([failed.status_str, stopped.status_str]).toEqual(['error', 'error'])
  expect(good.status_str).toBe('success')
})

proves(
  ['history/only-finished', 'history/unknown'],
  async ({ get, submit, connect, reach }) => {
    const session = await connect('me')
    const look = async () => {
      const replies = [await get('/history'), await get('/history/a'), await get('/history/none')]
      return replies.map((reply) => [reply.status, Object.keys(reply.json())])
    }
    const nothing = [200, []]
    await submit(slow(), { prompt_id: 'a', client_id: 'me' })
    expect(await look()).toEqual([nothing, nothing, nothing])
    await reach(session, ({ type }) => type === 'progress')
    expect(await look()).toEqual([nothing, nothing, nothing])
    await reach(session, isEnd)
    expect(await look()).toEqual([[200, ['a']], [200, ['a']], nothing])
  },
  ownWorld,
)
