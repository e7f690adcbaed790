// The client follows the jobs of a hosted server: without a socket, in either vocabulary, despite rejected requests.

import { test } from 'vitest'
import { hostedKey, jobOf } from './misbehaving-hosted.ts'
import { message } from './misbehaving-server.ts'
import {
  asked,
  command,
  including,
  prints,
  runHosted,
  runs,
  serveHosted,
  testClock,
} from './harness.ts'
import { expect } from '../../judge/expect.ts'

const execution_error = {
  node_id: '3',
  node_type: 'KSampler',
  exception_type: 'OOMError',
  exception_message: 'full\n',
  traceback: [],
  current_inputs: {},
  current_outputs: {},
}
const node_errors = { '3': { class_type: 'KSampler', errors: [{ message: 'Bad' }] } }
const busy = (status: number, seconds: string) => ({
  status,
  headers: { 'retry-after': seconds },
})

/** Words of jobs that go on, or of jobs of later servers. */
const goingOn = [
  'submitted',
  'queued_waiting',
  'executing',
  'executed',
  'erroring',
  'cancel_requested',
  'waiting_to_dispatch',
  'later_word',
  'constructor',
]
const polled = { sockets: 0, steps: [] }

runs({
  'run/hosted-polling Without a socket the client polls the job until it ends.': [
    { ...polled, hosted: { words: ['pending', 'in_progress', 'in_progress', 'completed'] } },
    {
      outcome: 'success',
      files: [{ filename: 'a.png' }],
      reads: { words: 4, jobs: 1, queue: 0, history: 0 },
      events: including({ kind: 'hint', text: expect.stringContaining('403') }),
    },
  ],
  'run/hosted-polling A job that is unknown shortly after the submit is requested again.': [
    {
      ...polled,
      hosted: {
        words: [null, null, 'completed'],
        jobs: [null, null, null, jobOf('in_progress'), jobOf('completed')],
      },
    },
    { outcome: 'success', reads: { words: 3, jobs: 5 } },
  ],
  'run/hosted-polling A job that stays unknown is lost.': [
    { sockets: 0, hosted: { words: [null], jobs: [null] } },
    { outcome: 'protocol', error: { type: 'run_lost' } },
  ],
  'run/hosted-polling From a server without the short status the client requests the whole job.': [
    {
      ...polled,
      hosted: {
        words: [null],
        jobs: [jobOf('pending'), jobOf('in_progress'), jobOf('completed')],
      },
    },
    { outcome: 'success' },
  ],
  'run/hosted-polling After a dropped socket the client continues by polling.': [
    {
      sockets: 1,
      steps: [message('executing', { node: '3' }), 'drop'],
      hosted: { words: ['executing', 'success'] },
    },
    { outcome: 'success' },
  ],
  'run/hosted-words No other word ends a job.': [
    {
      sockets: 0,
      hosted: {
        words: [...goingOn, 'success'],
      },
    },
    { outcome: 'success', reads: { words: 10 } },
  ],
  'run/hosted-failure A failed job without an error reports that of the socket.': [
    {
      steps: [
        message('execution_error', {
          exception_type: 'ValidationError',
          exception_message: 'bad',
          node_id: '3',
        }),
      ],
      hosted: { jobs: [jobOf('failed')] },
    },
    { error: { type: 'ValidationError', node: '3' } },
  ],
  'run/hosted-end The run ends without an executing null, and the client waits for the whole job.':
    [
      {
        steps: [message('execution_success')],
        hosted: { jobs: [null, jobOf('in_progress'), jobOf('completed')] },
      },
      {
        outcome: 'success',
        files: [{ filename: 'a.png' }],
        reads: { words: 0, jobs: 3 },
      },
    ],
  'run/hosted-refused A refusal that is not JSON is printed as it is.': [
    { hosted: {}, first: { '/prompt': [{ status: 403, body: 'go away' }] } },
    {
      outcome: 'refused',
      error: { message: 'The server refused the workflow: HTTP 403: go away' },
    },
  ],
  'run/hosted-refused Node errors of a hosted server are printed like those of a local one.': [
    {
      hosted: {},
      reply: { status: 400, json: { error: { type: 'x', message: 'Not valid' }, node_errors } },
    },
    {
      outcome: 'refused',
      error: {
        type: 'x',
        node_errors,
        message: expect.stringContaining('node 3 (KSampler): Bad'),
      },
    },
  ],
})

