// The limit of the queue: the memory for pending runs is bounded.

import { errors, limits } from '../../../spec/index.ts'
import {
  createServer,
  hosted as hostedParts,
  stepServer as step,
  type WorldOptions,
  typeTexts,
} from '../../../dist/emulator/internal.js'
import { talking } from '../../generate/graphs.ts'
import { nodeTypesText } from '../../generate/node-types.ts'
import { account } from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** A server like this one, with a limit that is reached sooner. */
async function serverLike({ emulator }: Subject) {
  const [first = ''] = (await emulator?.journal()) ?? []
  const { options } = JSON.parse(first) as { options: WorldOptions }
  expect(options.pendingLimitBytes).toBe(limits.pending.value)
  const types = typeTexts(nodeTypesText())
  const objectInfo = () => types
  const accounts = [account('one'), account('two')]
  const server = createServer(
    { ...options, objectInfo, accounts, pendingLimitBytes: 100_000 },
    hostedParts,
  )
  let request = 0
  const send = (target: string, value: unknown, atMs = 0, headers = {}) => {
    const body = Buffer.from(JSON.stringify(value))
    const input = { kind: 'request', atMs, method: 'POST', target, headers, body } as const
    const reply = step(server, { ...input, request: ++request }).find(
      ({ kind }) => kind === 'reply',
    )
    if (reply?.kind !== 'reply') throw new Error('no reply')
    return [reply.status, reply.status > 400 ? reply.body : '']
  }
  return { server, send }
}

proves('queue/bounded', async (subject) => {
  const { server, send } = await serverLike(subject)
  const submit = (length: number, fields = {}, atMs = 0) =>
    send('/prompt', { prompt: talking('x'.repeat(length)), ...fields }, atMs)
  const full = [413, 'The queue is full: the limit for pending workflows is 100000 bytes.']
  expect(submit(98_000)[0]).toBe(200)
  expect(submit(1000)).toEqual(full)
  expect(send('/queue', { clear: true })[0]).toBe(200)
  for (const prompt_id of ['a', 'b', 'c', 'd']) expect(submit(20_000, { prompt_id })[0]).toBe(200)
  expect(submit(20_000)).toEqual(full)
  // Data beside the graph counts too, including hidden keys.
  expect(submit(0, { extra_data: { mine: 'x'.repeat(10_000) } })).toEqual(full)
  expect(submit(0, { extra_data: { api_key_comfy_org: 'x'.repeat(20_000) } })).toEqual(full)
  expect(send('/queue', { delete: ['b'] })[0]).toBe(200)
  expect(submit(20_000, { prompt_id: 'e' })[0]).toBe(200)
  expect(submit(20_000)).toEqual(full)
  // A run that begins no longer waits.
  expect(submit(20_000, {}, 25)[0]).toBe(200)
  expect(submit(20_000, {}, 25)).toEqual(full)
  // However many are removed again, none of them stays in memory.
  for (let count = 0; count < 500; count++) {
    send('/queue', { delete: ['last'] }, 25)
    send('/queue', { delete: ['a', 'b', 'c', 'd', 'e'] }, 25)
    expect(submit(20_000, { prompt_id: 'last', number: 1e9 }, 25)[0]).toBe(200)
  }
  expect(server.worlds[0].state.pending.length).toBeLessThan(100)
  // Small ones are bounded in number.
  send('/queue', { clear: true }, 25)
  const statuses = Array.from({ length: 200 }, () => submit(0, {}, 25)[0])
  expect(statuses.filter((status) => status === 200).length).toBeLessThan(98)
})

proves('queue/hosted-bounded', async (subject) => {
  const { send } = await serverLike(subject)
  const submit = (key: string, length: number) =>
    send('/api/prompt', { prompt: talking('x'.repeat(length)) }, 0, { 'x-api-key': key })
  const full = [429, JSON.stringify(errors.planRefusals.queueFull.body.json)]
  expect(submit('one', 98_000)[0]).toBe(200)
  expect(submit('one', 1000)).toEqual(full)
  // Runs that wait for one account take no room from another.
  expect(submit('two', 98_000)[0]).toBe(200)
  expect(submit('two', 1000)).toEqual(full)
  expect(send('/api/queue', { clear: true }, 0, { 'x-api-key': 'one' })[0]).toBe(200)
  expect(submit('one', 1000)[0]).toBe(200)
  expect(submit('two', 1000)).toEqual(full)
})
