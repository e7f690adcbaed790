// Holds a real server against the judge and the emulator: `check` raises no alarm there that is not explained, and seeded
// sessions show the same there as on a world that is like it.

import { beforeAll, describe, expect, test } from 'vitest'
import type { CheckEvent } from '../check/events.ts'
import { realName, realServer as url } from './server.ts'
import { fileOf, start } from '../support/spawned.ts'

/** Another seed plays other sessions. */
const seed = process.env['FLOWDOUBLE_REAL_SEED'] ?? '1'
const SESSIONS = 300
/** A check and 300 sessions take as long as the runs that they submit. */
const MAX_MS = 2 * 60 * 60_000

/** The lines of a command's standard output, each as JSON. */
async function linesOf(...args: readonly string[]): Promise<readonly any[]> {
  const { code, stdout, stderr } = await start(...args).ends
  if (code !== 0 && code !== 1) throw new Error(`It ended with ${code}: ${stderr}`)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

if (url === '') test.skip('a real server: FLOWDOUBLE_REAL_SERVER=URL is not set', () => undefined)
else
  describe(`the server at ${url}`, { timeout: MAX_MS }, () => {
    let like = ''
    beforeAll(async () => {
      like = await realName()
    })

    test('breaks no rule without an explanation', async () => {
      const events: readonly CheckEvent[] = await linesOf(
        'check',
        url,
        '--allow',
        'all',
        '--like',
        like,
        '--max-seconds',
        '3600',
        '--json',
      )
      const failed = events.flatMap((one) =>
        one.event === 'case' && (one.verdict === 'fail' || one.verdict === 'fault')
          ? [`${one.title}: ${one.failure?.message}\n${one.failure?.command}`]
          : [],
      )
      expect(failed).toEqual([])
    })

    test('plays the same sessions as the world that is like it', async () => {
      const objectInfo = fileOf(await (await fetch(`${url}/object_info`)).text())
      const world = start(
        'serve',
        '--port',
        '0',
        '--json',
        '--like',
        like,
        '--pace',
        '5',
        '--preview',
        'none',
        '--models',
        'listed',
        '--object-info',
        objectInfo,
      )
      try {
        const ours = /http:\/\/[^"]+/.exec(await world.says(/http:\/\/[^"]+"/))![0]
        const played = await linesOf(
          'diff',
          url,
          ours,
          '--sessions',
          `${SESSIONS}`,
          '--seed',
          seed,
          '--json',
        )
        const differing = played.flatMap(({ event, seed: own, differences, steps }) =>
          event === 'session' && differences.length > 0
            ? [
                {
                  differences,
                  steps,
                  again: `flowdouble diff ${url} URL --sessions 1 --seed ${own}`,
                },
              ]
            : [],
        )
        expect(differing).toEqual([])
      } finally {
        world.process.kill()
        await world.ends
      }
    })
  })
