// A session that Chromium has recorded, with Playwright: of a page that talks to a server, as users record theirs.

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator, startReplay } from 'flowdouble'
import { chromium } from 'playwright-core'
import { test } from 'vitest'
import { readRecording, runWorkflow } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { runRecord } from '../../support/recordings/recording.ts'
import { textToImage } from '../../support/spawned.ts'
import { folder } from '../../support/folder.ts'
import { newFiles, type Result } from '../../support/files.ts'

const workflow = readFileSync(textToImage, 'utf8')
const isInstalled = spawnSync('chromium', ['--version']).status === 0
const key = 'q7Zr0xP4mWv9LsT2bHy6NcD8'

/**
 * Uploads, submits, and reads the outputs when the socket reports the end. It runs in a page as it is written, and so
 * uses nothing from outside. Returns the name of the file.
 */
async function session({
  url,
  prompt,
  secret,
  isHosted,
}: Readonly<Record<'url' | 'prompt' | 'secret', string>> & {
  readonly isHosted: boolean
}): Promise<string> {
  const base = isHosted ? `${url}/api` : url
  const credentials: Record<string, string> = isHosted ? { 'X-API-Key': secret } : {}
  const ask = (path: string, { headers, ...init }: RequestInit = {}): Promise<Response> =>
    fetch(base + path, { ...init, headers: { ...credentials, ...(headers as object) } })
  const json = async (path: string, init: RequestInit = {}): Promise<any> =>
    (await ask(path, init)).json()
  const token = isHosted ? `&token=${secret}` : ''
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=page${token}`)
  socket.binaryType = 'arraybuffer'
  const happens = (name: string, isIt = (_: any): boolean => true): Promise<unknown> =>
    new Promise((resolve) => {
      socket.addEventListener(name, (event) => {
        if (isIt((event as MessageEvent).data)) resolve(event)
      })
    })
  const ended = happens(
    'message',
    (data) => typeof data === 'string' && JSON.parse(data).type === 'execution_success',
  )
  await happens('open')
  const form = new FormData()
  form.set('image', new Blob([Uint8Array.of(0, 255, 10)]), 'my.bin')
  await json('/upload/image', { method: 'POST', body: form })
  const { prompt_id } = await json('/prompt', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: `{"client_id":"page","extra_data":{"api_key_comfy_org":"${secret}"},"prompt":${prompt}}`,
  })
  await ended
  const entry = isHosted
    ? await json(`/jobs/${prompt_id}`)
    : (await json(`/history/${prompt_id}`))[prompt_id]
  const [file] = Object.values<any>(entry.outputs).flatMap(({ images }) => images)
  await (await ask(`/view?${new URLSearchParams(file).toString()}`)).arrayBuffer()
  const closed = happens('close')
  socket.close()
  await closed
  return file.filename as string
}

/** Where a page is, and what it talks to. */
type Stage = { readonly deployment: 'local' | 'hosted'; readonly isElsewhere: boolean }

/** Records the session of a page with a new world in a file, and returns the name of the output. */
async function record(path: string, { deployment, isElsewhere }: Stage): Promise<string> {
  const emulator = await startEmulator({
    port: 0,
    clock: 'instant',
    preview: 'jpeg',
    deployment,
    ...(isElsewhere && { cors: '*' }),
    ...(deployment === 'hosted' && { accounts: [{ user: 'page', keys: [key], tier: 'pro' }] }),
  })
  const other = await startEmulator({ port: 0 })
  const executablePath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim()
  const args = ['--no-sandbox', '--disable-gpu']
  const browser = await chromium.launch({ executablePath, args })
  try {
    const context = await browser.newContext({ recordHar: { path, content: 'embed' } })
    const page = await context.newPage()
    const prefix = deployment === 'hosted' ? '/api' : ''
    await page.goto(isElsewhere ? `${other.url}/features` : `${emulator.url}${prefix}/system_stats`)
    const filename = await page.evaluate(session, {
      url: emulator.url,
      prompt: workflow,
      secret: key,
      isHosted: deployment === 'hosted',
    })
    await context.close()
    return filename
  } finally {
    await browser.close()
    await emulator.close()
    await other.close()
  }
}

async function checked(file: string): Promise<Result> {
  const result = await newFiles().check('--trace', file, '--json')
  expect([result.code, result.stderr]).toEqual([0, ''])
  return result
}

const stages = [
  ['of a local server', { deployment: 'local', isElsewhere: false }],
  ['of another origin with a local server', { deployment: 'local', isElsewhere: true }],
  ['of a hosted server', { deployment: 'hosted', isElsewhere: false }],
] as const satisfies readonly (readonly [string, Stage])[]

for (const [what, stage] of stages)
  test(`recordings/chromium The session of a page ${what} can be judged, replayed, and freed of its key.`, async ({
    skip,
  }) => {
    skip(!isInstalled, 'The command chromium is not installed.')
    const place = folder()
    const file = join(place, 'browser.har')
    const filename = await record(file, stage)
    const { exchanges, sockets } = readRecording(readFileSync(file, 'utf8'), file)
    const view = exchanges.find(
      ({ url, response }) => url.includes(filename) && response?.status === 200,
    )
    expect(view).toBeDefined()
    const upload = exchanges.find(
      ({ method, url }) => method === 'POST' && url.endsWith('/upload/image'),
    )
    expect(upload?.cut).toEqual(['request'])
    expect(sockets.length).toBe(1)
    const frames = sockets[0]!.messages.filter(({ data }) => typeof data !== 'string')
    expect(frames.length).toBeGreaterThan(5)

    expect((await checked(file)).cases('pass').length).toBeGreaterThan(10)

    const workflowPath = join(place, 'workflow.json')
    writeFileSync(workflowPath, workflow)
    const replay = await startReplay({ recording: file, clock: 'instant' })
    try {
      const outDir = join(place, 'out')
      const result = await runWorkflow({
        url: replay.url,
        workflowPath,
        outDir,
        ...(stage.deployment === 'hosted' && { apiKey: key }),
      })
      expect([result.error, result.outcome]).toEqual([undefined, 'success'])
      expect(result.files.map((one) => one.filename)).toEqual([filename])
      expect(readFileSync(result.files[0]!.path)).toEqual(Buffer.from(view!.response!.body))
    } finally {
      await replay.close()
    }

    expect(readFileSync(file, 'utf8')).toContain(key)
    const redacted = await runRecord('--from', file)
    expect([redacted.code, redacted.stderr]).toEqual([0, ''])
    expect(redacted.text()).not.toContain(key)
    expect(redacted.recording().exchanges.length).toBe(exchanges.length)
    await checked(redacted.file)
  })
