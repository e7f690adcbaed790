// What the page of the inspector shows of a session, read from the elements that its script makes.

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type Emulator, startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { WebSocket } from 'ws'
import { failing, node, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { type FakePage, openFakePage } from '../../support/fake-page.ts'

/** Submits a workflow, and returns the answer. */
async function postPrompt(url: string, prompt: object, fields: object = {}) {
  const body = JSON.stringify({ prompt, ...fields })
  const reply = await fetch(`${url}/prompt`, { method: 'POST', body })
  return (await reply.json()) as Readonly<Record<string, unknown>>
}

/** Opens the socket of a client. Returns what closes it. */
async function openSocket(url: string, client: string): Promise<() => void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=${client}`)
  await once(socket, 'open')
  return () => socket.terminate()
}

test('inspector/reasons A refusal is shown with what is wrong, once, and without a colon if nothing is known', async () => {
  const server = await startEmulator({ clock: 'manual', seed: '7' })
  const missing = node('CheckpointLoaderSimple', { ckpt_name: 'nope.safetensors' })
  await postPrompt(server.url, { ...textToImage(1, 2), '4': missing })
  await fetch(`${server.url}/api/jobz`)
  server.fault({ id: 'busy', when: { path: '/queue' }, then: { status: 503 } })
  await fetch(`${server.url}/queue`)
  const page = await openFakePage(server.url)
  await page.drawn()
  expect(page.texts()).toEqual(
    expect.arrayContaining([
      'POST /prompt → 400: Value not in list: ckpt_name nope.safetensors (node 4)',
      'GET /api/jobz → 404',
      'GET /queue → 503 by busy: Service Unavailable',
    ]),
  )
  page.close()
  await server.close()
})

test('inspector/cut-journal A page that is opened late shows true numbers, failed runs, refusals and open sockets', async () => {
  const server = await startEmulator({ clock: 'instant', seed: '7' })
  const close = await openSocket(server.url, 'early')
  await postPrompt(server.url, { '1': { class_type: 'NoSuchNode', inputs: {} } })
  await postPrompt(server.url, failing('ValueError', 'made to fail'))
  for (let run = 2; run <= 400; run++) await postPrompt(server.url, solid())
  const page = await openFakePage(server.url)
  await page.drawn()
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
  page.close()
  close()
  await server.close()
})

/** A session of two clients: a long wait, a failed run, a refused submit, and a message of one client. */
async function playTwo(): Promise<Emulator> {
  const server = await startEmulator({ clock: 'manual', seed: '7', preview: 'jpeg' })
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
  const server = await startEmulator({ clock: 'manual', seed: '7' })
  for (const seed of [1, 2]) await postPrompt(server.url, textToImage(seed, 20))
  await server.until('idle')
  await postPrompt(server.url, textToImage(3, 20))
  const page = await openFakePage(server.url)
  await page.drawn()
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
  page.close()
  await server.close()
})

test('inspector/table Requests are a table: sorted, filtered by a run, a client, failures and texts of bodies', async () => {
  const server = await playTwo()
  const page = await openFakePage(server.url)
  await page.drawn()
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
  page.close()
  await server.close()
})

test('inspector/curl A request is copied as a command that sends it again, with its answer beside', async () => {
  const server = await startEmulator({ clock: 'manual', seed: '7' })
  const prompt = { '1': node("It's not there") }
  const reply = await postPrompt(server.url, prompt)
  const page = await openFakePage(server.url)
  await page.drawn()
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
  page.close()
  await server.close()
})

test('inspector/opens The page shows the session of a HAR file and of a journal as that of their server', async () => {
  const server = await playTwo()
  const other = await startEmulator({ clock: 'manual' })
  await fetch(`${other.url}/queue`)
  const whatItSays = (page: FakePage) =>
    page.elements().flatMap(({ className, textContent }) => {
      const isFact = /^(finding|state|took|after|chip)\b/.test(className)
      return isFact ? `${className}: ${textContent}` : []
    })
  const live = await openFakePage(server.url)
  await live.drawn()
  const files = {
    'session.har': await server.recording(),
    'session.jsonl': (await server.journal()).join('\n'),
  }
  for (const [name, text] of Object.entries(files)) {
    const page = await openFakePage(other.url)
    await page.drawn()
    await page.open(name, text)
    expect(page.texts()).toContain(name)
    expect(whatItSays(page)).toEqual(whatItSays(live))
    const pictures = page.elements().filter(({ tag }) => tag === 'img')
    expect(pictures.length).toBeGreaterThan(0)
    const isFromFile = name.endsWith('har') ? /^data:image\/jpeg;base64,/ : /^data:,$/
    for (const one of pictures) expect(one.attributes['src']).toMatch(isFromFile)
    page.close()
  }
  const page = await openFakePage(other.url)
  await page.drawn()
  await page.open('photo.png', 'PNG')
  expect(page.texts()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^photo\.png is neither a HAR file nor a journal: /),
    ]),
  )
  page.close()
  live.close()
  await Promise.all([server.close(), other.close()])
})
