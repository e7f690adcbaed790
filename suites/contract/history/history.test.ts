// The history: its entries, including those of failed, interrupted and cached runs.

import { historyById } from '../../../spec/server/history.ts'
import { failing, type Graph, saying, slow, solid, talking } from '../../generate/graphs.ts'
import { type Message, violations } from '../../judge/judge.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const isEnd = ({ type, data }: Message) => type === 'executing' && data['node'] === null
const file = (filename: string) => ({ filename, subfolder: '', type: 'output' })

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
  ['history/kept', 'history/by-id'],
  async ({ get, connect, run }) => {
    const session = await connect('me')
    const { prompt_id } = await run(session, solid(1, 'one'))
    const other = (await run(session, solid(2, 'two'))).prompt_id
    const all = (await get('/history')).json()
    expect(Object.keys(all)).toEqual([prompt_id, other])
    expect(all[prompt_id].outputs).toEqual({ '2': { images: [file('one_00001_.png')] } })
    expect(all[other].outputs).toEqual({ '2': { images: [file('two_00001_.png')] } })
    expect((await get(`/history/${other}`)).json()).toEqual({ [other]: all[other] })
    expect(violations(historyById, all)).toEqual([])
  },
  ownWorld,
)

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

proves(
  'history/outputs',
  async ({ connect, run }) => {
    const { '1': picture, '2': saver } = solid()
    const graph: Graph = {
      '1': { ...picture!, inputs: { ...picture!.inputs, batch_size: 2 } },
      '2': saver!,
      five: talking('words')['1']!,
    }
    const { entry } = await run(await connect('me'), graph)
    expect(entry.outputs).toEqual({
      '2': { images: [file('solid_00001_.png'), file('solid_00002_.png')] },
      five: { text: ['words'] },
    })
  },
  ownWorld,
)

proves(
  'history/status-words',
  async (subject) => {
    const session = await subject.connect('me')
    const good = (await subject.run(session, solid())).entry.status
    const failed = (await subject.run(session, failing())).entry.status
    const stopped = (await interrupted(subject, 'you')).entry.status
    expect(good).toMatchObject({ status_str: 'success', completed: true })
    expect([failed.status_str, typeof failed.completed]).toEqual(['error', 'boolean'])
    expect([stopped.status_str, typeof stopped.completed]).toEqual(['error', 'boolean'])
  },
  ownWorld,
)

proves(
  'history/failed-not-completed',
  async (subject) => {
    const failed = (await subject.run(await subject.connect('me'), failing())).entry.status
    const stopped = (await interrupted(subject, 'you')).entry.status
    expect(failed).toMatchObject({ status_str: 'error', completed: false })
    expect(stopped).toMatchObject({ status_str: 'error', completed: false })
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
  'history/messages',
  async (subject) => {
    const kinds = ['execution_start', 'execution_cached', 'execution_success', 'execution_error']
    const pairs = (messages: readonly Message[]) =>
      messages
        .filter(({ type }) => [...kinds, 'execution_interrupted'].includes(type))
        .map(({ type, data }) => [type, data])
    const session = await subject.connect('me')
    for (const graph of [solid(), solid(), failing()]) {
      const { entry, messages } = await subject.run(session, graph)
      expect(entry.status.messages).toEqual(pairs(messages))
      expect(entry.status.messages).toHaveLength(3)
    }
    const { entry, messages } = await interrupted(subject, 'you')
    expect(entry.status.messages).toEqual(pairs(messages))
    expect(entry.status.messages.at(-1)[0]).toBe('execution_interrupted')
    const { prompt_id } = (await subject.submit(solid())).json()
    await subject.idle()
    const silent = (await subject.get(`/history/${prompt_id}`)).json()[prompt_id]
    const types = silent.status.messages.map(([type]: [string]) => type)
    expect(types).toEqual(['execution_start', 'execution_cached', 'execution_success'])
  },
  ownWorld,
)

proves(
  'history/outputs-of-failed',
  async ({ connect, run }) => {
    const graph: Graph = {
      '1': saying('done')['1']!,
      '2': {
        class_type: 'FlowdoubleFail',
        inputs: { exception_type: 'A', message: '', value: ['1', 0] },
      },
      '3': { class_type: 'FlowdoubleText', inputs: { text: 'never', value: ['2', 0] } },
    }
    const { entry } = await run(await connect('me'), graph)
    expect(entry.outputs).toEqual({ '1': { text: ['done'] } })
    expect(Object.keys(entry.meta)).toEqual(['1'])
    expect(entry.status.status_str).toBe('error')
  },
  ownWorld,
)

proves(
  'history/meta',
  async ({ connect, run }) => {
    const session = await connect('me')
    const meta = (node: string) => ({
      node_id: node,
      display_node: node,
      parent_node: null,
      real_node_id: node,
    })
    const fresh = (await run(session, solid())).entry
    expect(fresh.meta).toEqual({ '2': meta('2') })
    const { '1': picture, '2': saver } = solid()
    const renamed = {
      a: picture!,
      b: { ...saver!, inputs: { ...saver!.inputs, images: ['a', 0] } },
    }
    const cached = (await run(session, renamed)).entry
    expect(cached.outputs).toEqual({ b: fresh.outputs['2'] })
    expect(cached.meta).toEqual({ b: meta('2') })
  },
  ownWorld,
)

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
