// What others say of requests that a scenario answers: the log, and the header with the rules.

import type { Entry } from 'flowdouble'
import { createRecordReader } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { proves, test } from '../../judge/proves.ts'
import { startSubject } from '../../judge/subject.ts'
import { scripted } from '../../support/scripted.ts'
import { sourceOn } from '../../support/watch.ts'

const entries: Entry[] = []
const replaced = (): readonly string[] =>
  entries.flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.kind === 'answered' ? (effect.replaces ?? []) : [])),
  )

proves(
  'scenario/answer-replaces',
  async ({ deployment, get, post }) => {
    entries.length = 0
    for (const round of [1, 2])
      expect((await get(`/queue?round=${round}`)).json()).toEqual({ own: true })
    expect((await get('/nowhere')).text).toBe('here')
    // The methods without an answer are those of the server.
    expect((await post('/queue', { clear: true })).status).toBe(200)
    const path = deployment === 'hosted' ? '/api/queue' : '/queue'
    expect(replaced()).toEqual([`GET ${path}`])
    const read = createRecordReader(sourceOn(undefined))
    const warnings = entries.flatMap(read).filter(({ event }) => event === 'warning')
    expect(warnings).toMatchObject([
      { text: `an answer of the scenario replaces GET ${path} of the server` },
    ])
  },
  {
    onEntry: (entry) => entries.push(entry),
    ...scripted({
      answers: [
        { method: 'GET', path: '/queue', json: { own: true } },
        { path: '/nowhere', text: 'here' },
      ],
    }),
  },
)

proves(
  'control/explain-answers',
  async ({ get, request }) => {
    const rulesOf = async (path: string, method = 'GET') =>
      (await request(method, path)).headers['x-flowdouble-rules']
    expect(await rulesOf('/queue')).toBe('scenario/answers')
    expect(await rulesOf('/pack')).toBe('scenario/answers')
    expect(await rulesOf('/choice', 'POST')).toBe('scenario/node-waits-reply')
    expect(await rulesOf('/history')).toMatch(/^history\//)
    expect((await get('/pack')).status).toBe(404)
  },
  scripted(
    {
      answers: [
        { path: '/pack', status: 404 },
        { method: 'GET', path: '/queue', json: {} },
      ],
      nodes: [{ class_type: 'VAEDecode', waitsFor: { method: 'POST', path: '/choice' } }],
    },
    { explain: true },
  ),
)

test('the log has no hint for a reply by the scenario', async () => {
  const records: unknown[] = []
  const read = createRecordReader(sourceOn(undefined))
  const subject = await startSubject({
    onEntry: (entry) => records.push(...read(entry)),
    ...scripted({ answers: [{ path: '/queues', status: 404, times: 1 }] }),
  })
  for (const _ of ['answer', 'server']) await subject.get('/queues')
  await subject.close()
  expect(records).toMatchObject([
    { event: 'request', status: 404 },
    { event: 'request', status: 404, hints: ['the nearest endpoint is GET /queue'] },
  ])
  expect(records[0]).not.toHaveProperty('hints')
})
