// Sessions that a browser recorded below a path: they are read as those of the server behind it.

import { startReplay } from 'flowdouble'
import { readRecording, writeHar } from '../../../dist/emulator/internal.js'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { play } from '../../support/recordings/learned.ts'

/** A recorded session as another tool writes it, with the server below a path. */
async function recordedBelow(path: string, deployment: 'local' | 'hosted'): Promise<string> {
  const steps = [{ get: '/system_stats' }, { submit: solid() }, { download: 1 }] as const
  const { recording } = await play({ deployment }, steps)
  const below = (url: string): string => url.replace(/^(\w+:\/\/[^/]+)/, `$1${path}`)
  const moved = <T extends { readonly url: string }>(one: T): T =>
    Object.assign({}, one, { url: below(one.url) })
  const exchanges = recording.exchanges.map(moved)
  const text = writeHar({ ...recording, exchanges, sockets: recording.sockets.map(moved) })
  const har = JSON.parse(text) as { log: { _flowdouble?: unknown } }
  delete har.log._flowdouble
  return JSON.stringify(har)
}

const pathsIn = (har: string): readonly string[] => {
  const { exchanges, sockets } = readRecording(har, 'a.har')
  return [...exchanges, ...sockets].map(({ url }) => new URL(url).pathname)
}

for (const deployment of ['local', 'hosted'] as const)
  test(`recordings/prefix The paths of a ${deployment} server that was recorded below a path are those of the server`, async () => {
    const plain = pathsIn(await recordedBelow('', deployment))
    expect(plain).toContain(deployment === 'local' ? '/system_stats' : '/api/system_stats')
    expect(pathsIn(await recordedBelow('/gpu/team-a', deployment))).toEqual(plain)
  })

test('recordings/prefix-replay A session that was recorded below a path is replayed at the root', async () => {
  const recording = JSON.parse(await recordedBelow('/gpu', 'local')) as object
  const replay = await startReplay({ recording, clock: 'manual' })
  const { status } = await fetch(`${replay.url}/system_stats`)
  await replay.close()
  expect(status).toBe(200)
})

test('recordings/prefix-other Paths of several servers, and of a world of flowdouble, stay as they are', async () => {
  expect(pathsIn(await recordedBelow('/w/one', 'local'))).toContain('/w/one/system_stats')
  const [one, other] = [await recordedBelow('/a', 'local'), await recordedBelow('/b', 'local')].map(
    (har) => JSON.parse(har) as { log: { entries: object[] } },
  )
  one?.log.entries.push(...(other?.log.entries ?? []))
  expect(pathsIn(JSON.stringify(one))).toContain('/a/system_stats')
})
