// Commands that ask a server, or wait: each gives up after its time limit, and ends with a sentence when it is stopped.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { explainCommand, learnCommand, webhookCommand } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { newFiles } from '../../support/files.ts'
import { folder } from '../../support/folder.ts'
import { listening } from '../../support/for-test.ts'
import { outputOf } from '../../support/in-process.ts'
import { fileOf, serving, start } from '../../support/spawned.ts'

/** A server that answers each connection with this beginning alone; `arrival` resolves when the first request is there. */
async function startSilent(beginning: string) {
  let arrive = (): void => undefined
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  const server = createServer((socket) => {
    socket.once('data', () => arrive())
    socket.write(beginning)
  })
  return { url: (await listening(server)).url, arrival }
}

/** Commands that read from a server for a limited time, and the exit code when that is over. */
const reading = {
  'explain --url': [2, explainCommand, ['0', '--url']],
  'learn --from': [1, learnCommand, ['--out', 'a.yaml', '--from']],
} as const

for (const [name, [code, command, words]] of Object.entries(reading))
  for (const [manner, beginning] of [
    ['accepts and stays silent', ''],
    ['does not end its answer', 'HTTP/1.1 200 OK\r\n\r\n{'],
  ] as const)
    test(`stopping/limit ${name} gives up a server that ${manner} after the time limit, and writes nothing`, async () => {
      const { url } = await startSilent(beginning)
      const { run, names } = newFiles()
      expect(await run(command, ...words, url, '--timeout', '0.2')).toEqual({
        code,
        stdout: '',
        stderr: `${url} has not said all within 0.2 s. Give a longer --timeout.\n`,
      })
      expect(names()).toEqual([])
    })

/** What is stopped while it waits for a server, and the exit code for it. */
const asking = {
  'explain --url': [2, (url: string) => ['explain', '0', '--url', url]],
  'learn --from': [1, (url: string) => ['learn', '--from', url, '--out', 'a.yaml']],
  diff: [5, (url: string) => ['diff', url, url.replace('127.0.0.1', 'localhost')]],
  'webhook test': [
    1,
    (url: string) => {
      const secret = fileOf('a-secret-of-the-route')
      return ['webhook', 'test', '--url', url, '--secret-file', secret, '--config-dir', folder()]
    },
  ],
} as const

for (const [name, [code, argv]] of Object.entries(asking))
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    test(`stopping/asking ${signal} ends ${name} with a sentence while a server is silent`, async () => {
      const { url, arrival } = await startSilent('')
      const command = start(...argv(url))
      await arrival
      command.process.kill(signal)
      expect(await command.ends).toMatchObject({ code, stderr: 'Stopped.\n' })
    })

test('stopping/shrink A stopped shrink ends the command that it runs, and writes nothing', async () => {
  const har = join(import.meta.dirname, '../../../recordings/sessions/local-run.har')
  const file = fileOf(readFileSync(har, 'utf8'))
  const { url, arrival } = await startSilent('')
  const waits = `'${process.execPath}' -e 'fetch("${url}")'; exit 1`
  const command = start('shrink', file, '--command', waits)
  await arrival
  command.process.kill('SIGTERM')
  const stderr = 'Stopped. Nothing has been written.\n'
  expect(await command.ends).toEqual({ code: 5, stdout: '', stderr })
})

test('stopping/input A stopped command that waits for a secret from standard input ends with a sentence', async () => {
  const user = new AbortController()
  const stdin = (): PassThrough => {
    setImmediate(() => user.abort())
    return new PassThrough()
  }
  const argv = ['test', '--url', 'http://127.0.0.1:9', '--secret', '-']
  expect(await outputOf(webhookCommand, argv, { stdin, signal: user.signal })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Stopped.\n',
  })
})

test('stopping/stdin With --stop-with-stdin, serve stops when standard input ends, and a signal stops it as before', async () => {
  const ended = await serving('--stop-with-stdin')
  ended.process.stdin?.end()
  expect(await ended.ends).toMatchObject({ code: 0 })
  const signalled = await serving('--stop-with-stdin')
  expect(await signalled.stop()).toMatchObject({ code: 0 })
})
