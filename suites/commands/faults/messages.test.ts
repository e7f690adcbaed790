// What faults do to single messages on their way to a socket.

import { openPlain } from '../../judge/broken.ts'
import { slow, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'
import { withFaults } from '../../support/faults.ts'

/** Runs a graph for a socket, and closes it when all of its messages are here. */
async function run(subject: Subject, graph = slow(1, 4)) {
  const socket = await openPlain(subject)
  await subject.submit(graph, { client_id: 'me' })
  await subject.idle()
  await socket.settled()
  await socket.close()
  return socket
}

/** The values of the progress messages, in their order. */
const valuesOf = (socket: Awaited<ReturnType<typeof run>>): unknown[] =>
  socket.of('progress').map(({ data }) => data['value'])

proves(
  'faults/skip',
  async (subject) => {
    const socket = await run(subject)
    expect(valuesOf(socket)).toEqual([1, 2, 4])
    expect(socket.of('execution_success')).toEqual([])
    expect(await subject.history()).toHaveLength(1)
  },
  withFaults(
    { when: { message: 'progress', data: { value: 3 } }, then: { skip: true } },
    { when: { message: 'execution_success' }, then: { skip: true } },
  ),
)

proves(
  'faults/repeat',
  async (subject) => {
    const socket = await run(subject)
    expect(valuesOf(socket)).toEqual([1, 2, 2, 2, 3, 4])
    const at = socket.messages.findIndex(({ data }) => data['value'] === 2)
    const [one, ...others] = socket.messages.slice(at, at + 3)
    expect(others).toEqual([one, one])
  },
  withFaults({ when: { message: 'progress', nth: 2 }, then: { repeat: 2 } }),
)

proves(
  'faults/delayed-message',
  async (subject) => {
    const socket = await run(subject)
    // All except the first are late, the later ones by less: they wait for those before them.
    expect(valuesOf(socket)).toEqual([1, 2, 3, 4])
    const types = socket.messages.map(({ type, data }) => `${type} ${String(data['value'])}`)
    expect(types.indexOf('execution_success undefined')).toBeLessThan(types.indexOf('progress 2'))
    expect(types.slice(-3)).toEqual(['progress 2', 'progress 3', 'progress 4'])
  },
  withFaults(
    { when: { message: 'progress', nth: 2 }, then: { delayMs: 5000 } },
    { when: { message: 'progress', nth: [3, 4] }, then: { delayMs: 2000 } },
  ),
)

proves(
  'faults/swap',
  async (subject) => {
    const plain = await startSubject({ deployment: subject.deployment })
    const [socket, { messages }] = [await run(subject), await run(plain)]
    const pairs = messages.flatMap((_, at) =>
      at % 2 === 0 ? messages.slice(at, at + 2).toReversed() : [],
    )
    // The last of an odd number waits for a message that does not come.
    const whole = messages.length - (messages.length % 2)
    expect(socket.messages).toEqual(pairs.slice(0, whole))
    await plain.close()
  },
  withFaults({ when: { message: '*' }, then: { swap: true } }),
)

proves(
  'faults/alter',
  async (subject) => {
    const socket = await run(subject)
    const [first, second] = socket.of('progress')
    expect(first?.data).toEqual({
      ...second?.data,
      value: 1,
      max: 'many',
      deep: { a: [1.5, null] },
      node: undefined,
    })
    expect(first?.data).not.toHaveProperty('node')
  },
  withFaults({
    when: { message: 'progress', nth: 1 },
    then: { alter: { max: 'many', deep: { a: [1.5, null] }, node: null } },
  }),
)

proves(
  'faults/insert',
  async (subject) => {
    const socket = await run(subject)
    const at = socket.messages.findIndex(({ type }) => type === 'crystools.monitor')
    expect(socket.messages[at]).toEqual({ type: 'crystools.monitor', data: { cpu: 12.5 } })
    expect(socket.messages[at + 1]?.type).toBe('execution_start')
  },
  withFaults({
    when: { message: 'execution_start' },
    then: { insert: { type: 'crystools.monitor', data: { cpu: 12.5 } } },
  }),
)

proves(
  ['faults/short', 'faults/preview'],
  async (subject) => {
    const { frames } = await run(subject, textToImage(1, 4))
    // 8 bytes stand before the picture, which begins with the marker of a JPEG.
    expect(frames.map(({ length }) => length > 500)).toEqual([true, true, false])
    expect(frames[2]?.toString('hex')).toMatch(/^0{7}10{7}1ffd8/)
    expect(frames[2]).toHaveLength(20)
  },
  {
    preview: 'jpeg',
    ...withFaults(
      { when: { message: 'preview', data: { value: 4 } }, then: { short: 20 } },
      { when: { message: 'preview', node: '3', nth: 2 }, then: { skip: true } },
      { when: { message: 'preview', node: '4' }, then: { short: 0 } },
    ),
  },
)

proves(
  'faults/client-id',
  async (subject) => {
    const [one, other] = [await openPlain(subject, 'one'), await openPlain(subject, 'other')]
    await subject.submit(solid())
    await subject.idle()
    await one.settled()
    await other.settled()
    expect(one.of('status')).toHaveLength(1)
    expect(other.of('status').length).toBeGreaterThan(2)
    // The message to both counts once.
    expect(other.of('note').map(({ data }) => data)).toEqual([{ nth: 3 }])
    expect(one.of('note')).toEqual([])
    await one.close()
    await other.close()
  },
  withFaults(
    { when: { message: 'status', clientId: 'one', nth: [2, 3, 4] }, then: { skip: true } },
    // Both get one when they open: the third goes to both.
    { when: { message: 'status', nth: 3 }, then: { insert: { type: 'note', data: { nth: 3 } } } },
  ),
)
