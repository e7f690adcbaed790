// The numbers of runs on any local server, whose counter is not at 0.

import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { me, occupy } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'

proves('workflows/number-counts', async (subject) => {
  const number = async (fields = {}): Promise<number> =>
    (await subject.submit(talking(subject.unique('number')), fields)).json().number
  const first = await number()
  expect(Number.isInteger(first)).toBe(true)
  for (const body of [{}, [], { prompt: {} }]) await subject.post('/prompt', body)
  const afterRefusals = await number()
  expect(afterRefusals).toBeGreaterThanOrEqual(first + 4)
  await number({ number: first + 100_000 })
  const last = await number()
  expect(last).toBeGreaterThan(afterRefusals)
  expect(last).toBeLessThan(first + 100_000)
})

proves('workflows/number-given', async (subject) => {
  const text = async (fields: object): Promise<string> =>
    /"number": *([^,}]*)/.exec(
      (await subject.submit(talking(subject.unique('number')), { ...fields })).text,
    )?.[1] ?? ''
  const counted = Number(await text({}))
  expect(Number(await text({ front: true }))).toBeLessThan(-counted)
  expect(await text({ front: 'yes' })).toMatch(/^-\d+$/)
  expect(await text({ number: 5 })).toBe('5.0')
  expect(await text({ number: -2.5 })).toBe('-2.5')
  expect(await text({ number: '7' })).toBe('7.0')
  expect(await text({ number: 3, front: true })).toBe('3.0')
  expect(Number(await text({ front: 0 }))).toBeGreaterThan(counted)
  for (const number of [null, 'first', [1]])
    expect((await subject.submit(talking(), { number })).status).toBe(500)
})

proves('workflows/number-as-float', async (subject) => {
  const session = await me(subject)
  const held = await occupy(subject, session)
  const returned: [id: string, number: string][] = []
  for (const fields of [{ number: 5 }, {}, { number: 0 }, { front: true }]) {
    const graph = talking(subject.unique('number'))
    const reply = await subject.submit(graph, { client_id: session.clientId, ...fields })
    const number = /"number": *([^,}]*)/.exec(reply.text)?.[1] ?? ''
    returned.push([reply.json().prompt_id, number])
  }
  const [given, counted, zero, front] = returned.map(([, number]) => number)
  expect([given, zero]).toEqual(['5.0', '0.0'])
  for (const one of [counted, front]) expect(one).toMatch(/^-?\d+$/)
  const numberOf = (text: string, id: string) =>
    new RegExp(`\\[(-?[\\d.]+), *"${id}"`).exec(text)?.[1]
  const { text: queue } = await subject.get('/queue')
  await held.stop()
  await subject.idle()
  for (const [id, number] of returned) {
    const { text } = await subject.get(`/history/${id}`)
    expect([numberOf(queue, id), numberOf(text, id)]).toEqual([number, number])
  }
})
