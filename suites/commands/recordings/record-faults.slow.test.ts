// The command `record --scenario`: answers in front of a real server have the faults that they have in a world, and the recording
// has what the server said.

import { test } from 'vitest'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { expect } from '../../judge/expect.ts'
import { commandRows } from '../../support/in-process.ts'
import { asked, faulty, quietWorld, scenarioFile } from '../../support/recordings/faulty.ts'
import { runRecord } from '../../support/recordings/recording.ts'
import { startEcho } from '../../support/servers/echo-server.ts'

const requestFaults: readonly Fault[] = [
  { when: { path: '/features', probability: 0.5 }, then: { status: 503 }, times: 4 },
  { when: { path: '/prompt', nth: [2, 4] }, then: { status: 429, retryAfter: 3 } },
  { when: { path: '/queue', nth: 1 }, then: { truncate: 10 } },
  { when: { path: '/queue', nth: 2 }, then: { reset: true } },
  { when: { path: '/queue', nth: 3 }, then: { reset: { afterBytes: 5 } } },
  { when: { path: '/queue', nth: 4 }, then: { slow: { parts: 3, everyMs: 1 } } },
  { when: { path: '/api/embeddings' }, then: { delayMs: 1 } },
  { when: { method: 'POST', path: '/history' }, then: { status: 500, body: { error: 'x' } } },
]

const requests = [
  ...Array.from({ length: 12 }, () => '/features'),
  ...Array.from({ length: 5 }, () => '/api/prompt'),
  ...Array.from({ length: 5 }, () => '/queue'),
  '/embeddings',
]

const answersOf = async (url: string): Promise<readonly string[]> => {
  const answers: string[] = []
  for (const path of requests) answers.push(await asked(url + path))
  answers.push(await asked(`${url}/history`, 'POST'))
  return answers
}

test('record/faults-answers Answers have the faults of a world: equal matches, counts, draws from the seed, bodies and ends', async () => {
  const expected = await answersOf((await quietWorld(requestFaults, 'a seed')).url)
  const server = await quietWorld([], 'another')
  let got: readonly string[] = []
  const session = async (url: string): Promise<void> => void (got = await answersOf(url))
  const result = await faulty(server.url, requestFaults, session, '--seed', 'a seed')
  expect(got).toEqual(expected)
  expect(expected.filter((one) => one.startsWith('503')).length).toBe(4)
  expect(result.stdout).toMatch(/24 exchanges, .*, 12 faults\./)
})

test('record/faults-marks The recording has what the server said, and marks where faults were played', async () => {
  const faults: readonly Fault[] = [
    { id: 'busy', when: { path: '/queue', nth: 1 }, then: { status: 503 } },
    { id: 'short', when: { path: '/queue', nth: 2 }, then: { truncate: 3 } },
    { id: 'late', when: { path: '/queue', nth: 3 }, then: { delayMs: 1 } },
    { id: 'idle', when: { path: '/none' }, then: { status: 500 } },
  ]
  const server = await startEcho()
  const result = await faulty(server.url, faults, async (url) => {
    for (let count = 0; count < 4; count++) await asked(`${url}/queue`)
  })
  expect(server.arrived.length).toBe(3)
  const shown = result
    .recording()
    .exchanges.map(({ response, fault }) => [
      response?.status,
      Buffer.from(response!.body).toString(),
      fault,
    ])
  expect(shown).toEqual([
    [503, '503: Service Unavailable', { ids: ['busy'], did: ['status'], answers: true }],
    [200, 'ok', { ids: ['short'], did: ['truncate'] }],
    [200, 'ok', { ids: ['late'], did: ['delayMs'] }],
    [200, 'ok', undefined],
  ])
  expect(result.stderr).toBe('The fault idle was never played: nothing matched.\n')
})

test('record/faults-hosted A fault without a body answers a client with a key as a hosted server does', async () => {
  const server = await startEcho()
  const faults: readonly Fault[] = [{ when: { path: '/queue' }, then: { status: 503 } }]
  await faulty(server.url, faults, async (url) => {
    const reply = await fetch(`${url}/api/queue`, { headers: { 'X-API-Key': 'a' } })
    expect(await reply.json()).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      message: 'Service Unavailable.',
    })
  })
})

test('record/faults-events A stream of events passes as it comes, until a fault ends it', async () => {
  const server = await startEcho({
    answer: ({ url }, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write('data: 1\n\ndata: 2\n\n')
      if (url === '/ends') response.end()
    },
  })
  const faults: readonly Fault[] = [
    { when: { path: '/open' }, then: { truncate: 12 } },
    { when: { path: '/ends' }, then: { delayMs: 1 } },
  ]
  await faulty(server.url, faults, async (url) => {
    expect(await asked(`${url}/open`)).toBe('200  data: 1\n\ndat aborted')
    expect(await asked(`${url}/ends`)).toBe('200  data: 1\n\ndata: 2\n\n')
  })
})

const none = 'http://127.0.0.1:1'
const played = (scenario: object): readonly string[] => ['--scenario', scenarioFile(scenario)]
const fault: Fault = { when: { path: '/queue' }, then: { status: 503 } }

commandRows(runRecord, {
  'record/faults-only Parts of a scenario that need a world are named, with what to do': [
    [
      none,
      ...played({
        start: {},
        nodes: [],
        world: { seed: 7, pace: 1 },
        faults: [
          { when: { path: '/queue', user: 'a' }, then: { status: 503 } },
          { when: { path: '/queue' }, then: { restart: true } },
        ],
      }),
    ],
    2,
    '',
    /json: start\n.*json: nodes\n.*json: world\.pace\n.*faults\[0\]\.when\.user .*\n.*faults\[1\]\.then\.restart .*\n[^]*flowdouble learn --from URL/,
  ],
  'record/faults-none A scenario without a fault has nothing to play': [
    [none, ...played({ about: 'nothing' })],
    2,
    '',
    /there is no fault to play/,
  ],
  'record/faults-wrong A wrong scenario says where it is wrong': [
    [none, ...played({ faults: [{ when: { path: '/queue' }, then: { skip: true } }] })],
    2,
    '',
    /skip needs message in when/,
  ],
  'record/faults-from A recording that exists meets no faults': [
    ['--from', 'a.har', ...played({ faults: [fault] })],
    2,
    '',
    /--scenario needs the URL of a server/,
  ],
  'record/faults-seed A seed without a scenario decides nothing': [
    [none, '--seed', '1'],
    2,
    '',
    /--seed needs --scenario/,
  ],
})
