// The client and a server whose responses make no sense, or whose socket is missing.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { test } from 'vitest'
import { hostedKey, jobOf } from './misbehaving-hosted.ts'
import { entryOf, message, startMisbehaving } from './misbehaving-server.ts'
import type { Behaviour } from './misbehaving-server.ts'
import {
  asked,
  command,
  prints,
  runHosted,
  runOn,
  runs,
  serveHosted,
  testClock,
} from './harness.ts'
import { expect } from '../../judge/expect.ts'
import { listening } from '../../support/for-test.ts'

const [status, job, history] = ['/job/run-1/status', '/jobs/run-1', '/history/run-1']
const always = (path: string, answer: { readonly status?: number; readonly body: string }) => ({
  first: { [path]: Array<typeof answer>(99).fill(answer) },
})
/** There is no short status, so that the client requests the whole job. */
const wholeJob = { words: [null] }

const senseless: readonly (readonly [string, Behaviour, string, string])[] = [
  ['a status of 500', always(status, { status: 500, body: 'oops' }), status, 'answered 500: oops'],
  ['a page as status', always(status, { body: '<html>' }), status, 'invalid JSON (<html>)'],
  ['no text as status', always(status, { body: '' }), status, 'answered with invalid JSON'],
  ['an unknown word', { hosted: { words: ['weird'] } }, status, 'answered {"status":"weird"}'],
  ['a status with an empty object', always(status, { body: '{}' }), status, 'answered {}'],
  ['a number as word', always(status, { body: '{"status":7}' }), status, '{"status":7}'],
  ['a status that is null', always(status, { body: 'null' }), status, 'answered null'],
  [
    'an unknown word of the whole job',
    { hosted: { ...wholeJob, jobs: [jobOf('weird')] } },
    job,
    'answered {"status":"weird"}',
  ],
  [
    'a whole job that is null',
    { hosted: wholeJob, ...always(job, { body: 'null' }) },
    job,
    'answered null',
  ],
  [
    'a broken whole job of a job that is over',
    always(job, { body: '{"status": "comp' }),
    job,
    'invalid JSON ({"status": "comp)',
  ],
  [
    'outputs that are a text',
    { hosted: { jobs: [jobOf('completed', { outputs: 'x' })] } },
    job,
    'answered {"outputs":"x"}: outputs is not an object.',
  ],
  [
    'outputs that are a list',
    { hosted: { jobs: [jobOf('failed', { outputs: [] })] } },
    job,
    'answered {"outputs":[]}',
  ],
]

test.each(senseless)(
  'run/senseless After %s six times in a row the command exits with 3 and says so.',
  async (_, behaviour, path, said) => {
    const server = await serveHosted({ sockets: 0, steps: [], ...behaviour })
    const { result } = await runHosted(server)
    const message = expect.stringContaining(`GET ${path} at ${server.url} answered `)
    expect(result).toMatchObject({ outcome: 'protocol', error: { message } })
    expect(result.error?.message).toContain(said)
    expect(asked(server, path)).toHaveLength(6)
  },
)

test.each([
  ['500', history, { status: 500, body: 'oops' }, 'answered 500: oops'],
  ['404', history, { status: 404, body: '' }, 'answered 404'],
  ['a page', history, { body: '<html>' }, 'invalid JSON (<html>)'],
  ['null', history, { body: 'null' }, 'answered null'],
  ['a list', history, { body: '[]' }, 'answered []'],
  ['an entry that is a text', history, { body: '{"run-1": "x"}' }, 'answered "x"'],
  ['outputs that are a text', history, { body: '{"run-1": {"outputs": "x"}}' }, '{"outputs":"x"}'],
  ['a status that is a text', history, { body: '{"run-1": {"status": "x"}}' }, '{"status":"x"}'],
  ['a queue without lists', '/queue', { body: '{}' }, 'answered {}: these are not lists.'],
])(
  'run/senseless After %s six times in a row a local run ends so, with a socket or without.',
  async (_, path, answer, said) => {
    for (const steps of [['drop'], [message('execution_success')]]) {
      // If the socket reports the end of a run, the client does not look for it in the queue.
      if (path === '/queue' && steps[0] !== 'drop') continue
      const server = await startMisbehaving({ steps, sockets: 1, ...always(path, answer) })
      const message = expect.stringContaining(said)
      expect((await runOn(server)).result).toMatchObject({
        outcome: 'protocol',
        error: { message },
      })
      expect(asked(server, path)).toHaveLength(6)
    }
  },
)

