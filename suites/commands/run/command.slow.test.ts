// The command `flowdouble run`: flags, exit codes, and what it prints where.

import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'vitest'
import { unreachable } from '../../../dist/emulator/internal.js'
import {
  end,
  entryOf,
  failedWith,
  message,
  succeeded,
  startMisbehaving,
} from './misbehaving-server.ts'
import { command, prints, runOn, runs, testClock } from './harness.ts'
import { expect } from '../../judge/expect.ts'
import { listening } from '../../support/for-test.ts'
import { refusals } from '../../support/in-process.ts'

const invalid = {
  '3': {
    errors: [{ type: 'value_not_in_list', message: 'Value not in list', details: "name: 'x'" }],
    dependent_outputs: ['9'],
    class_type: 'KSampler',
  },
}
const halfValid = {
  status: 200,
  json: { prompt_id: 'run-1', number: 1, node_errors: invalid },
}
const steps = [
  message('executing', { node: '3' }),
  message('progress', { node: '3', value: 10, max: 20 }),
  message('progress', { node: '3', value: 20, max: 20 }),
  ...succeeded,
]
const states = [1, 2].map((value) => {
  const state = value === 2 ? 'finished' : 'running'
  return message('progress_state', { nodes: { '3': { value, max: 2, state } } })
})
/** Two nodes run side by side: the start of one does not finish the other. */
const parallel = [
  states[0],
  message('executing', { node: '3' }),
  message('executing', { node: '4' }),
  states[1],
  states[1],
  ...succeeded,
].filter((step) => step !== undefined)
const file = ['workflow.json']

prints({
  'run/exit-0 A successful run prints the paths of its files and exits with 0.': [
    { entry: entryOf({ '9': { images: [{ filename: 'a.png' }], text: 'hi' } }) },
    ['--out', 'made'],
    { code: 0, stdout: 'made/a.png\ntext of node 9: hi\n' },
  ],
  'run/exit-1-failed A failed run says where and why and exits with 1.': [
    {
      steps: [end],
      entry: entryOf(
        {},
        failedWith({
          node_id: '3',
          node_type: 'KSampler',
          exception_type: 'OOM',
          exception_message: 'full',
        }),
      ),
    },
    ['--quiet'],
    { code: 1, stderr: 'The run failed at node 3 (KSampler): OOM: full\n' },
  ],
  'run/exit-1-refused A rejected workflow prints each node error in readable form and exits with 1.':
    [
      {
        reply: {
          status: 400,
          json: {
            error: { message: 'Prompt outputs failed validation' },
            node_errors: invalid,
            prompt_id: 'run-1',
          },
        },
      },
      [],
      {
        code: 1,
        stderr:
          'The server refused the workflow: Prompt outputs failed validation\n' +
          "  node 3 (KSampler): Value not in list: name: 'x'\n",
      },
    ],
  'run/half-valid An accepted workflow with node errors runs, warns, and ends as its run does.': [
    { reply: halfValid },
    ['--quiet'],
    {
      code: 0,
      stderr: expect.stringContaining(
        'warning: A part of the workflow is invalid and will not run:\n  node 3 (KSampler)',
      ),
    },
  ],
  'run/exit-3-protocol A server that rejects the socket is named; exit code 3.': [
    { sockets: 0, queueReads: 0, entry: null },
    [],
    { code: 3, stderr: expect.stringContaining('403') },
  ],
  'run/exit-3-protocol A server that sends invalid answers is named; exit code 3.': [
    { reply: { status: 500, json: 'oops' } },
    [],
    { code: 3, stderr: expect.stringContaining('500: "oops"') },
  ],
  'run/progress-lines A pipe gets one line for each finished node, fed by progress and executing.':
    [{ steps }, [], { stderr: 'submitted run-1\ndone  Sampler (3)  20/20\n' }],
  'run/progress-lines A pipe gets one line for each finished node, fed by progress_state.': [
    { steps: parallel },
    [],
    { stderr: 'submitted run-1\ndone  Sampler (3)  2/2\n' },
  ],
  'run/progress-lines With --quiet a pipe gets no line.': [{ steps }, ['--quiet'], { stderr: '' }],
  'run/progress-bars A terminal that reports a width of 0 counts as 80 wide.': [
    { steps },
    [],
    { stderr: expect.stringContaining('[############............]  50%  Sampler (3)  10/20') },
    { terminal: 0, env: { NO_COLOR: '1' } },
  ],
  'run/steers-no-terminal Control characters from a server do not reach the terminal.': [
    { entry: entryOf({ '9': { text: ['a\u001b[2Jb'] } }) },
    [],
    { stdout: 'text of node 9: a[2Jb\n' },
  ],
})

