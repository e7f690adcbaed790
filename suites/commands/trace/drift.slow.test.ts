// `check --recording` sends what was sent, and says what has changed since: nothing, the appearance, what clients rely on, or
// that something is gone.

import { startEmulator } from 'flowdouble'
import { describe, test } from 'vitest'
import { readHar, writeHar } from '../../../dist/emulator/internal.js'
import { differencesOf, worstOf } from '../../check/trace/drift/compare.ts'
import { createIdentities } from '../../check/trace/drift/identities.ts'
import { solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { type Files, type Result, newFiles } from '../../support/files.ts'
import { data, type Edit, exchange, reply, response } from './edit.ts'
import { json, recordedWorld, rest } from '../../support/recordings/recorded-session.ts'

const schema = { type: 'object', properties: { at: { type: 'integer', volatile: true } } }

describe('comparing', () => {
  test.each([
    ['same', { a: 1 }, { a: 1 }],
    ['same', { at: 1 }, { at: 2 }],
    ['same', { prompt_id: 'x', timestamp: 1 }, { prompt_id: 'y', timestamp: 2 }],
    ['same', { images: [{ filename: 'a_1.png' }] }, { images: [{ filename: 'a_2.png' }] }],
    ['same', { x: 'old-id' }, { x: 'new-id' }],
    ['same', { 'old-id': 1 }, { 'new-id': 1 }],
    ['cosmetic', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['cosmetic', { a: 1 }, { a: 1, extra_field: 2 }],
    ['cosmetic', { nodes: ['a', 'b'] }, { nodes: ['b', 'a'] }],
    ['breaking', { outputs: {} }, {}],
    ['breaking', { a: 1 }, { a: '1' }],
    ['breaking', { a: [1, 2] }, { a: [1] }],
    ['breaking', { at: 1 }, { at: 'noon' }],
    ['breaking', { images: [{ filename: 'a_1.png' }] }, { images: [{ filename: 'a_1.webp' }] }],
  ] as const)('trace/drift-%s %j %j', (drift, then, now) => {
    const same = (a: string, b: string): boolean => a === b || (a === 'old-id' && b === 'new-id')
    expect(worstOf(differencesOf(then, now, same, schema))).toBe(drift)
  })

  test('trace/drift-ids The values of then are replaced by those of now, wherever they occur.', () => {
    const { learn, replace } = createIdentities()
    learn({ prompt_id: 'abc-1' }, { prompt_id: 'xyz-9' })
    learn(
      { 'abc-1': { outputs: { '9': { images: [{ filename: 'a_00001_.png' }] } } } },
      { 'xyz-9': { outputs: { '9': { images: [{ filename: 'a_00007_.png' }] } } } },
    )
    expect(replace('/history/abc-1')).toBe('/history/xyz-9')
    expect(replace('/view?filename=a_00001_.png')).toBe('/view?filename=a_00007_.png')
  })
})

/** A session with a listener, recorded at a world. */
const recorded = recordedWorld({ seed: 3 }, async (client, world) => {
  await client.open('drift')
  for (const prompt of [textToImage(), solid(7)]) {
    const body = json({ prompt, client_id: 'drift' })
    const { prompt_id } = (await client.request('POST', '/prompt', body)).json
    await rest(client, world)
    const { outputs } = (await client.request('GET', `/history/${prompt_id}`)).json[prompt_id]
    const [{ filename }] = Object.values<any>(outputs)[0].images
    await client.request('GET', `/view?filename=${filename}`)
  }
  await client.request('GET', '/queue')
  await client.request('GET', '/embeddings')
  await client.request('POST', '/free', json({ free_memory: true }))
})

/** Plays a changed recording on a new world. */
async function played(files: Files, edit: Edit, ...more: readonly string[]): Promise<Result> {
  const world = await startEmulator({ clock: 'instant', seed: 8 })
  try {
    files.write('a.har', writeHar(edit(await recorded)))
    const result = await files.check('--recording', 'a.har', world.url, '--json', ...more)
    expect(result.stderr).toBe('')
    return result
  } finally {
    await world.close()
  }
}

/** An output that the run of now does not have. */
const withOutput = reply('GET /history/', (body) =>
  Object.fromEntries(
    Object.entries<any>(body).map(([id, one]) => [
      id,
      { ...one, outputs: { ...one.outputs, '77': {} } },
    ]),
  ),
)

const unchanged: Edit = (recording) => recording

test('trace/drift-none A server that has not changed is as it was, and what is not allowed is not sent.', async () => {
  const files = newFiles()
  const { code, cases } = await played(files, unchanged)
  expect(cases('fail').map(({ detail }) => detail)).toEqual([])
  expect(code).toBe(0)
  expect(cases('skip')).toMatchObject([
    { title: expect.stringContaining('POST /free'), reason: 'not-allowed' },
  ])
  expect(cases().filter(({ title }) => title.includes('messages of'))).toHaveLength(2)
})

test('trace/drift-update The date is written into the recording if nothing has broken.', async () => {
  const files = newFiles()
  await played(files, unchanged, '--update')
  expect(readHar(files.read('a.har'), 'a').info?.validated).toMatch(/^\d{4}-\d\d-\d\d$/)
  await played(files, response('GET /queue', { status: 201 }), '--update')
  expect(readHar(files.read('a.har'), 'a').info?.validated).toBeUndefined()
})

test.each<readonly [drift: string, what: string, edit: Edit]>([
  ['breaking', 'GET /queue', response('GET /queue', { status: 201 })],
  ['breaking', 'GET /queue', reply('GET /queue', (body) => ({ ...body, queue_pending: [1] }))],
  ['breaking', 'GET /history', withOutput],
  [
    'vanished',
    'GET /nowhere',
    exchange('GET /embeddings', (one) => ({
      ...one,
      url: one.url.replace('embeddings', 'nowhere'),
    })),
  ],
  ['breaking', 'messages of', data('executing', () => ({ node: 'x' }))],
])('trace/drift-found %s at %s', async (drift, what, edit) => {
  const files = newFiles()
  const { code, cases } = await played(files, edit)
  expect(code).toBe(1)
  expect(cases('fail')).toMatchObject([
    {
      title: expect.stringContaining(what),
      detail: expect.stringMatching(new RegExp(`^${drift}: `)),
    },
  ])
})
