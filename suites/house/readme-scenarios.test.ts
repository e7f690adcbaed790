// What the README shows of scenarios does what it says: each line of its table, and both tests as they are printed.

import { execFile, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Emulator, startEmulator } from 'flowdouble'
import { textToImage } from '../generate/graphs.ts'
import { isLong } from '../support/effort.ts'
import { folder } from '../support/folder.ts'

const root = join(import.meta.dirname, '..', '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const picture = readFileSync(join(root, 'recordings', 'run.png'))

/** A server on the line of the table that begins with these words. */
async function serverOn(words: string): Promise<Emulator> {
  const [, line] = new RegExp(`^\\| ${words} +\\| \`(.*)\` +\\|$`, 'm').exec(readme) ?? []
  if (line === undefined) throw new Error(`The README has no line for ${words}.`)
  const place = folder()
  writeFileSync(join(place, 'cat.png'), picture)
  const scenario = join(place, 'scenario.yaml')
  writeFileSync(scenario, `version: 1\n${line}\n`)
  const server = await startEmulator({ clock: 'instant', scenario })
  onTestFinished(() => server.close())
  return server
}

/** Runs a workflow to its end, and returns its entry in the history. */
async function run({ url }: Emulator, client_id = 'me'): Promise<any> {
  const body = JSON.stringify({ prompt: textToImage(1, 5), client_id })
  const submitted = await fetch(`${url}/prompt`, { method: 'POST', body })
  const { prompt_id } = (await submitted.json()) as { prompt_id: string }
  const history = (await (await fetch(`${url}/history/${prompt_id}`)).json()) as any
  return history[prompt_id]
}

type Session = {
  readonly steps: readonly number[]
  readonly closed: Promise<unknown>
  readonly socket: WebSocket
}

/** A socket of the client `me`: the progress values that it receives, and the code with which it closes. */
async function connect({ url }: Emulator): Promise<Session> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=me`)
  const steps: number[] = []
  socket.on('message', (text: Buffer, isBinary) => {
    const { type, data } = isBinary ? { type: 'preview' } : JSON.parse(text.toString())
    if (type === 'progress') steps.push(data.value)
  })
  // A connection that is reset is an error too.
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.on('close', resolve))
  await new Promise((resolve) => socket.on('open', resolve))
  return { steps, closed, socket }
}

test('a run fails at step 3', async () => {
  const server = await serverOn('a run that fails at step 3')
  const { steps, socket, closed } = await connect(server)
  const { status } = await run(server)
  expect(status.messages.at(-1)).toMatchObject([
    'execution_error',
    { node_type: 'KSampler', exception_type: 'torch.OutOfMemoryError' },
  ])
  socket.close()
  await closed
  expect(steps).toEqual([1, 2, 3])
})

test('a node has a picture of the user', async () => {
  const server = await serverOn('your own picture for a node')
  const { outputs } = await run(server)
  const [{ images }] = Object.values<any>(outputs)
  const view = await fetch(`${server.url}/view?${new URLSearchParams(images[0]).toString()}`)
  expect(Buffer.from(await view.arrayBuffer())).toEqual(picture)
})

test('a custom node runs', async () => {
  const { url } = await serverOn('a custom node')
  const prompt = { '1': { class_type: 'Shout', inputs: { text: 'hello' } } }
  const submitted = await fetch(`${url}/prompt`, {
    method: 'POST',
    body: JSON.stringify({ prompt }),
  })
  const { prompt_id } = (await submitted.json()) as { prompt_id: string }
  const history = (await (await fetch(`${url}/history/${prompt_id}`)).json()) as any
  expect(history[prompt_id].status.status_str).toBe('success')
})

test('a socket drops in mid-run', async () => {
  const server = await serverOn('a socket that drops in mid-run')
  const { steps, closed } = await connect(server)
  const { status } = await run(server)
  expect(await closed).toBe(1006)
  expect(steps).toEqual([1, 2, 3, 4])
  expect(status.status_str).toBe('success')
})

test('an answer takes its time', async () => {
  const server = await serverOn('an answer that takes its time')
  const { headers } = await fetch(`${server.url}/history/none`)
  expect(headers.get('date')).toBe('Thu, 01 Jan 2026 00:00:02 GMT')
})

test('a submit is limited once', async () => {
  const { url } = await serverOn('503 or 429 with Retry-After')
  const submit = () =>
    fetch(`${url}/prompt`, { method: 'POST', body: JSON.stringify({ prompt: textToImage(1) }) })
  const { status, headers } = await submit()
  expect([status, headers.get('retry-after')]).toEqual([429, '2'])
  expect((await submit()).status).toBe(200)
})

test('a body is cut off', async () => {
  const { url } = await serverOn('a body that is cut off')
  const view = await fetch(`${url}/view?filename=example.png&type=input`)
  expect(view.status).toBe(200)
  await expect(view.arrayBuffer()).rejects.toThrow('terminated')
})

test('runs of others are in the queue', async () => {
  const { url } = await serverOn('runs of others in the queue')
  const queue = (await (await fetch(`${url}/queue`)).json()) as any
  expect([queue.queue_running.length, queue.queue_pending.length]).toEqual([1, 2])
})

test('there is a history', async () => {
  const { url } = await serverOn('a history')
  const history = (await (await fetch(`${url}/history`)).json()) as any
  const states = Object.values<any>(history).map(({ status }) => status.status_str)
  expect(states.filter((state) => state === 'success')).toHaveLength(20)
  expect(states.filter((state) => state === 'error')).toHaveLength(1)
})

test('a test adds a fault, lists what was received, and starts anew', async () => {
  const server = await startEmulator({ clock: 'instant' })
  onTestFinished(() => server.close())
  server.fault({ when: { path: '/queue' }, then: { status: 500 } })
  expect((await fetch(`${server.url}/queue`)).status).toBe(500)
  await run(server)
  expect(await server.requests({ path: '/prompt' })).toMatchObject([
    { method: 'POST', status: 200 },
  ])
  await server.reset()
  expect(await server.requests()).toEqual([])
  expect(await (await fetch(`${server.url}/history`)).json()).toEqual({})
})

/** The block of the README in this language that contains this text. */
function blockOf(language: string, text: string): string {
  const blocks = [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))]
  const found = blocks.map(([, block = '']) => block).find((block) => block.includes(text))
  if (found === undefined) throw new Error(`The README has no ${text}.`)
  return found
}

/** A folder below dist, where the package finds itself, with the example client and a workflow. */
function folderWith(client: string): string {
  const place = join(root, 'dist', 'readme', client)
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  cpSync(join(root, 'recordings', 'examples', client), join(place, client))
  cpSync(join(root, 'recordings/workflows/text-to-image.json'), join(place, 'workflow.json'))
  return place
}

const start = promisify(execFile)

test('the test for vitest passes as it is printed', async () => {
  const cwd = folderWith('client.ts')
  writeFileSync(join(cwd, 'client.test.ts'), blockOf('ts', 'flowdouble/vitest'))
  writeFileSync(join(cwd, 'vitest.config.mjs'), 'export default {}')
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { stdout } = await start(process.execPath, [vitest, 'run', '--root', '.'], { cwd })
  expect(stdout).toContain('1 passed')
})

/** Only the nightly command expects more of the machine than Node. */
const hasPytest =
  isLong && spawnSync('python3', ['-c', 'import pytest, requests, websocket']).status === 0

test.skipIf(!hasPytest)('the test for pytest passes as it is printed', async () => {
  const cwd = folderWith('client.py')
  writeFileSync(join(cwd, 'test_client.py'), blockOf('py', 'pytest.fixture'))
  // As `npm install flowdouble` leaves it.
  const commands = join(cwd, 'node_modules', '.bin')
  mkdirSync(commands, { recursive: true })
  const command = join(root, 'dist/bundle/main.cjs')
  chmodSync(command, 0o755)
  symlinkSync(command, join(commands, 'flowdouble'))
  const { stdout } = await start('python3', ['-m', 'pytest', '-q'], { cwd })
  expect(stdout).toContain('1 passed')
})
