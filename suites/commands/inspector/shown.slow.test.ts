// What the page of the inspector shows of a session, read from the elements that its script makes.

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type Emulator, type EmulatorOptions, startEmulator } from 'flowdouble'
import { onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { failing, node, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { type FakePage, openFakePage } from '../../support/browser/fake-page.ts'

/** A server, closed when the test is over. */
async function serverWith(options: EmulatorOptions = { clock: 'manual' }): Promise<Emulator> {
  const server = await startEmulator({ seed: '7', ...options })
  onTestFinished(() => server.close())
  return server
}

/** The page of a server when it is drawn, closed when the test is over. */
async function pageOf({ url }: Emulator): Promise<FakePage> {
  const page = await openFakePage(url)
  onTestFinished(page.close)
  await page.drawn()
  return page
}

/** Submits a workflow, and returns the answer. */
async function postPrompt(url: string, prompt: object, fields: object = {}) {
  const body = JSON.stringify({ prompt, ...fields })
  const reply = await fetch(`${url}/prompt`, { method: 'POST', body })
  return (await reply.json()) as Readonly<Record<string, unknown>>
}

/** Opens the socket of a client. */
async function openSocket(url: string, client: string): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=${client}`)
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
}

test('inspector/reasons A refusal is shown with what is wrong, once, and without a colon if nothing is known', async () => {
  const server = await serverWith()
  const missing = node('CheckpointLoaderSimple', { ckpt_name: 'nope.safetensors' })
  await postPrompt(server.url, { ...textToImage(1, 2), '4': missing })
  await fetch(`${server.url}/api/jobz`)
  server.fault({ id: 'busy', when: { path: '/queue' }, then: { status: 503 } })
  await fetch(`${server.url}/queue`)
  const page = await pageOf(server)
  expect(page.texts()).toEqual(
    expect.arrayContaining([
      'POST /prompt → 400: Value not in list: ckpt_name nope.safetensors (node 4)',
      'GET /api/jobz → 404',
      'GET /queue → 503 by busy: Service Unavailable',
    ]),
  )
})

test('inspector/cut-journal A page that is opened late shows true numbers, failed runs, refusals and open sockets', async () => {
  const server = await serverWith({ clock: 'instant' })
  await openSocket(server.url, 'early')
  await postPrompt(server.url, { '1': { class_type: 'NoSuchNode', inputs: {} } })
  await postPrompt(server.url, failing('ValueError', 'made to fail'))
  for (let run = 2; run <= 400; run++) await postPrompt(server.url, solid())
  const page = await pageOf(server)
  const texts = page.texts()
  expect(texts).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^\d+ of 401$/),
      'early',
      'Run 1',
      'Run 400',
      expect.stringMatching(/^Run 1 failed in .*: ValueError: made to fail$/),
      expect.stringMatching(/^POST \/prompt → 400: /),
      expect.stringMatching(/^Before entry \d+ the server keeps only /),
    ]),
  )
  expect(texts).not.toContain('Run 401')
  // What follows has the next number.
  await postPrompt(server.url, solid())
  await page.shows('Run 401')
})

/** A session of two clients: a long wait, a failed run, a refused submit, and a message of one client. */
async function playTwo(): Promise<Emulator> {
  const server = await serverWith({ clock: 'manual', preview: 'jpeg' })
  await openSocket(server.url, 'alice')
  await openSocket(server.url, 'bob')
  await postPrompt(server.url, textToImage(1, 20), { client_id: 'alice' })
  await postPrompt(server.url, textToImage(2, 20), { client_id: 'bob' })
  await postPrompt(server.url, failing('ValueError', 'made to fail'), { client_id: 'bob' })
  await postPrompt(server.url, { '1': node('NoSuchNode') }, { client_id: 'alice' })
  await server.until('idle')
  await fetch(`${server.url}/history`)
  return server
}

/** The cells of one column of the table of requests. */
const cells = (page: FakePage, column: string): readonly string[] =>
  page
    .elements()
    .filter(({ tag, className }) => tag === 'td' && className === `c-${column}`)
    .map(({ textContent }) => textContent)

test('inspector/labels The words of a row lie beside each other', async () => {
  // The second run waits for long, and ends last: there is no room for its words after it.
  const server = await serverWith()
  for (const seed of [1, 2]) await postPrompt(server.url, textToImage(seed, 20))
  await server.until('idle')
  await postPrompt(server.url, textToImage(3, 20))
  const page = await pageOf(server)
  const widthOf = (text: string): number => text.length * 5.5
  const px = (text: string | undefined): number => Number.parseFloat(text ?? '0')
  const overlaps = page
    .elements()
    .filter(({ className }) => className === 'track')
    .flatMap((track) => {
      const spans = track.all().flatMap(({ className, style, children, textContent }) => {
        const left = px(style['left'])
        if (className.startsWith('after')) return [{ textContent, left }]
        if (className !== 'wait' || children.length === 0) return []
        return [{ textContent, left: left + (px(style['width']) - widthOf(textContent)) / 2 }]
      })
      return spans.flatMap((a) =>
        spans
          .filter((b) => a !== b && b.left >= a.left && b.left < a.left + widthOf(a.textContent))
          .map((b) => `${a.textContent} / ${b.textContent}`),
      )
    })
  expect(overlaps).toEqual([])
  expect(page.texts()).toContain('Run 2')
})

test('inspector/table Requests are a table: sorted, filtered by a run, a client, failures and texts of bodies', async () => {
  const server = await playTwo()
  const page = await pageOf(server)
  await page.press('t')
  const paths = () => cells(page, 'path')
  expect(paths()).toEqual(['/prompt', '/prompt', '/prompt', '/prompt', '/history'])
  expect(cells(page, 'status')).toEqual(['200', '200', '200', '400', '200'])
  expect(cells(page, 'run')).toEqual(['1', '2', '3', '', ''])
  expect(cells(page, 'size').every((text) => /^[\d.]+ (B|kB)$/.test(text))).toBe(true)
  const sort = page.elements().find(({ dataset }) => dataset['focus'] === 'sort status')
  sort?.listeners['click']?.forEach((listener) => listener({}))
  await page.drawn()
  expect(cells(page, 'status').at(-1)).toBe('400')
  const head = () => page.elements().find(({ className }) => className === 'c-status')
  expect(head()?.attributes['aria-sort']).toBe('ascending')

  await page.choose('search', 'made to fail')
  // The workflow names the text, and the history repeats it.
  expect(paths()).toEqual(['/prompt', '/history'])
  await page.choose('search', 'no such text')
  expect(page.texts()).toContain('No request matches.')
  await page.choose('search', '')
  await page.choose('Only one client', 'alice')
  expect(cells(page, 'status')).toEqual(['200', '200', '400'])
  await page.choose('Only one client', '')
  const [, second] = server.runs()
  await page.choose('Only one run', second!.prompt_id)
  expect(cells(page, 'run')).toEqual(['2', ''])
  await page.click('link', 0)
  await page.choose('Only one run', '')
  for (let index = 0; index < 3; index++) await page.click('toggle', 2)
  expect(cells(page, 'status')).toEqual(['400'])
})

test('inspector/curl A request is copied as a command that sends it again, with its answer beside', async () => {
  const server = await serverWith()
  const prompt = { '1': node("It's not there") }
  const reply = await postPrompt(server.url, prompt)
  const page = await pageOf(server)
  await page.go('e0')
  await page.click('button', 0)
  expect(page.copied()).toContain(`curl ${server.url}/prompt \\\n  -X POST \\\n`)
  const shell = `curl() { printf '%s\\n' "$@"; }; ${page.copied()}`
  const { stdout } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' })
  const words = stdout.trimEnd().split('\n')
  expect(words).toEqual(
    expect.arrayContaining([`${server.url}/prompt`, 'content-type: text/plain;charset=UTF-8']),
  )
  expect(words.at(-1)).toBe(JSON.stringify({ prompt }))
  await page.click('button', 1)
  expect(JSON.parse(page.copied())).toEqual(reply)
})

test('inspector/opens The page shows the session of a HAR file and of a journal as that of their server', async () => {
  const server = await playTwo()
  const other = await serverWith()
  await fetch(`${other.url}/queue`)
  const whatItSays = (page: FakePage) =>
    page.elements().flatMap(({ className, textContent }) => {
      const isFact = /^(finding|state|took|after|chip)\b/.test(className)
      return isFact ? `${className}: ${textContent}` : []
    })
  const live = await pageOf(server)
  const files = {
    'session.har': await server.recording(),
    'session.jsonl': (await server.journal()).join('\n'),
  }
  for (const [name, text] of Object.entries(files)) {
    const page = await pageOf(other)
    await page.open(name, text)
    expect(page.texts()).toContain(name)
    expect(whatItSays(page)).toEqual(whatItSays(live))
    const pictures = page.elements().filter(({ tag }) => tag === 'img')
    expect(pictures.length).toBeGreaterThan(0)
    const isFromFile = name.endsWith('har') ? /^data:image\/jpeg;base64,/ : /^data:,$/
    for (const one of pictures) expect(one.attributes['src']).toMatch(isFromFile)
  }
  const page = await pageOf(other)
  const request = { method: 'GET', url: 'http://a/queue' }
  const fault = { ids: ['too busy'], did: ['status'], answers: true }
  const entry = { startedDateTime: '2026-01-01T00:00:00Z', request, response: { status: 503 } }
  const entries = [{ ...entry, _flowdouble: { fault } }]
  await page.open('faults.har', JSON.stringify({ log: { entries } }))
  expect(page.texts()).toContainEqual(expect.stringContaining('too busy'))
  await page.open('photo.png', 'PNG')
  expect(page.texts()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^photo\.png is neither a HAR file nor a journal: /),
    ]),
  )
})
