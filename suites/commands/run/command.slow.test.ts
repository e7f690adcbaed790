// The command `flowdouble run`: flags, exit codes, and what it prints where.

import { join } from 'node:path'
import { test } from 'vitest'
import { unreachable } from '../../../dist/emulator/internal.js'
import { end, entryOf, message, succeeded } from './misbehaving-server.ts'
import { command, runOn, serve, testClock } from './harness.ts'
import { expect } from '../../judge/expect.ts'

const invalid = {
  '3': {
    errors: [{ type: 'value_not_in_list', message: 'Value not in list', details: "name: 'x'" }],
    dependent_outputs: ['9'],
    class_type: 'KSampler',
  },
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
const partner = { argv: ['--partner-key-env', 'KEY'], env: { KEY: 'partner-secret' } }

test('run/exit-0 A successful run prints the paths of its files and exits with 0.', async () => {
  const { url } = await serve({
    entry: entryOf({ '9': { images: [{ filename: 'a.png' }], text: 'hi' } }),
  })
  const { code, stdout } = await command(['workflow.json', '--url', url, '--out', 'made'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'made/a.png\ntext of node 9: hi\n' })
})

test('run/exit-1-failed A failed run says where and why and exits with 1.', async () => {
  const error = {
    node_id: '3',
    node_type: 'KSampler',
    exception_type: 'OOM',
    exception_message: 'full',
  }
  const status = { status_str: 'error', completed: false, messages: [['execution_error', error]] }
  const { url } = await serve({ steps: [end], entry: { outputs: {}, status } })
  const { code, stderr } = await command(['workflow.json', '--url', url, '--quiet'])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'The run failed at node 3 (KSampler): OOM: full\n',
  })
})

test('run/exit-1-refused A rejected workflow prints each node error in readable form and exits with 1.', async () => {
  const error = {
    type: 'prompt_outputs_failed_validation',
    message: 'Prompt outputs failed validation',
  }
  const { url } = await serve({
    reply: { status: 400, json: { error, node_errors: invalid, prompt_id: 'run-1' } },
  })
  const { code, stderr } = await command(['workflow.json', '--url', url])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'The server refused the workflow: Prompt outputs failed validation\n' +
      "  node 3 (KSampler): Value not in list: name: 'x'\n",
  })
})

test('run/half-valid An accepted workflow with node errors runs, warns, and ends as its run does.', async () => {
  const json = { prompt_id: 'run-1', number: 1, node_errors: invalid }
  const { url } = await serve({ reply: { status: 200, json } })
  const { code, stderr } = await command(['workflow.json', '--url', url, '--quiet'])
  expect(code).toBe(0)
  expect(stderr).toContain(
    'warning: A part of the workflow is invalid and will not run:\n  node 3 (KSampler)',
  )
})

test('run/accepted-and-never-run An accepted workflow with node errors that never runs counts as rejected.', async () => {
  const json = { prompt_id: 'run-1', number: 1, node_errors: invalid }
  const server = await serve({ reply: { status: 200, json }, steps: [], entry: null })
  expect((await runOn(server)).result).toMatchObject({
    outcome: 'refused',
    error: { node_errors: invalid },
  })
})

test.each([
  ['an unknown flag', ['workflow.json', '--colour'], "Unknown option '--colour'"],
  ['no workflow', [], 'name a file in API format'],
  ['two workflows', ['a.json', 'b.json'], 'remove b.json'],
  ['a bad time', ['workflow.json', '--timeout', 'soon'], 'not soon'],
  ['a bad address', ['workflow.json', '--url', 'ftp://x'], 'http://host:port'],
  ['an unset variable', ['workflow.json', '--partner-key-env', 'NONE'], 'NONE'],
  ['a missing file', ['missing.json'], 'ENOENT'],
])('run/exit-2 The command exits with 2 for %s.', async (_, argv, part) => {
  const { code, stderr, stdout } = await command(argv)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(part)
})

