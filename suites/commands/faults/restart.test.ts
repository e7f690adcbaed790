// What a restart loses, and what it keeps.

import { openPlain } from '../../judge/broken.ts'
import { slow, solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { watchInputs, withFaults } from '../../support/faults.ts'

const inMidRun = { message: 'progress', data: { value: 3 } } as const

proves(
  'faults/restart-local',
  async (subject) => {
    const { submit, idle, queue, history, get, upload, post } = subject
    const preview = {
      ...solid(5),
      '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
    }
    await upload({ name: 'mine.txt', bytes: Buffer.from('mine') })
    await post('/settings', { kept: true })
    await submit(solid())
    await submit(preview)
    await idle()
    const entries = Object.values<any>((await get('/history')).json())
    const [temp] = entries[1].outputs['2'].images
    expect(temp.type).toBe('temp')
    const view = (type: string, name: string): Promise<number> =>
      get(`/view?type=${type}&filename=${name}`).then(({ status }) => status)
    expect(await view('temp', temp.filename)).toBe(200)

    const socket = await openPlain(subject)
    const first = (await submit(slow(1, 5), { client_id: 'me' })).json()
    await submit(solid(1))
    await idle()
    expect(await socket.closed).toBe(1006)
    expect(await queue()).toEqual({ running: [], pending: [] })
    expect(await history()).toEqual([])
    expect(await view('output', 'solid_00001_.png')).toBe(200)
    expect(await view('input', 'mine.txt')).toBe(200)
    expect(await view('temp', temp.filename)).toBe(404)
    expect((await get('/settings')).json()).toEqual({ kept: true })

    // Numbers start again, ids do not repeat, and nothing is cached.
    const again = await openPlain(subject)
    const second = (await submit(solid(), { client_id: 'me' })).json()
    expect(second.number).toBe(0)
    expect(second.prompt_id).not.toBe(first.prompt_id)
    await idle()
    await again.settled()
    expect(again.of('execution_cached')[0]?.data['nodes']).toEqual([])
    expect(await view('output', 'solid_00002_.png')).toBe(200)
    await again.close()
  },
  withFaults({ when: inMidRun, then: { restart: true } }),
)

proves(
  'faults/restart-hosted',
  async (subject) => {
    const { submit, idle, history, upload } = subject
    const { name } = (await upload({ name: 'mine.txt', bytes: Buffer.from('mine') })).json()
    const socket = await openPlain(subject)
    const { prompt_id } = (await submit(slow(1, 5), { client_id: 'me' })).json()
    await idle()
    expect(await socket.closed).toBe(1006)
    expect(socket.of('progress')).toHaveLength(2)
    expect(await history()).toEqual([prompt_id])
    expect((await subject.view({ filename: name, type: 'input' })).text).toBe('mine')
  },
  withFaults({ when: inMidRun, then: { restart: true } }),
)

const inputs = watchInputs()

proves(
  'faults/restart-sockets',
  async (subject) => {
    const { get, emulator } = subject
    const sockets = [await openPlain(subject, 'one'), await openPlain(subject, 'other')]
    const arrives = inputs.next('request')
    const late = get('/queue')
    const lost = expect(late).rejects.toMatchObject({ code: 'ECONNRESET' })
    await arrives
    await emulator!.advance(100)
    await lost
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([1006, 1006])
    // The response that waited does not come after all.
    await emulator!.advance(1000)
    await expect(get('/prompt')).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect((await get('/prompt')).status).toBe(200)
  },
  {
    onEntry: inputs.onEntry,
    ...withFaults(
      { when: { path: '/queue' }, then: { delayMs: 500 } },
      { when: { atMs: 100 }, then: { restart: true } },
      { when: { path: '/prompt', nth: 1 }, then: { restart: true } },
    ),
  },
)
