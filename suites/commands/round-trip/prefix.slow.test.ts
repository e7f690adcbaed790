// A server below a path, behind a proxy that strips it: each command that takes an address works there as at the root.

import { connect, createServer } from 'node:net'
import { startEmulator, startReplay } from 'flowdouble'
import { test } from 'vitest'
import { learnCommand, runWorkflow } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { recorded } from '../../support/recordings/recording.ts'
import { textToImage } from '../../support/spawned.ts'
import { forTest, listening } from '../../support/for-test.ts'
import { newFiles } from '../../support/files.ts'
import { smallBodies } from '../check/counted/counted.ts'
import { folder } from '../../support/folder.ts'

const run = (url: string) =>
  runWorkflow({
    url,
    workflowPath: textToImage,
    outDir: folder(),
  })

const path = '/comfyui'

/**
 * A world behind a proxy that strips the path from request lines, and passes the rest as bytes: its address, which ends in the
 * path, and the targets of requests outside of the path.
 */
async function startBehindProxy(): Promise<{ readonly url: string; readonly outside: string[] }> {
  const { port } = await forTest(startEmulator({ ...smallBodies, clock: 'instant' }))
  const line = /^([A-Z]+ )(\S+)(?= HTTP\/1\.[01]\r\n)/gm
  const below = new RegExp(`^${path}(?:/|(?=\\?|$))`)
  const outside: string[] = []
  const strip = (whole: string, method: string, found: string): string => {
    if (!below.test(found)) outside.push(found)
    return below.test(found) ? method + found.replace(below, '/') : whole
  }
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.on('end', () => to.end())
    }
    client.on('data', (chunk) =>
      upstream.write(chunk.toString('latin1').replace(line, strip), 'latin1'),
    )
    upstream.on('data', (chunk) => client.write(chunk))
  })
  return { url: (await listening(server)).url + path, outside }
}

test('prefix/run and prefix/learn The client and learn --from find the server below its path', async () => {
  const { url } = await startBehindProxy()
  expect((await run(url)).outcome).toBe('success')
  const place = newFiles()
  const learned = await place.run(learnCommand, '--from', url, '--out', 'a.yaml')
  expect(learned).toMatchObject({ code: 0, stderr: '' })
})

test('prefix/record A recording has the paths of the protocol: it is replayed, learned and compared like any other', async () => {
  const { url } = await startBehindProxy()
  const outcomes: string[] = []
  const { code, text, file, recording } = await recorded(url, async (proxy) => {
    outcomes.push((await run(proxy)).outcome)
  })
  const paths = recording().exchanges.map((exchange) => new URL(exchange.url).pathname)
  expect([code, outcomes]).toEqual([0, ['success']])
  expect(paths.filter((path) => path.includes('comfyui'))).toEqual([])
  const replay = await startReplay({ recording: file })
  expect((await run(replay.url)).outcome).toBe('success')
  await replay.close()
  const place = newFiles({ 'a.har': text() })
  const learned = await place.run(learnCommand, 'a.har', '--out', 'a.yaml')
  expect(learned).toMatchObject({ code: 0, stderr: '' })

  const { write, check } = newFiles()
  write('a.har', text())
  expect(await check('--recording', 'a.har', url)).toMatchObject({ code: 0, stderr: '' })
})

test('check/prefix A check of a server below a path asks below it alone, raw bytes too, and judges it as at the root', async () => {
  const { url, outside } = await startBehindProxy()
  const { check } = newFiles()
  const { code, cases } = await check(url, '--read-only', '--json')
  expect({ code, failed: cases('fail') }).toEqual({ code: 0, failed: [] })
  expect(cases('pass').length).toBeGreaterThan(40)
  // A request line that is wrong on purpose names no path.
  expect(outside.filter((target) => target.startsWith('/'))).toEqual([])
})
