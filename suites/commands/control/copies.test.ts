// Faults and scenarios that a program passes: copied, and only what JSON can express.

import { replay } from 'flowdouble'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves } from '../../judge/proves.ts'

proves(
  'control/copies',
  async (subject) => {
    const emulator = subject.emulator!
    const fault = { id: 'mine', when: { path: '/queue' }, then: { status: 500, body: { a: 1 } } }
    const other = { when: { path: '/settings' }, then: { status: 500 } }
    const scenario = { version: 1 as const, faults: [other] }
    const loaded = emulator.load(scenario)
    emulator.fault(fault)
    const body = fault.then.body
    body.a = 2
    fault.then.status = 400
    other.then.status = 400
    await loaded
    for (const one of emulator.faults()) Object.assign(one.fault.then, { status: 401 })
    const reply = await subject.get('/queue')
    expect({ status: reply.status, body: reply.json() }).toEqual({ status: 500, body: { a: 1 } })
    expect((await subject.get('/settings')).status).toBe(500)
    const lines = await emulator.journal()
    expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
  },
  ownWorld,
)

proves(
  'control/plain-data',
  async (subject) => {
    const emulator = subject.emulator!
    const circle: Record<string, unknown> = {}
    circle['a'] = { circle }
    const values = [{ a: 1n }, { a: Number.NaN }, { a: () => 1 }, [undefined], circle]
    for (const body of [...values, { a: new Date(0) }, { a: new Map() }, new Uint8Array(3)]) {
      const fault = { when: { path: '/queue' }, then: { status: 500, body } } as Fault
      expect(() => emulator.fault(fault)).toThrow(/^In the fault, then\.body/)
      const loaded = emulator.load({ version: 1, faults: [fault] })
      await expect(loaded).rejects.toThrow(/^The scenario cannot be used: faults\[0\]\.then\.body/)
    }
    emulator.fault({ when: { path: '/queue' }, then: { status: 500, body: { a: undefined } } })
    expect((await subject.get('/queue')).json()).toEqual({})
    expect(await emulator.journal()).toHaveLength(3)
  },
  ownWorld,
)
