// Messages of a scenario: on a timer, to new sockets, and at nodes of runs.

import type { MessageRule } from '../../../spec/scenario/messages.ts'
import { textToImage } from '../../generate/graphs.ts'
import { openPlain } from '../../judge/broken.ts'
import { expect } from '../../judge/expect.ts'
import { account } from '../../judge/hosted/jobs.ts'
import { proves, test } from '../../judge/proves.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'
import { scripted } from '../../support/scripted.ts'

const withMessages = (...messages: readonly MessageRule[]) =>
  scripted({ messages: [...messages] }, { pace: 1 })

type Socket = Awaited<ReturnType<typeof openPlain>>

const typesOf = ({ messages }: Socket): readonly string[] => messages.map(({ type }) => type)

/** How many messages of a type a socket has once all that was sent is here. */
async function countOf(socket: Socket, type: string): Promise<number> {
  await socket.settled()
  return socket.of(type).length
}

const monitor = { type: 'crystools.monitor', data: { cpu_utilization: 7.5, gpus: [] } }

proves(
  'scenario/message-every',
  async (subject) => {
    const emulator = subject.emulator!
    await emulator.advance(2500)
    const [one, two] = [await openPlain(subject, 'one'), await openPlain(subject, 'two')]
    await emulator.advance(499)
    expect(await countOf(one, monitor.type)).toBe(0)
    await emulator.advance(1)
    await emulator.advance(3000)
    expect(await countOf(one, monitor.type)).toBe(4)
    expect(await countOf(one, 'slow')).toBe(3)
    expect(await countOf(two, monitor.type)).toBe(4)
    expect(one.of(monitor.type)[0]).toEqual(monitor)
    await subject.submit(textToImage(1, 4), { client_id: 'one' })
    await emulator.until('idle')
    await one.settled()
    const within = one.messages.slice(typesOf(one).indexOf('execution_start'))
    expect(within.filter(({ type }) => type === monitor.type).length).toBeGreaterThan(5)
  },
  scripted(
    {
      nodes: [{ class_type: 'KSampler', durationMs: 6000 }],
      messages: [
        { ...monitor, everyMs: 1000 },
        { type: 'slow', everyMs: 1500 },
      ],
    },
    { pace: 1 },
  ),
)

proves(
  'scenario/message-every-idle',
  async (subject) => {
    const emulator = subject.emulator!
    const now = async (): Promise<number> => {
      const clock = await fetch(`${subject.url}/_flowdouble/clock`)
      return ((await clock.json()) as { nowMs: number }).nowMs
    }
    await emulator.advance(10_000)
    const socket = await openPlain(subject)
    await emulator.until('idle')
    expect(await now()).toBe(10_000)
    await emulator.untilMessage('crystools.monitor' as 'status')
    expect(await now()).toBe(11_000)
    await socket.close()
    await emulator.advance(5000)
    await expect(emulator.until('next')).rejects.toThrow('No timer is left')
    const again = await openPlain(subject)
    await emulator.advance(1000)
    expect(await countOf(again, monitor.type)).toBe(1)
  },
  withMessages({ ...monitor, everyMs: 1000 }),
)

proves(
  'scenario/message-socket',
  async (subject) => {
    const one = await openPlain(subject, 'one')
    expect(await countOf(one, 'hello')).toBe(1)
    expect(typesOf(one)).toEqual(['status', 'hello', 'joined'])
    const two = await openPlain(subject, 'two')
    await two.settled()
    expect(typesOf(two)).toEqual(['status', 'hello', 'joined'])
    expect(await countOf(one, 'hello')).toBe(1)
    expect(await countOf(one, 'joined')).toBe(2)
  },
  withMessages(
    { at: 'socket-open', type: 'hello', data: { version: 1 } },
    { at: 'socket-open', to: 'everyone', type: 'joined' },
  ),
)

