// The bounds of the control API: patterns are fast, and snapshots share files.

import { expect } from '../../judge/expect.ts'
import { casesWith, ownWorld } from '../../judge/proves.ts'

const proves = casesWith(ownWorld)

proves('faults/path-linear', async ({ emulator, get }) => {
  for (const path of ['/**/**/**/**/**/**/**/**/**/x', '/*a*a*a*a*a*a*a*a*b'])
    emulator!.fault({ when: { path }, then: { status: 500 } })
  // With expressions that try each way to divide a path, these two take longer than anybody waits.
  expect((await get('/a'.repeat(60))).status).toBe(404)
  expect((await get(`/${'a'.repeat(160)}`)).status).toBe(404)
  expect((await get(`/${'a'.repeat(160)}b`)).status).toBe(500)
})

proves('control/snapshot-shares-files', async (subject) => {
  const emulator = subject.emulator!
  await subject.upload({ name: 'big.bin', bytes: Buffer.alloc(8 * 2 ** 20, 'big') })
  const before = process.memoryUsage().arrayBuffers
  for (let at = 0; at < 50; at++) emulator.snapshot(`s${at}`)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 2 ** 20)
  await emulator.restore('s7')
  const text = subject.deployment === 'local' ? '/view?filename=big.bin&type=input' : '/queue'
  expect((await subject.get(text)).status).toBe(200)
})

proves('faults/ids', async ({ emulator }) => {
  emulator!.fault({ id: 'fault 2', when: { path: '/queue' }, then: { status: 500 } })
  const { id } = emulator!.fault({ when: { path: '/x' }, then: { status: 501 } })
  expect(emulator!.faults().map((one) => one.id)).toEqual(['fault 2', id])
})

proves('faults/time-from-reset', async ({ emulator }) => {
  const scenario = {
    version: 1 as const,
    faults: [{ when: { atMs: 200 }, then: { close: 1001 } }],
  }
  // The time of a world that starts now goes on over a reset.
  const world = await emulator!.world({ epoch: 'now', scenario })
  await world.advance(500)
  expect(world.faults()).toMatchObject([{ applied: 1 }])
  await world.reset()
  expect(world.faults()).toMatchObject([{ applied: 0 }])
  await world.advance(199)
  expect(world.faults()).toMatchObject([{ applied: 0 }])
  await world.advance(1)
  expect(world.faults()).toMatchObject([{ applied: 1 }])
  await world.close()
})

proves('control/body-limit', async (subject) => {
  const pad = 'x'.repeat(16 * 2 ** 20)
  expect((await subject.post('/_flowdouble/verify', { body: pad })).status).toBe(413)
  const picture = { base64: Buffer.alloc(100_000).toString('base64') }
  const nodes = [{ class_type: 'SaveImage', outputs: { images: [picture] } }]
  expect((await subject.post('/_flowdouble/scenario', { version: 1, nodes })).status).toBe(200)
})

proves('faults/at-time', async (subject) => {
  const emulator = subject.emulator!
  await emulator.advance(1000)
  const late = { when: { atMs: 5 }, then: { restart: true as const } }
  expect(() => emulator.fault(late)).toThrow('The world is already at 1000 ms')
  expect((await subject.post('/_flowdouble/faults', late)).status).toBe(409)
})
