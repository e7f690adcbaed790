// Values that the control API and the methods of a server reject, and that change nothing.

import { expect } from '../../judge/expect.ts'
import { ownWorld, proves } from '../../judge/proves.ts'

proves(
  'control/drop-code',
  async (subject) => {
    const emulator = subject.emulator!
    const session = await subject.connect('me')
    const noCodes = [999, 1004, 1005, 1006, 1015, 2000, 5000, 1012.5, '1012', null]
    const others = ['x', {}, 5, { close: 1012, reason: 'x' }]
    for (const how of [...noCodes.map((close) => ({ close })), ...others]) {
      const { status, json } = await subject.post('/_flowdouble/drop', { how })
      const error = expect.stringContaining('1000 to 1014')
      expect({ how, status, error: json().error }).toEqual({ how, status: 400, error })
      await expect(emulator.dropSockets(how as 'reset')).rejects.toThrow('1000 to 1014')
    }
    expect(await emulator.dropSockets({ close: 3000 })).toBe(1)
    expect(await session.closed).toBe(3000)
  },
  ownWorld,
)

proves(
  'control/world-name',
  async (subject) => {
    const emulator = subject.emulator!
    for (const name of [5, ['a'], {}, true, null]) {
      const { status, json } = await subject.post('/_flowdouble/worlds', { name })
      const error = expect.stringContaining('"name": "..."')
      expect({ name, status, error: json().error }).toEqual({ name, status: 400, error })
      const asked = name as unknown as string
      const create = async (): Promise<unknown> => emulator.world({ name: asked })
      await expect(create()).rejects.toThrow('The name of a world')
      await expect((async () => emulator.fork(asked))()).rejects.toThrow('The name of a world')
    }
    expect(emulator.worlds()).toEqual([])
  },
  ownWorld,
)

proves(
  'control/filters',
  async (subject) => {
    const emulator = subject.emulator!
    await subject.get('/queue')
    const queries = {
      'messages?foo=1': 'known are type, direction, run',
      'messages?direction=up': 'sent, received',
      'messages?tipe=status': 'did you mean type?',
      'frames?fields=x': 'known are frame',
      'requests?status=abc': 'a whole number',
      'requests?statsu=200': 'did you mean status?',
    }
    for (const [query, error] of Object.entries(queries)) {
      const { status, json } = await subject.get(`/_flowdouble/${query}`)
      const found = { query, status, error: json().error }
      expect(found).toEqual({ query, status: 400, error: expect.stringContaining(error) })
    }
    const wrong = [{ foo: 1 }, null, 5, 'x'] as unknown as object[]
    const methods = ['requests', 'verify', 'messages', 'frames'] as const
    for (const filter of wrong)
      for (const method of methods)
        await expect(emulator[method](filter)).rejects.toThrow(/^In the filter, /)
    await expect(emulator.verify({ run: 5 } as object)).rejects.toThrow('run must be')
    await expect(emulator.verify({ headers: { a: 5 } } as object)).rejects.toThrow(
      'headers.a must be',
    )
    await expect(emulator.requests({ staus: 200 } as object)).rejects.toThrow(
      'did you mean status?',
    )
    for (const body of [{ foo: 1 }, { status: '200' }, { times: -1 }, { query: [] }])
      expect((await subject.post('/_flowdouble/verify', body)).status).toBe(400)
    const all = await subject.get('/_flowdouble/requests?status=200')
    expect(all.json()).toHaveLength(1)
  },
  ownWorld,
)