test.each([
  ['no JSON', '{"a": ', 'is not valid JSON (line 1, column 7)'],
  ['a list', '[]', 'must contain an object of nodes'],
  ['the format of the editor', '{"nodes": [], "links": []}', 'Export it in API format'],
  ['the format of the editor in a request', '{"prompt": {"nodes": []}}', 'Export it in API format'],
])('run/exit-2-workflow The command exits with 2 for a file with %s.', async (_, text, part) => {
  const { code, stderr } = await command(['workflow.json'], { text })
  expect(code).toBe(2)
  expect(stderr).toContain(part)
})

test('run/exit-3 Without a server the command says how to start one and exits with 3.', async () => {
  const server = await serve()
  await server.close()
  const { code, stderr } = await command(['workflow.json', '--url', server.url])
  expect(code).toBe(3)
  expect(stderr).toBe(
    `Cannot reach ${server.url} (ECONNREFUSED): start one with: flowdouble serve --port ${new URL(server.url).port}\n`,
  )
})

test.each([
  ['http://host', 'ECONNRESET', 'does it speak HTTPS?'],
  ['http://host', 'UND_ERR_SOCKET', 'does it speak HTTPS?'],
  ['https://host', 'ECONNRESET', 'is it still there?'],
  ['https://host', 'ERR_SSL_WRONG_VERSION_NUMBER', 'does it speak HTTP?'],
  ['http://127.0.0.1:8188', 'ECONNREFUSED', 'start one with: flowdouble serve'],
  ['http://localhost:8189', 'ECONNREFUSED', 'start one with: flowdouble serve --deployment both'],
  ['http://10.0.0.1:8188', 'ECONNREFUSED', 'nothing listens there: check host and port'],
])('run/exit-3 A server at %s that ends with %s: %s', (origin, code, says) => {
  const broken = Object.assign(new Error('fetch failed'), { code })
  expect(unreachable(origin, broken).message).toBe(`Cannot reach ${origin} (${code}): ${says}`)
})

test.each(['ENOTFOUND', 'EAI_AGAIN'])('run/exit-3 A host without an address: %s.', (code) => {
  const broken = Object.assign(new Error('fetch failed'), { code })
  expect(unreachable('http://nowhere', broken).message).toBe(
    `No such host in http://nowhere (${code}): check --url.`,
  )
})

test('run/exit-3 A certificate that is not trusted is reported, with a way to trust it.', () => {
  const untrusted = Object.assign(new Error('fetch failed'), {
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
  expect(unreachable('https://host', untrusted).message).toBe(
    'Cannot reach https://host (DEPTH_ZERO_SELF_SIGNED_CERT): ' +
      'if its certificate is your own, name it with NODE_EXTRA_CA_CERTS=FILE',
  )
})

test('run/exit-3-protocol A server that rejects the socket or sends invalid answers is named; exit code 3.', async () => {
  const refusing = await serve({ sockets: 0 })
  expect((await command(['workflow.json', '--url', refusing.url])).stderr).toContain('403')
  const { url } = await serve({ reply: { status: 500, json: 'oops' } })
  const { code, stderr } = await command(['workflow.json', '--url', url])
  expect({ code, stderr }).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('500: "oops"') as string,
  })
})

test('run/exit-4 The limit ends the wait and reports that the server continues.', async () => {
  const clock = testClock()
  const server = await serve({ steps: [], queueReads: 9 })
  const onEvent = ({ kind }: { kind: string }) =>
    kind === 'submitted' && setImmediate(clock.pass, 60_000)
  const { result } = await runOn(server, { clock, timeoutMs: 60_000, onEvent })
  expect(result).toMatchObject({ outcome: 'timeout', prompt_id: 'run-1' })
  expect(result.error?.message).toContain('No end within 60 s. The server continues the run run-1.')
})