test('run/senseless The client does not poll for ever because of a silent socket.', async () => {
  for (const steps of [[], [message('executing', { node: '3' })]]) {
    const clock = testClock()
    const behaviour = always(status, { status: 500, body: 'oops' })
    const server = await serveHosted({ steps, ...behaviour })
    const onEvent = ({ kind }: { kind: string }) => {
      if (kind === 'submitted' || kind === 'node' || kind === 'hint') pass()
    }
    const pass = (): void => {
      clock.pass(10_000)
      if (asked(server, status).length < 6) setImmediate(pass)
    }
    expect((await runHosted(server, { clock, onEvent })).result).toMatchObject({
      outcome: 'protocol',
      error: { message: expect.stringContaining('answered 500: oops') },
    })
  }
})

test('run/senseless Five answers in a row that make no sense are tolerated, and the first is reported.', async () => {
  const bad = [{ status: 500 }, { body: '<html>' }, { body: '{"status": "weird"}' }]
  const five = [...bad, { status: 404 }, { body: 'null' }]
  const calm = { body: '{"status": "pending"}' }
  const first = { [status]: [...bad, ...bad.slice(1), calm, ...bad], [job]: five }
  const server = await serveHosted({ sockets: 0, steps: [], first })
  const { result, events } = await runHosted(server)
  expect(result).toMatchObject({ outcome: 'success', files: [{ filename: 'a.png' }] })
  const hints = events.flatMap((event) => (event.kind === 'hint' ? [event.text] : []))
  expect(hints.slice(1)).toEqual(
    Array(2).fill(`GET ${status} at ${server.url} answered 500. Retrying.`),
  )
})

test('run/senseless A limit that ends before that reports what the server answered meanwhile.', async () => {
  const clock = testClock()
  const behaviour = always(status, { status: 500, body: 'oops' })
  const server = await serveHosted({ sockets: 0, steps: [], ...behaviour })
  const onEvent = ({ kind, ...event }: { kind: string; text?: string }) => {
    if (kind === 'hint' && event.text?.includes('oops')) clock.pass(60_000)
  }
  const { result } = await runHosted(server, { clock, timeoutMs: 60_000, onEvent })
  const message =
    'No end within 60 s. The server continues the run run-1. ' +
    `Meanwhile GET ${status} at ${server.url} answered 500: oops. Give a longer --timeout.`
  expect(result).toMatchObject({ outcome: 'timeout', error: { message } })
  expect(Object.keys(result)).not.toContain('senseless')
})

runs({
  'run/senseless A job without a record is reported as such.': [
    { sockets: 0, hosted: { jobs: [null] } },
    {
      outcome: 'protocol',
      error: {
        message: expect.stringContaining('without saying how: GET /jobs/run-1 answered 404.'),
      },
    },
  ],
  'run/senseless Missing outputs of a job count as no outputs.': [
    { hosted: { jobs: [jobOf('completed', { outputs: null })] } },
    { outcome: 'success', files: [] },
  ],
  'run/senseless Missing outputs of an entry count as no outputs.': [
    { entry: { ...entryOf({}), outputs: null } },
    { outcome: 'success', files: [] },
  ],
})

prints({
  'run/no-socket A run that is followed without its socket says so in one sentence without advice.':
    [
      { sockets: 0, hosted: {} },
      [],
      {
        code: 0,
        stderr:
          'submitted run-1\n' +
          'URL does not open a WebSocket at /ws (Unexpected server response: 403). Polling the job instead.\n',
      },
    ],
})

test('run/no-socket If nothing can be reached, that is reported once.', async () => {
  const folder = new URL('../../tls/', import.meta.url)
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(new URL(name, folder)))
  const server = createServer({ cert, key })
  const { url } = await listening(server, 'https')
  for (const more of [[], ['--deployment', 'hosted']]) {
    const argv = ['workflow.json', '--url', url, '--api-key', hostedKey, ...more]
    expect(await command(argv)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /^Cannot reach https:\S+ \([A-Z_]+\): if its certificate is your own, .*\n$/,
      ),
    })
  }
})
