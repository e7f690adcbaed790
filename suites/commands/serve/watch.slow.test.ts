// The flag --watch of serve: changed files are loaded, those with a mistake change nothing, and the journal replays.

import { renameSync, rmSync } from 'node:fs'
import { replay } from 'flowdouble'
import { onTestFinished, test } from 'vitest'
import { serveCommand } from '../../../dist/emulator/internal.js'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { newFiles } from '../../support/files.ts'
import { newIo } from '../../support/in-process.ts'

/** Serves a folder with --watch and --json; `next` resolves to the next line that it prints. */
function serveIn(dir: string, ...argv: readonly string[]) {
  const lines: string[] = []
  let read = 0
  let wake = (): void => undefined
  const stopping = new AbortController()
  const { io, output } = newIo({
    cwd: dir,
    signal: stopping.signal,
    onWrite: (stdout) => {
      lines.splice(0, lines.length, ...stdout.split('\n').slice(0, -1))
      wake()
    },
  })
  const ends = serveCommand(['--port', '0', '--json', '--watch', ...argv], io)
  /** Stops it, and resolves to its log. */
  const stop = async (): Promise<string> => {
    stopping.abort()
    await ends
    return output.stderr
  }
  onTestFinished(async () => void (await stop()))
  const next = async (): Promise<any> => {
    while (lines.length <= read) await new Promise<void>((resolve) => (wake = resolve))
    return JSON.parse(lines[read++]!)
  }
  return { next, output, ends, stop }
}

const busy = 'faults: [{ id: busy, when: { path: /queue }, then: { status: 503 } }]'

test('serve/watch A changed file is loaded with a line that says what changed, and the journal replays', async () => {
  const { dir, write } = newFiles({ 'mine.yaml': `version: 1\n` })
  const { next, stop } = serveIn(dir, '--scenario', 'mine.yaml', '--clock', 'manual')
  const { url } = await next()
  const statusOf = async (path: string) => (await fetch(url + path)).status
  const control = async (path: string, body: object) =>
    (
      await fetch(`${url}/_flowdouble/${path}`, { method: 'POST', body: JSON.stringify(body) })
    ).json()
  await fetch(`${url}/prompt`, { method: 'POST', body: JSON.stringify({ prompt: solid() }) })
  await control('advance', { ms: 5 })
  await control('worlds', { name: 'follows' })
  await control('worlds', { name: 'own', scenario: { version: 1, runs: [{ run: 9 }] } })

  write('mine.yaml', `version: 1\n${busy}\n`)
  expect(await next()).toEqual({
    event: 'reload',
    nowMs: 5,
    files: ['mine.yaml'],
    changes: '1 fault added (busy)',
  })
  const statuses = ['/queue', '/w/follows/queue', '/w/own/queue'].map(statusOf)
  expect(await Promise.all(statuses)).toEqual([503, 503, 200])
  // The run is still there, and so is the time.
  const clock = await (await fetch(`${url}/_flowdouble/clock`)).json()
  expect(clock).toMatchObject({ nowMs: 5, nextMs: expect.any(Number) })

  await control('reset', {})
  expect(await statusOf('/queue')).toBe(503)
  const lines = (await (await fetch(`${url}/_flowdouble/journal`)).text()).trim().split('\n')
  expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })

  // A picture that is not there yet, then is; what only a new world takes, a new world has.
  write(
    'mine.yaml',
    `version: 1\nstart: { history: [{ times: 2 }] }\nnodes: [{ class_type: SaveImage, outputs: { images: [{ from: cat.png }] } }]\n`,
  )
  expect(await next()).toMatchObject({
    event: 'reload-failed',
    problems: [{ file: 'mine.yaml', line: 3, message: expect.stringContaining('cannot be read') }],
  })
  expect(await statusOf('/queue')).toBe(503)
  write('cat.png', 'a picture')
  expect(await next()).toMatchObject({
    files: ['cat.png'],
    changes:
      '1 fault removed (busy), 1 node rule added (SaveImage); new worlds have the changed start',
  })
  await control('worlds', { name: 'later' })
  const runs = await (await fetch(`${url}/w/later/_flowdouble/runs`)).json()
  expect(runs).toHaveLength(2)
  expect(await stop()).toContain('0.005s  reloaded mine.yaml: 1 fault added (busy)\n')
})

test('serve/watch A file with a mistake or without a place leaves the rules in force; one renamed into place is loaded', async () => {
  const { dir, write, path } = newFiles({ 'mine.yaml': `version: 1\n${busy}\n` })
  write('config.json', JSON.stringify({ scenario: ['mine.yaml'], clock: 'instant' }))
  const { next, stop } = serveIn(dir, '--config', 'config.json')
  const { url } = await next()
  const queue = async () => (await fetch(`${url}/queue`)).status
  write('mine.yaml', 'version: 1\nnodes: [{ class_type: NoSuchNode, atStep: 1 }]\n')
  expect(await next()).toMatchObject({
    event: 'reload-failed',
    files: ['mine.yaml'],
    problems: [{ line: 2, column: 23, path: 'nodes[0].class_type' }],
  })
  rmSync(path('mine.yaml'))
  expect(await next()).toMatchObject({
    event: 'reload-failed',
    problems: [{ message: expect.stringContaining('ENOENT') }],
  })
  expect(await queue()).toBe(503)
  write('mine.yaml~', `version: 1\n${busy.replace('503', '502')}\n`)
  renameSync(path('mine.yaml~'), path('mine.yaml'))
  expect(await next()).toMatchObject({ changes: '1 fault changed (busy)' })
  expect(await queue()).toBe(502)
  write('config.json', JSON.stringify({ scenario: [], clock: 'instant', seed: '8', cors: '*' }))
  expect(await next()).toMatchObject({
    files: ['config.json'],
    changes:
      '1 fault removed (busy); new worlds have the changed seed; restart for the changed cors',
  })
  expect(await queue()).toBe(200)
  const log = await stop()
  expect(log).toContain('warning: mine.yaml:2:23: nodes[0].class_type names the unknown node type')
  expect(log).toContain('warning: the rules before this change stay in force')
})

test('serve/watch Without a scenario there is nothing to watch', async () => {
  const { ends, output } = serveIn(newFiles().dir)
  expect(await ends).toBe(2)
  expect(output.stderr).toMatch(/^--watch needs a scenario/)
})
