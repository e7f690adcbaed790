// A server below a path, behind a proxy that strips it: each command that takes an address works there as at the root.

import { startEmulator, startReplay } from 'flowdouble'
import { test } from 'vitest'
import { learnCommand, runWorkflow } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { type PrefixProxy, startPrefixProxy } from './prefix-proxy.ts'
import { recorded } from '../../support/recordings/recording.ts'
import { textToImage } from '../../support/spawned.ts'
import { newFiles } from '../../support/files.ts'
import { smallBodies } from '../check/counted/counted.ts'
import { folder } from '../../support/folder.ts'

const run = (url: string) =>
  runWorkflow({
    url,
    workflowPath: textToImage,
    outDir: folder(),
  })

const behindProxy = (body: (proxy: PrefixProxy) => Promise<void>) => async (): Promise<void> => {
  const world = await startEmulator({ ...smallBodies, clock: 'instant' })
  const proxy = await startPrefixProxy(world.url, '/comfyui')
  try {
    await body(proxy)
  } finally {
    await proxy.close()
    await world.close()
  }
}

test(
  'prefix/run and prefix/learn The client and learn --from find the server below its path',
  behindProxy(async ({ url }) => {
    expect((await run(url)).outcome).toBe('success')
    const place = newFiles()
    const learned = await place.run(learnCommand, '--from', url, '--out', 'a.yaml')
    expect(learned).toMatchObject({ code: 0, stderr: '' })
  }),
)

test(
  'prefix/record A recording has the paths of the protocol: it is replayed, learned and compared like any other',
  behindProxy(async ({ url }) => {
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
  }),
)

test(
  'check/prefix A check of a server below a path asks below it alone, raw bytes too, and judges it as at the root',
  behindProxy(async ({ url, outside }) => {
    const { check } = newFiles()
    const { code, cases } = await check(url, '--read-only', '--json')
    expect({ code, failed: cases('fail') }).toEqual({ code: 0, failed: [] })
    expect(cases('pass').length).toBeGreaterThan(40)
    // A request line that is wrong on purpose names no path.
    expect(outside.filter((target) => target.startsWith('/'))).toEqual([])
  }),
)
