// Submits that cannot be read: bodies, graphs, inputs without members, targets without values.

import { node, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { exchanges, type Row } from '../../judge/rows.ts'
import { expectRefusal, refusal } from '../../judge/hosted/refusals.ts'
import { refusedSubmit } from '../../judge/verdicts.ts'

/** Submits of these graphs, or with further members, all of which get this status. */
const submits = (prompts: readonly unknown[], status: number, more = {}): readonly Row[] =>
  prompts.map((prompt) => ['POST', '/prompt', { prompt, ...more }, status])

proves('workflows/hosted-finite', async (subject) => {
  const { request, submit, isOwn } = subject
  const headers = { 'Content-Type': 'application/json' }
  const ofGraph = ['NaN', 'Infinity', '-Infinity', '"nan"', '"inf"', '1e999'].map(
    (odd) => `{"prompt": {"1": {"class_type": "FlowdoubleSlow", "inputs": {"seconds": ${odd}}}}}`,
  )
  for (const body of isOwn ? ofGraph : [])
    expect({ body, ...(await request('POST', '/prompt', body, headers)) }).toMatchObject({
      body,
      status: 400,
    })
  for (const odd of ['NaN', 'Infinity', '-Infinity'])
    for (const graph of ['{}', JSON.stringify(talking())]) {
      const body = `{"prompt": ${graph}, "extra_data": {"n": ${odd}}}`
      const reply = await request('POST', '/prompt', body, headers)
      expect({ body, status: reply.status }).toEqual({ body, status: 400 })
      if (isOwn) expectRefusal(reply, 400, 'BAD_REQUEST')
    }
  expect((await submit(talking('NaN and Infinity'))).status).toBe(200)
})

proves('workflows/hosted-unreadable', async (subject) => {
  const session = await subject.connect()
  const notObjects = [
    '',
    '{"prompt": ',
    Buffer.from([0x7b, 0xff, 0x7d]),
    '[]',
    '"prompt"',
    '7',
    'null',
  ]
  const prompts = [7, null, [1], { '1': 7 }, { '1': { class_type: [], inputs: {} } }]
  const bodies = [
    ...notObjects,
    ...prompts.map((prompt) => ({ prompt })),
    ...[5, null, [], 'text', true].map((extra_data) => ({ prompt: solid(), extra_data })),
    { prompt: solid(), partial_execution_targets: 7 },
  ]
  await exchanges(
    subject,
    bodies.map((body): Row => ['POST', '/prompt', body, 400, refusal('BAD_REQUEST')]),
  )
  const headers = { 'Content-Type': 'a/b; charset=none' }
  expectRefusal(await subject.request('POST', '/prompt', '{}', headers), 400, 'BAD_REQUEST')
  await subject.idle()
  await session.settled()
  expect(session.messages()).toHaveLength(1)
})

proves(
  'workflows/graph-by-id',
  async (subject) => {
    const nodes = [{ '1': null }, { '1': 5 }, { '1': { class_type: [] } }]
    await exchanges(subject, submits([null, 5, 'text', [1], ...nodes], 500))
  },
  { deployment: 'local' },
)

proves('workflows/extra-data-object', async (subject) => {
  for (const extra_data of [null, [], 'text', 'client_id', 7])
    await exchanges(subject, submits([talking()], 500, { extra_data }))
})

proves('workflows/no-objects-crash', async (subject) => {
  const picture = node('EmptyImage', { width: 2, height: 1, batch_size: 1, color: 0xff })
  const graph = { picture, shown: node('PreviewImage', { images: ['picture', 0] }) }
  const odd = [[], { ...picture, inputs: null }, { ...picture, inputs: ['images'] }]
  const prompts = ['', [], ...odd.map((one) => Object.assign({ odd: one }, graph))]
  await exchanges(subject, submits(prompts, 500))
})

proves('workflows/unreadable-inputs', async (subject) => {
  const type = 'exception_during_validation'
  for (const [inputs, error] of [
    [['images'], { type, details: 'list indices must be integers or slices, not str' }],
    ['my images', { type, details: "string indices must be integers, not 'str'" }],
    [['others'], { type: 'required_input_missing', details: 'images' }],
  ] as const) {
    const prompt = { '1': { class_type: 'PreviewImage', inputs } }
    const [first] = (await refusedSubmit(subject, { prompt })).node_errors['1'].errors
    expect(first).toMatchObject(error)
  }
})

proves('workflows/unreadable-targets', async (subject) => {
  for (const partial_execution_targets of [true, 1]) {
    const more = { partial_execution_targets }
    await exchanges(subject, [
      ...submits([talking()], 500, more),
      ...submits([{ '1': node('NoSuchNode') }], 400, more),
    ])
  }
})