const ends = {
  completed: 'success',
  success: 'success',
  failed: 'failed',
  error: 'failed',
  non_retryable_error: 'failed',
  lost: 'failed',
  cancelled: 'interrupted',
  canceled: 'interrupted',
}

runs(
  Object.fromEntries(
    Object.entries(ends).map(([word, outcome]) => [
      `run/hosted-words The word ${word} ends a job as ${outcome}.`,
      [{ sockets: 0, hosted: { words: ['pending', word], jobs: [jobOf(word)] } }, { outcome }],
    ]),
  ),
)

prints({
  'run/hosted-failure A failed job reports its error, and keeps its earlier outputs.': [
    {
      steps: [message('execution_error', execution_error)],
      hosted: { jobs: [jobOf('failed', { execution_error })] },
    },
    ['--quiet'],
    {
      code: 1,
      stdout: 'output/a.png\n',
      stderr: 'The run failed at node 3 (KSampler): OOMError: full\n',
    },
  ],
})

test.each([
  [402, { error: { type: 'PAYMENT_REQUIRED', message: 'No funds.' } }, 'No funds.'],
  [403, { code: 'FORBIDDEN', message: 'The free tier ends here.' }, 'The free tier ends here.'],
  [429, { error: { type: 'QUEUE_LIMIT', message: 'Too many wait.' } }, 'Too many wait.'],
  [429, { error: 'slow down' }, 'slow down'],
  [400, { code: 'BAD_REQUEST', message: 'No prompt.' }, 'No prompt.'],
])(
  'run/hosted-refused A submit that is answered %i exits with 1 and says %o.',
  async (status, json, says) => {
    const server = await serveHosted({ reply: { status, json } })
    const argv = ['workflow.json', '--url', server.url, '--api-key', hostedKey]
    const stderr = `The server refused the workflow: ${says}\n`
    expect(await command(argv)).toMatchObject({ code: 1, stderr })
    expect(server.submits).toHaveLength(1)
  },
)

test('run/retry-after Every request that gets 429 with a time is sent again after it.', async () => {
  const again = [busy(429, '2'), busy(429, '1')]
  const first = {
    '/prompt': again,
    '/job/run-1/status': again,
    '/jobs/run-1': again,
    '/view': again,
  }
  const clock = testClock()
  const server = await serveHosted({ sockets: 0, first })
  const { result, events } = await runHosted(server, { clock })
  expect(result).toMatchObject({ outcome: 'success', files: [{ filename: 'a.png' }] })
  const hints = events.flatMap((event) => (event.kind === 'hint' ? [event.text] : []))
  expect(hints.filter((text) => text === 'The server requests a wait of 2 s.')).toHaveLength(4)
  expect(clock.now()).toBeGreaterThanOrEqual(12_000)
})

test('run/retry-after A time beyond a minute, no time, or a sixth one is a refusal; so is 503 for a submit.', async () => {
  for (const [answers, sent, outcome] of [
    [[busy(429, '61')], 1, 'refused'],
    [[busy(429, 'soon')], 1, 'refused'],
    [[{ status: 429 }], 1, 'refused'],
    [Array(9).fill(busy(429, '1')), 6, 'refused'],
    [[busy(503, '1')], 1, 'protocol'],
  ] as const) {
    const server = await serveHosted({ first: { '/prompt': answers } })
    expect((await runHosted(server)).result.outcome).toBe(outcome)
    expect(asked(server, '/prompt')).toHaveLength(sent)
  }
})
