// The number and the id of a run: those that the server makes, and those that the client names.

import { changed, node, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { cancelAll, keepBusy, newUuid } from '../../judge/hosted/busy-account.ts'
import { isOf } from '../../judge/hosted/jobs.ts'
import { me, occupy, uniqueId, uniqueNumber } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { refusedSubmit, uuid4 } from '../../judge/verdicts.ts'
import { dataOf } from '../../support/transcript.ts'
import { listedIds } from '../../judge/responses.ts'

proves('workflows/number-counts', async (subject) => {
  const number = async (fields = {}): Promise<number> =>
    (await subject.submit(talking(subject.unique('counted')), fields)).json().number
  const first = await number()
  expect(Number.isInteger(first)).toBe(true)
  const refused = [{}, [], { prompt: {} }, { prompt: changed(solid(), '1', { width: 0 }) }]
  for (const body of refused) expect((await subject.post('/prompt', body)).status).toBe(400)
  const afterRefusals = await number()
  expect(afterRefusals).toBeGreaterThanOrEqual(first + 5)
  await number({ number: first + 100_000 })
  const last = await number()
  expect(last).toBeGreaterThan(afterRefusals)
  expect(last).toBeLessThan(first + 100_000)
  if (subject.isOwn) expect([first, afterRefusals, last]).toEqual([0, 5, 6])
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

proves('workflows/hosted-number', async (subject) => {
  const { connect, submit } = subject
  const session = await connect()
  const busy = await keepBusy(subject)
  const ids: string[] = []
  let last = -Infinity
  for (const fields of [{}, { number: 7 }, { front: true }, { number: -1.5 }, { number: 'x' }]) {
    // Rejected submits are not counted.
    expect((await submit({}, fields)).status).toBe(400)
    const { prompt_id, number } = (await submit(talking(), fields)).json()
    expect({ fields, isNext: Number.isInteger(number) && number > last }).toEqual({
      fields,
      isNext: true,
    })
    if (subject.isOwn) expect(number).toBe(busy.length + ids.length)
    last = number
    ids.push(prompt_id)
  }
  await cancelAll(subject, busy)
  for (const id of ids) await subject.reach(session, isOf('execution_success', id))
  const starts = dataOf('execution_start', session.messages()).map((data) => data['prompt_id'])
  expect(starts.filter((id) => ids.includes(id as string))).toEqual(ids)
})

proves('workflows/prompt-id-given', async (subject) => {
  const session = await me(subject)
  const given = `my run/${uniqueId(subject, '1')}`
  const { prompt_id, messages, entry } = await subject.run(
    session,
    talking(subject.unique('given')),
    { prompt_id: given },
  )
  expect([prompt_id, entry.prompt_id]).toEqual([given, given])
  expect(messages.at(-1)?.data).toEqual({ node: null, prompt_id: given })
  await occupy(subject, session)
  const number = uniqueNumber(subject, 'id')
  const graph = talking(subject.unique('number'))
  const reply = await subject.submit(graph, { prompt_id: number })
  expect(reply.json().prompt_id).toBe(`${number}`)
  expect((await listedIds(subject)).pending).toContain(`${number}`)
})

proves('workflows/hosted-own-id', async ({ connect, submit, idle }) => {
  const session = await connect()
  const ids: string[] = []
  for (const prompt_id of [undefined, 'mine', 'mine', '', 7, null, {}]) {
    const reply = await submit(solid(), prompt_id === undefined ? {} : { prompt_id })
    expect({ prompt_id, status: reply.status }).toEqual({ prompt_id, status: 200 })
    ids.push(reply.json().prompt_id)
  }
  for (const id of ids) expect(id).toMatch(uuid4)
  expect(new Set(ids).size).toBe(ids.length)
  await idle()
  await session.settled()
  const ended = dataOf('execution_success', session.messages()).map((data) => data['prompt_id'])
  expect(new Set(ended)).toEqual(new Set(ids))
})

proves(['workflows/prompt-id-uuid', 'workflows/prompt-id-repeated'], async (subject) => {
  const session = await me(subject)
  const given = newUuid(subject, 'given')
  const first = await subject.run(session, talking(subject.unique('first')), { prompt_id: given })
  expect([first.prompt_id, first.entry.prompt_id]).toEqual([given, given])
  expect(first.messages.at(-1)?.data).toEqual({ node: null, prompt_id: given })
  const held = await occupy(subject, session)
  for (const name of ['second', 'third']) {
    const reply = await subject.submit(talking(subject.unique(name)), { prompt_id: given })
    expect(reply.json().prompt_id).toBe(given)
  }
  const { pending } = await listedIds(subject)
  expect(pending.filter((id) => id === given)).toHaveLength(2)
  await held.stop()
  await subject.idle()
  const entry = await subject.finished(given)
  expect(entry?.graph).toEqual(talking(subject.unique('third')))
  const made = await subject.submit(talking(subject.unique('null')), { prompt_id: null })
  expect(made.json().prompt_id).toMatch(uuid4)
})

proves('workflows/prompt-id-form', async (subject) => {
  const id = newUuid(subject, 'id')
  const odd = [
    id.toUpperCase(),
    id.replaceAll('-', ''),
    `{${id}}`,
    ` ${id}`,
    '',
    'mine',
    7,
    true,
    [],
    {},
    [id],
  ]
  for (const prompt_id of odd)
    expect({
      prompt_id,
      ...(await refusedSubmit(subject, { prompt: talking(), prompt_id })),
    }).toEqual({
      prompt_id,
      error: {
        type: 'invalid_prompt_id',
        message: 'prompt_id must be a valid UUID',
        details:
          'prompt_id must be a UUID string in canonical lowercase hyphenated form; omit it to let the server generate one',
        extra_info: {},
      },
      node_errors: {},
    })
  // It is looked at after the prompt, and before the graph.
  const { error } = await refusedSubmit(subject, { prompt_id: 'mine' })
  expect(error.type).toBe('no_prompt')
  const invalid = await refusedSubmit(subject, { prompt: { '1': node('Nope') }, prompt_id: 'mine' })
  expect(invalid.error.type).toBe('invalid_prompt_id')
})