runs({
  'run/accepted-and-never-run An accepted workflow with node errors that never runs counts as rejected.':
    [
      { reply: halfValid, steps: [], entry: null },
      { outcome: 'refused', error: { node_errors: invalid } },
    ],
})

const key = { KEY: 'key' }
refusals((...argv) => command(argv, { env: key }), {
  'run/exit-2 An unknown flag': [[...file, '--colour'], /Unknown option '--colour'/],
  'run/exit-2 No workflow': [[], /name a file in API format/],
  'run/exit-2 Two workflows': [['a.json', 'b.json'], /remove b.json/],
  'run/exit-2 A bad time': [[...file, '--timeout', 'soon'], /not soon/],
  'run/exit-2 A bad address': [[...file, '--url', 'ftp://x'], /http:\/\/host:port/],
  'run/exit-2 An unset variable': [[...file, '--partner-key-env', 'NONE'], /NONE/],
  'run/exit-2 A missing file': [['missing.json'], /ENOENT/],
  'run/exit-2 Both ways to give a key': [
    [...file, '--api-key', 'k', '--api-key-env', 'KEY'],
    /not both/,
  ],
  'run/exit-2 An unset variable of a key': [
    [...file, '--api-key-env', 'NONE'],
    /NONE \(--api-key-env\) is not set/,
  ],
  'run/exit-2 A key of two words': [
    [...file, '--api-key', 'SECRET WORDS'],
    /not valid in a header/,
  ],
  'run/exit-2 An empty key': [[...file, '--api-key', ''], /The API key is empty/],
  'run/exit-2 Another deployment': [[...file, '--deployment', 'both'], /local or hosted, not both/],
})

test.each([
  ['no JSON', '{"a": ', 'is not valid JSON (line 1, column 7)'],
  ['a list', '[]', 'must contain an object of nodes'],
  ['the format of the editor', '{"nodes": [], "links": []}', 'Export it in API format'],
  ['the format of the editor in a request', '{"prompt": {"nodes": []}}', 'Export it in API format'],
])('run/exit-2-workflow The command exits with 2 for a file with %s.', async (_, text, part) => {
  const stderr = expect.stringContaining(part)
  expect(await command(file, { text })).toMatchObject({ code: 2, stderr })
})

test('run/exit-3 Without a server the command says how to start one and exits with 3; the address has no user, password and token.', async () => {
  const { url, close } = await listening(createServer())
  await close()
  const { port } = new URL(url)
  expect(
    await command([...file, '--url', `${url.replace('//', '//me:pass@')}/?token=tok`]),
  ).toMatchObject({
    code: 3,
    stderr: `Cannot reach ${url} (ECONNREFUSED): start one with: flowdouble serve --port ${port}\n`,
  })
})

const trust = 'if its certificate is your own, name it with NODE_EXTRA_CA_CERTS=FILE'
test.each([
  ['http://host', 'ECONNRESET', 'does it speak HTTPS?'],
  ['http://host', 'UND_ERR_SOCKET', 'does it speak HTTPS?'],
  ['https://host', 'ECONNRESET', 'is it still there?'],
  ['https://host', 'ERR_SSL_WRONG_VERSION_NUMBER', 'does it speak HTTP?'],
  ['https://host', 'DEPTH_ZERO_SELF_SIGNED_CERT', trust],
  ['http://127.0.0.1:8188', 'ECONNREFUSED', 'start one with: flowdouble serve'],
  ['http://localhost:8189', 'ECONNREFUSED', 'start one with: flowdouble serve --deployment both'],
  ['http://10.0.0.1:8188', 'ECONNREFUSED', 'nothing listens there: check host and port'],
  ['http://nowhere', 'ENOTFOUND', 'check --url.', 'No such host in'],
  ['http://nowhere', 'EAI_AGAIN', 'check --url.', 'No such host in'],
])(
  'run/exit-3 A server at %s that ends with %s: %s',
  (origin, code, says, begins = 'Cannot reach') => {
    const broken = Object.assign(new Error('fetch failed'), { code })
    expect(unreachable(origin, broken).message).toBe(`${begins} ${origin} (${code}): ${says}`)
  },
)