test('run/json The result is one object on stdout, and progress is on stderr.', async () => {
  const { url } = await serve({ steps })
  const { code, stdout, stderr, cwd } = await command(['workflow.json', '--url', url, '--json'])
  expect(code).toBe(0)
  const file = { node: '9', filename: 'a.png', subfolder: '', type: 'output', bytes: 15 }
  const files = [{ ...file, path: join(cwd, 'output', 'a.png') }]
  expect(JSON.parse(stdout)).toEqual({ prompt_id: 'run-1', outcome: 'success', files, texts: [] })
  expect(stderr).toBe('submitted run-1\ndone  Sampler (3)  20/20\n')
})

test('run/json-error A usage error of the workflow is an object on stdout as well.', async () => {
  const { stdout } = await command(['workflow.json', '--json'], { text: '7' })
  expect(JSON.parse(stdout)).toMatchObject({
    prompt_id: null,
    outcome: 'usage',
    error: { type: 'usage' },
  })
})

test.each([
  ['progress and executing', steps],
  ['progress_state', parallel],
])(
  'run/progress-lines A pipe gets one line for each finished node, fed by %s.',
  async (_, sent) => {
    const { url } = await serve({ steps: sent })
    const { stderr } = await command(['workflow.json', '--url', url])
    expect(stderr).toMatch(/^submitted run-1\ndone {2}Sampler \(3\) {2}(20\/20|2\/2)\n$/)
    expect((await command(['workflow.json', '--url', url, '--quiet'])).stderr).toBe('')
  },
)

test('run/progress-bars A terminal gets a moving bar, coloured unless NO_COLOR is set.', async () => {
  const { url } = await serve({ steps })
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

test('run/progress-bars A terminal that reports a width of 0 counts as 80 wide.', async () => {
  const { url } = await serve({ steps })
  const argv = ['workflow.json', '--url', url]
  const { stderr } = await command(argv, { terminal: 0, env: { NO_COLOR: '1' } })
  expect(stderr).toContain('[############............]  50%  Sampler (3)  10/20')
})

test('run/steers-no-terminal Control characters from a server do not reach the terminal.', async () => {
  const output = { text: ['a\u001b[2Jb'] }
  const { url } = await serve({ entry: entryOf({ '9': output }) })
  const { stdout } = await command(['workflow.json', '--url', url])
  expect(stdout).toBe('text of node 9: a[2Jb\n')
})

test('run/partner-key The key of the variable is sent in extra_data and printed nowhere.', async () => {
  const text = [`you sent ${partner.env.KEY}`]
  const server = await serve({ entry: entryOf({ '9': { text } }) })
  const argv = ['workflow.json', '--url', server.url, '--json', ...partner.argv]
  const { stdout, stderr } = await command(argv, partner)
  expect(JSON.parse(server.submits[0] ?? '')).toMatchObject({
    extra_data: { api_key_partner_org: 'partner-secret' },
  })
  expect(stdout).toContain('you sent ***')
  expect(stdout + stderr).not.toContain('partner-secret')
})

test('run/hidden-credentials An address is printed without user, password and token.', async () => {
  const server = await serve()
  await server.close()
  const url = `${server.url.replace('//', '//me:pass@')}/?token=tok`
  const { stderr } = await command(['workflow.json', '--url', url])
  expect(stderr).toContain(server.url)
  expect(stderr).not.toMatch(/me:|pass|tok/)
})

test('run/help The help names every flag and exit code.', async () => {
  const { code, stdout } = await command(['--help'])
  expect(code).toBe(0)
  for (const flag of [
    '--url',
    '--out',
    '--client-id',
    '--timeout',
    '--partner-key-env',
    '--api-key',
    '--api-key-env',
    '--deployment',
    '--json',
    '--quiet',
  ]) {
    expect(stdout).toContain(flag)
  }
  expect(stdout).toMatch(/Exit codes:(\n {2}[0-4] {2}.+){5}\n/)
})