/** The types of the messages about a node, and those of the scenario, in their order. */
const about = (socket: Socket, node: string): readonly string[] =>
  socket.messages.flatMap(({ type, data }) =>
    data['node'] === node || data['id'] === node ? type : [],
  )

const run = async (subject: Subject, clientId: string | undefined, steps = 2): Promise<void> => {
  await subject.submit(textToImage(1, steps), clientId === undefined ? {} : { client_id: clientId })
  await subject.idle()
}

proves(
  ['scenario/message-node', 'scenario/message-ids'],
  async (subject) => {
    const socket = await openPlain(subject)
    await run(subject, 'me')
    await socket.settled()
    const steps = ['progress', 'step', 'progress', 'step']
    expect(about(socket, '3')).toEqual(['executing', 'start', ...steps, 'end'])
    expect(about(socket, '9')).toEqual(['executing', 'start', 'end', 'executed'])
    const { data } = socket.of('end').at(-1)!
    const { prompt_id } = socket.of('execution_start')[0]!.data
    expect(data).toEqual({ id: '9', of: [`run ${String(prompt_id)}`], kept: '{other} {' })
  },
  withMessages(
    { at: 'node-start', type: 'start', data: { id: '{node}' } },
    { at: 'node-step', type: 'step', data: { id: '{node}' } },
    {
      at: 'node-end',
      type: 'end',
      data: { id: '{node}', of: ['run {prompt_id}'], kept: '{other} {' },
    },
  ),
)

proves(
  'scenario/message-node',
  async (subject) => {
    await run(subject, 'me')
    const socket = await openPlain(subject)
    await run(subject, 'me')
    // What is cached does not run.
    expect(await countOf(socket, 'start')).toBe(0)
    await run(subject, 'me', 3)
    expect(await countOf(socket, 'start')).toBeGreaterThan(0)
    expect(socket.of('start').map(({ data }) => data['id'])).not.toContain('4')
  },
  withMessages({ at: 'node-start', type: 'start', data: { id: '{node}' } }),
)

proves(
  'scenario/message-choice',
  async (subject) => {
    const socket = await openPlain(subject)
    for (const steps of [2, 3]) await run(subject, 'me', steps)
    await socket.settled()
    const found = ['by type', 'by id', 'by run'].map((type) => socket.of(type).length)
    expect(found).toEqual([2, 2, 1])
    expect(socket.of('by run')[0]!.data).toEqual({ id: '3' })
  },
  withMessages(
    { at: 'node-start', class_type: 'KSampler', type: 'by type' },
    { at: 'node-start', node_id: '3', type: 'by id' },
    { at: 'node-start', class_type: 'KSampler', run: 2, type: 'by run', data: { id: '{node}' } },
  ),
)

proves(
  'scenario/message-choice',
  async (subject) => {
    const { deployment } = subject
    if (deployment === 'local') return
    const [one, other] = [await openPlain(subject.as('one')), await openPlain(subject.as('other'))]
    await subject.emulator!.advance(1000)
    for (const type of ['tick', 'hello']) {
      expect(await countOf(one, type)).toBe(1)
      expect(await countOf(other, type)).toBe(0)
    }
  },
  {
    deployment: 'hosted',
    accounts: [account('one'), account('other')],
    ...withMessages(
      { everyMs: 1000, user: 'user-of-one', type: 'tick' },
      { at: 'socket-open', user: 'user-of-one', type: 'hello' },
    ),
  },
)

proves(
  'scenario/message-to',
  async (subject) => {
    const [own, other] = [await openPlain(subject, 'own'), await openPlain(subject, 'other')]
    await run(subject, 'own')
    expect(await countOf(own, 'mine')).toBe(1)
    expect(await countOf(own, 'all')).toBe(1)
    // All clients of a hosted account receive what its runs send.
    expect(await countOf(other, 'mine')).toBe(subject.deployment === 'hosted' ? 1 : 0)
    expect(await countOf(other, 'all')).toBe(1)
    await run(subject, undefined, 3)
    expect(await countOf(own, 'mine')).toBe(subject.deployment === 'hosted' ? 2 : 1)
    expect(await countOf(own, 'all')).toBe(2)
  },
  withMessages(
    { at: 'node-start', class_type: 'KSampler', type: 'mine' },
    { at: 'node-start', class_type: 'KSampler', type: 'all', to: 'everyone' },
  ),
)