test('run/exit-4 The limit ends the wait and reports that the server continues.', async () => {
  const clock = testClock()
  const server = await startMisbehaving({ steps: [], queueReads: 9 })
  const onEvent = ({ kind }: { kind: string }) =>
    kind === 'submitted' && setImmediate(clock.pass, 60_000)
  const { result } = await runOn(server, { clock, timeoutMs: 60_000, onEvent })
  const message = expect.stringContaining('No end within 60 s. The server continues the run run-1.')
  expect(result).toMatchObject({ outcome: 'timeout', prompt_id: 'run-1', error: { message } })
})

test('run/json The result is one object on stdout, and progress is on stderr.', async () => {
  const { url } = await startMisbehaving({ steps })
  const { code, stdout, stderr, cwd } = await command(['workflow.json', '--url', url, '--json'])
  expect(code).toBe(0)
  const file = { node: '9', filename: 'a.png', subfolder: '', type: 'output', bytes: 15 }
  const files = [{ ...file, path: join(cwd, 'output', 'a.png') }]
  expect(JSON.parse(stdout)).toEqual({ prompt_id: 'run-1', outcome: 'success', files, texts: [] })
  expect(stderr).toBe('submitted run-1\ndone  Sampler (3)  20/20\n')
})

test('run/json-error A usage error of the workflow is an object on stdout as well.', async () => {
  const { stdout } = await command([...file, '--json'], { text: '7' })
  expect(JSON.parse(stdout)).toMatchObject({
    prompt_id: null,
    outcome: 'usage',
    error: { type: 'usage' },
  })
})

test('run/progress-bars A terminal gets a moving bar, coloured unless NO_COLOR is set.', async () => {
  const { url } = await startMisbehaving({ steps })
  const argv = ['workflow.json', '--url', url]
  const plain = await command(argv, { terminal: 60, env: { NO_COLOR: '1' } })
  expect(plain.stderr).toContain('\r\u001b[2K[############............]  50%  Sampler (3)  10/20')
  expect(plain.stderr).not.toContain('\u001b[3')
  const widths = plain.stderr
    .replaceAll('\r\u001b[2K', '\n')
    .split('\n')
    .map((line) => line.length)
  expect(Math.max(...widths)).toBeLessThan(60)
  expect((await command(argv, { terminal: 60 })).stderr).toContain('\u001b[36m[###')
})

test('run/partner-key The key of the variable is sent in extra_data and printed nowhere.', async () => {
  const server = await startMisbehaving({
    entry: entryOf({ '9': { text: ['you sent partner-secret'] } }),
  })
  const argv = [...file, '--url', server.url, '--json', '--partner-key-env', 'KEY']
  const { stdout, stderr } = await command(argv, { env: { KEY: 'partner-secret' } })
  expect(JSON.parse(server.submits[0] ?? '')).toMatchObject({
    extra_data: { api_key_partner_org: 'partner-secret' },
  })
  expect(stdout).toContain('you sent ***')
  expect(stdout + stderr).not.toContain('partner-secret')
})

test('run/help The help names every flag and exit code.', async () => {
  const flags = ['--url', '--out', '--client-id', '--timeout', '--partner-key-env', '--api-key']
  const { code, stdout } = await command(['--help'])
  expect(code).toBe(0)
  for (const flag of [...flags, '--api-key-env', '--deployment', '--json', '--quiet'])
    expect(stdout).toContain(flag)
  expect(stdout).toMatch(/Exit codes:(\n {2}[0-4] {2}.+){5}\n/)
})
