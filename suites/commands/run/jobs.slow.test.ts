// The client follows the jobs of a hosted server: without a socket, in either vocabulary, despite rejected requests.

import { test } from 'vitest'
import { hostedKey, jobOf } from './misbehaving-hosted.ts'
import { message } from './misbehaving-server.ts'
import { asked, command, runHosted, serveHosted, testClock } from './harness.ts'
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
const busy = (status: number, seconds: string) => ({
  status,
  headers: { 'retry-after': seconds },
})

test('run/hosted-polling Without a socket the client polls the job until it ends.', async () => {
  const words = ['pending', 'in_progress', 'in_progress', 'completed']
  const server = await serveHosted({ sockets: 0, steps: [], hosted: { words } })
  const { result, events } = await runHosted(server)
  expect(result).toMatchObject({ outcome: 'success', files: [{ filename: 'a.png' }] })
  expect(server.reads).toMatchObject({ words: 4, jobs: 1, queue: 0, history: 0 })
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'hint', text: expect.stringContaining('403') as string }),
  )
})

test('run/hosted-polling A job that is unknown shortly after the submit is requested again.', async () => {
  const words = [null, null, 'completed']
  const jobs = [null, null, null, jobOf('in_progress'), jobOf('completed')]
  const server = await serveHosted({ sockets: 0, steps: [], hosted: { words, jobs } })
  expect((await runHosted(server)).result.outcome).toBe('success')
  expect(server.reads).toMatchObject({ words: 3, jobs: 5 })
})

test('run/hosted-polling A job that stays unknown is lost.', async () => {
  const server = await serveHosted({ sockets: 0, hosted: { words: [null], jobs: [null] } })
  const { result } = await runHosted(server)
  expect(result).toMatchObject({ outcome: 'protocol', error: { type: 'run_lost' } })
})

test('run/hosted-polling From a server without the short status the client requests the whole job.', async () => {
  const jobs = [jobOf('pending'), jobOf('in_progress'), jobOf('completed')]
  const server = await serveHosted({ sockets: 0, hosted: { words: [null], jobs } })
  expect((await runHosted(server)).result.outcome).toBe('success')
})

test('run/hosted-polling After a dropped socket the client continues by polling.', async () => {
  const steps = [message('executing', { node: '3' }), 'drop']
  const server = await serveHosted({
    sockets: 1,
    steps,
    hosted: { words: ['executing', 'success'] },
  })
  expect((await runHosted(server)).result.outcome).toBe('success')
})

test.each([
  ['completed', 'success'],
  ['success', 'success'],
  ['failed', 'failed'],
  ['error', 'failed'],
  ['non_retryable_error', 'failed'],
  ['lost', 'failed'],
  ['cancelled', 'interrupted'],
  ['canceled', 'interrupted'],
])('run/hosted-words The word %s ends a job as %s.', async (word, outcome) => {
  const hosted = { words: ['pending', word], jobs: [jobOf(word)] }
  const { result } = await runHosted(await serveHosted({ sockets: 0, hosted }))
  expect(result.outcome).toBe(outcome)
})

test('run/hosted-words No other word ends a job.', async () => {
  const words = ['submitted', 'queued_waiting', 'executing', 'executed', 'erroring']
  const more = ['cancel_requested', 'waiting_to_dispatch', 'later_word', 'constructor', 'success']
  const hosted = { words: [...words, ...more] }
  const server = await serveHosted({ sockets: 0, hosted })
  expect((await runHosted(server)).result.outcome).toBe('success')
  expect(server.reads.words).toBe(10)
})

test('run/hosted-failure A failed job reports its error, and keeps its earlier outputs.', async () => {
  const server = await serveHosted({
    steps: [message('execution_error', execution_error)],
    hosted: { jobs: [jobOf('failed', { execution_error })] },
  })
  const argv = ['workflow.json', '--url', server.url, '--api-key', hostedKey, '--quiet']
  const { code, stdout, stderr } = await command(argv)
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: 'output/a.png\n',
    stderr: 'The run failed at node 3 (KSampler): OOMError: full\n',
  })
})

test('run/hosted-failure A failed job without an error reports that of the socket.', async () => {
  const data = { exception_type: 'ValidationError', exception_message: 'bad', node_id: '3' }
  const steps = [message('execution_error', data)]
  const server = await serveHosted({ steps, hosted: { jobs: [jobOf('failed')] } })
  expect((await runHosted(server)).result.error).toMatchObject({
    type: 'ValidationError',
    node: '3',
  })
})

test('run/hosted-end The run ends without an executing null, and the client waits for the whole job.', async () => {
  const jobs = [null, jobOf('in_progress'), jobOf('completed')]
  const server = await serveHosted({ steps: [message('execution_success')], hosted: { jobs } })
  const { result } = await runHosted(server)
  expect(result).toMatchObject({ outcome: 'success', files: [{ filename: 'a.png' }] })
  expect(server.reads).toMatchObject({ words: 0, jobs: 3 })
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
    const { code, stderr } = await command(argv)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `The server refused the workflow: ${says}\n`,
    })
    expect(server.submits).toHaveLength(1)
  },
)

test('run/hosted-refused A refusal that is not JSON is printed as it is.', async () => {
  const server = await serveHosted({ first: { '/prompt': [{ status: 403, body: 'go away' }] } })
  const { result } = await runHosted(server)
  expect({ outcome: result.outcome, message: result.error?.message }).toEqual({
    outcome: 'refused',
    message: 'The server refused the workflow: HTTP 403: go away',
  })
})

test('run/hosted-refused Node errors of a hosted server are printed like those of a local one.', async () => {
  const node_errors = { '3': { class_type: 'KSampler', errors: [{ message: 'Bad' }] } }
  const json = { error: { type: 'x', message: 'Not valid' }, node_errors }
  const { result } = await runHosted(await serveHosted({ reply: { status: 400, json } }))
  expect(result).toMatchObject({ outcome: 'refused', error: { type: 'x', node_errors } })
  expect(result.error?.message).toContain('node 3 (KSampler): Bad')
})

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
