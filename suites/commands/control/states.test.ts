// The states of a world: reset, snapshots, restores and forks.

import { replay } from 'flowdouble'
import { slow, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { casesWith, ownWorld } from '../../judge/proves.ts'
import { exchanges, saying } from '../../judge/rows.ts'
import { type Subject, subjectOf } from '../../judge/subject.ts'

const proves = casesWith(ownWorld)

const control = (subject: Subject, path: string, value: unknown = {}) =>
  subject.post(`/_flowdouble/${path}`, value)

/** The ids of the runs that a world has, and its time. */
const stateOf = async (subject: Subject) => ({
  runs: subject.emulator!.runs().map(({ prompt_id, state }) => `${prompt_id} ${state}`),
  history: await subject.history(),
  date: (await subject.get('/queue')).headers['date'],
})

/** The values of a view for each picture among the outputs of a run. */
const picturesOf = (outputs: object) =>
  Object.values(outputs as Record<string, { images?: Record<string, string>[] }>).flatMap(
    ({ images = [] }) => images,
  )

proves('control/reset', async (subject) => {
  const before = await stateOf(subject)
  const upload = { name: 'mine.txt', bytes: Buffer.from('mine') }
  const uploaded = (await subject.upload(upload)).json()
  const fault = { when: { path: '/queue' }, then: { status: 503 }, times: 1 } as const
  subject.emulator!.fault(fault)
  await subject.submit(solid())
  const first = subject.emulator!.runs()[0]?.prompt_id
  await subject.idle()
  await subject.emulator!.advance(5000)
  await subject.submit(slow())
  expect(await control(subject, 'reset')).toMatchObject({ status: 200, text: '{}' })
  expect(subject.emulator!.faults()).toEqual([])
  expect(await stateOf(subject)).toEqual(before)
  const view = await subject.get(`/view?filename=${uploaded.name}&type=input`)
  expect(view.status).toBe(404)
  // From the same start the same ids come again.
  await subject.submit(solid())
  expect(subject.emulator!.runs()[0]?.prompt_id).toBe(first)
  await subject.idle()
  expect(await subject.history()).toEqual([first])
})

proves('control/reset', async (subject) => {
  const durations: number[] = []
  for (let count = 0; count < 50; count++) {
    const [seconds, nanoseconds] = process.hrtime()
    await subject.emulator!.reset()
    const [after, later] = process.hrtime()
    durations.push((after - seconds) * 1e3 + (later - nanoseconds) / 1e6)
  }
  const [median = Infinity] = durations.toSorted((a, b) => a - b).slice(25)
  expect(median).toBeLessThan(1)
})

proves(
  'control/reset',
  async (subject) => {
    const start = Date.parse((await subject.get('/queue')).headers['date'] ?? '')
    await subject.submit(solid())
    await subject.emulator!.reset()
    const { headers } = await subject.get('/queue')
    expect(Date.parse(headers['date'] ?? '')).toBeGreaterThanOrEqual(start)
    await subject.submit(solid())
    const session = await subject.connect('late')
    await session.settled()
    expect(await subject.history()).toHaveLength(1)
  },
  { clock: 'instant', epoch: 'now' },
)

proves('control/sockets-close', async (subject) => {
  subject.emulator!.snapshot('start')
  for (const path of ['reset', 'restore']) {
    const session = await subject.connect('me')
    await control(subject, path, path === 'restore' ? { name: 'start' } : {})
    expect({ path, code: await session.closed }).toEqual({ path, code: 1012 })
  }
  // A client that reconnects meets the restored world.
  const session = await subject.connect('me')
  const { messages } = await subject.run(session, solid())
  expect(messages.map(({ type }) => type)).toContain('execution_success')
})

proves('control/snapshot', async (subject) => {
  const { emulator } = subject
  const [SNAPSHOT, RESTORE] = ['/_flowdouble/snapshot', '/_flowdouble/restore']
  const start = { name: 'start' }
  await exchanges(subject, [['POST', SNAPSHOT, start, 200, start]])
  expect(emulator!.snapshot()).toBe('snapshot 1')
  for (let count = 3; count <= 100; count++) emulator!.snapshot(`${count}`)
  await exchanges(subject, [
    ['POST', SNAPSHOT, { name: 'more' }, 409, saying('100 snapshots')],
    // A snapshot of a known name replaces that one.
    ['POST', SNAPSHOT, start, 200],
    ['POST', RESTORE, { name: 'strat' }, 409, saying('"start"')],
    ['POST', RESTORE, {}, 400],
    ['POST', SNAPSHOT, { nam: 'x' }, 400],
  ])
})

proves('control/restore', async (subject) => {
  const emulator = subject.emulator!
  const goOn = async (): Promise<readonly unknown[]> => {
    const session = await subject.connect('me')
    const run = await subject.run(session, textToImage(3))
    const pictures = await Promise.all(
      picturesOf(run.entry.outputs).map(async (picture) =>
        (await subject.view(picture)).bytes.toString('base64'),
      ),
    )
    expect(pictures.length).toBeGreaterThan(0)
    await session.close()
    return [run, pictures, await stateOf(subject)]
  }
  await subject.submit(textToImage(1))
  await emulator.until('started')
  await emulator.advance(7)
  emulator.snapshot('in mid-run')
  expect(emulator.runs()).toMatchObject([{ state: 'running' }])
  const once = await goOn()
  await emulator.restore('in mid-run')
  expect(emulator.runs()).toMatchObject([{ state: 'running' }])
  expect(await goOn()).toEqual(once)
  await emulator.reset()
  await emulator.restore('in mid-run')
  expect(await goOn()).toEqual(once)
})

proves('control/fork', async (subject) => {
  const { upload, emulator } = subject
  const file = { name: 'mine.txt', bytes: Buffer.from('mine') }
  const { name } = (await upload(file)).json() as { name: string }
  await subject.submit(textToImage(1))
  await emulator!.until('started')
  const forked = (await control(subject, 'fork', { name: 'branch' })).json()
  expect(forked).toEqual({ name: 'branch', url: `${subject.url}/w/branch` })
  const fork = subjectOf(emulator!.worlds()[0]!)
  expect(await stateOf(fork)).toEqual(await stateOf(subject))
  await fork.idle()
  expect(fork.emulator!.runs()).toMatchObject([{ state: 'success' }])
  expect(subject.emulator!.runs()).toMatchObject([{ state: 'running' }])
  const view = { filename: name, type: 'input' }
  expect((await fork.view(view)).text).toBe('mine')
  // What the parent does from then on, the fork does as well, and neither notices the other.
  const [one, other] = [await subject.connect('me'), await fork.connect('me')]
  await subject.idle()
  const runs = [await subject.run(one, textToImage(5)), await fork.run(other, textToImage(5))]
  expect(runs[0]?.entry.outputs).toEqual(runs[1]?.entry.outputs)
  await fork.close()
  expect((await subject.get('/queue')).status).toBe(200)
  expect(emulator!.worlds()).toEqual([])
})

proves('control/replays', async (subject) => {
  const emulator = subject.emulator!
  const session = await subject.connect('me')
  await subject.submit(textToImage(1), { client_id: 'me' })
  await emulator.until('next')
  emulator.snapshot('one')
  await emulator.until('idle')
  await emulator.restore('one')
  await session.closed
  const fork = subjectOf(await emulator.fork())
  await fork.submit(textToImage(2))
  await fork.idle()
  await subject.idle()
  await emulator.reset()
  await subject.submit(solid())
  await subject.idle()
  const journals = [await emulator.journal(), await fork.emulator!.journal()]
  expect(journals.map((lines) => replay(lines))).toEqual(
    journals.map((lines) => ({ entries: lines.length - 1, differs: null })),
  )
  const [parent = [], branch = []] = journals
  const at = branch.findIndex((line) => line.includes('"do":"fork"'))
  expect(at).toBeGreaterThan(3)
  expect(branch.slice(0, at)).toEqual(parent.slice(0, at))
  await fork.close()
})
