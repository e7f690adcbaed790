// The ready file: it exists while a command listens, and never contains a stale address.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'vitest'
import { runServe } from '../../support/command-line.ts'
import { folder } from '../../support/folder.ts'
import { listening } from '../../support/for-test.ts'
import { serving, start } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

/** Starts a server that cannot listen; returns what is left of the ready file. */
async function leftAfterRefusal(port: number, content: string): Promise<string | undefined> {
  const file = join(folder(), 'ready.json')
  writeFileSync(file, content)
  expect((await runServe('--port', `${port}`, '--ready-file', file)).code).toBe(2)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

test('serve/ready-file It holds the addresses of all servers once they listen, and is removed when they stop', async () => {
  const place = folder()
  const file = join(place, 'ready.json')
  const flags = ['--deployment=both', '--with-gateway', '--gateway-port=0']
  const { line, stop } = await serving(...flags, '--ready-file', file)
  expect(readFileSync(file, 'utf8')).toBe(line)
  expect(readdirSync(place)).toEqual(['ready.json'])
  await stop()
  expect(readdirSync(place)).toEqual([])
})

test('serve/ready-file A file that another command has written since then is left alone', async () => {
  const file = join(folder(), 'ready.json')
  const { stop } = await serving('--ready-file', file)
  writeFileSync(file, '{"pid": 1}')
  await stop()
  expect(readFileSync(file, 'utf8')).toBe('{"pid": 1}')
})

test('serve/ready-file A file of a dead process, or with an address at which nobody listens, is removed at start', async () => {
  const ended = start('quirks')
  await ended.ends
  const [other, gone] = [await listening(createServer()), await listening(createServer())]
  await gone.close()
  const ready = (pid: number | undefined, port: number) =>
    JSON.stringify({ url: `http://127.0.0.1:${port}`, pid })
  const left = (content: string) => leftAfterRefusal(other.port, content)
  expect(await left(ready(ended.process.pid, other.port))).toBe(undefined)
  expect(await left(ready(process.pid, gone.port))).toBe(undefined)
  const living = [ready(process.pid, other.port), 'no JSON', '{"name": "a package"}', 'null']
  for (const content of living) expect(await left(content)).toBe(content)
})

test('serve/ready-file A pipe in its place is not waited for, and is replaced', async () => {
  const file = join(folder(), 'ready.json')
  execFileSync('mkfifo', [file])
  const { line, stop } = await serving('--ready-file', file)
  expect(readFileSync(file, 'utf8')).toBe(line)
  await stop()
})