proves(
  'scenario/message-frame',
  async (subject) => {
    const socket = await openPlain(subject)
    await run(subject, 'me')
    await socket.settled()
    expect(socket.frames.map((frame) => frame.toString('latin1'))).toEqual([
      '\0\0\0\x01\0\0\0\x01\x02\x03',
      '\xff\0\0\0tick',
      '\0\0\0\x05',
    ])
    const frames = await subject.emulator!.frames({ frame: 'scripted' })
    expect(frames.map(({ fields }) => fields)).toEqual([
      { event: 1 },
      { event: 0xff000000 },
      { event: 5 },
    ])
  },
  withMessages(
    { at: 'node-start', class_type: 'KSampler', frame: { event: 1, base64: 'AAAAAQID' } },
    { at: 'node-end', class_type: 'KSampler', frame: { event: 0xff000000, text: 'tick' } },
    { at: 'node-end', class_type: 'KSampler', frame: { event: 5 } },
  ),
)

proves(
  'scenario/message-faults',
  async (subject) => {
    const emulator = subject.emulator!
    const socket = await openPlain(subject)
    await emulator.advance(3000)
    expect(await countOf(socket, monitor.type)).toBe(2)
    const altered = { when: { message: monitor.type }, then: { alter: { cpu_utilization: 9 } } }
    emulator.fault(altered)
    await emulator.advance(1000)
    await socket.settled()
    expect(socket.of(monitor.type).at(-1)!.data).toEqual({ cpu_utilization: 9, gpus: [] })
    expect(() => emulator.fault({ ...altered, when: { message: 'crystools.monitr' } })).toThrow(
      'did you mean crystools.monitor?',
    )
  },
  scripted({
    messages: [{ ...monitor, everyMs: 1000 }],
    faults: [{ when: { message: monitor.type, nth: 2 }, then: { skip: true } }],
  }),
)

test('messages are loaded while a server runs, and those before stop', async () => {
  const subject = await startSubject(withMessages({ ...monitor, everyMs: 1000 }))
  const emulator = subject.emulator!
  const socket = await openPlain(subject)
  await emulator.advance(1000)
  await emulator.load({ version: 1, messages: [{ type: 'other', everyMs: 500 }] })
  await emulator.advance(1000)
  expect(await countOf(socket, monitor.type)).toBe(1)
  expect(await countOf(socket, 'other')).toBe(2)
  await emulator.untilMessage('other' as 'status')
  await subject.close()
})

test('a fork continues the timers of messages for its clients', async () => {
  const subject = await startSubject(withMessages({ ...monitor, everyMs: 1000 }))
  const emulator = subject.emulator!
  const socket = await openPlain(subject)
  await emulator.advance(1500)
  emulator.snapshot('here')
  await emulator.restore('here')
  await socket.closed
  await emulator.until('idle')
  await expect(emulator.until('next')).rejects.toThrow('No timer is left')
  const again = await openPlain(subject)
  await emulator.advance(500)
  expect(await countOf(again, monitor.type)).toBe(1)
  await subject.close()
})

test('an instant clock ends its runs although messages have timers', async () => {
  const subject = await startSubject({
    ...scripted({
      messages: [{ ...monitor, everyMs: 1000 }],
      nodes: [{ class_type: 'KSampler', durationMs: 5000 }],
    }),
    clock: 'instant',
  })
  const socket = await openPlain(subject)
  await subject.submit(textToImage(1, 4), { client_id: 'me' })
  expect(await subject.history()).toHaveLength(1)
  expect(await countOf(socket, monitor.type)).toBe(5)
  await subject.close()
})
