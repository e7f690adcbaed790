// Each law has a recording that breaks it: a session that keeps all of them, in which one thing is changed.

import { describe, test } from 'vitest'
import type { Recording } from '../../../dist/emulator/internal.js'
import { described } from '../../../spec/generations.ts'
import type { Endpoint, Place } from '../../../spec/language.ts'
import { operationEndpoints } from '../../../spec/gateway/operations.ts'
import { endpoints, gatewayEndpoints } from '../../../spec/index.ts'
import { traceOf } from '../../../dist/emulator/session/index.js'
import { judgeTraces } from '../../check/trace/judge-traces.ts'
import { laws } from '../../laws/index.ts'
import { pathOn } from '../../generate/replies-on.ts'
import { expect } from '../../judge/expect.ts'
import { breaks } from './breaks.ts'
import { added, type Edit } from './edit.ts'
import { goodSession } from './sessions.ts'

/** The rules of the laws that a changed session breaks. */
async function brokenBy(place: Place, edit: Edit): Promise<readonly string[]> {
  const recording = edit(await goodSession(place))
  const trace = traceOf(recording, 'broken.har')
  const results = trace === undefined ? [] : judgeTraces([trace], laws)
  return results.flatMap(({ ids, found }) => (found.length === 0 ? [] : [ids.join(' ')]))
}

/** The same session as that of another version. */
const ofVersion = (recording: Recording, version: string): Recording =>
  Object.assign({}, recording, {
    info: Object.assign({}, recording.info, { software: `ComfyUI ${version}` }),
  })

const lawsOn = (place: Place): readonly string[] =>
  laws.flatMap(({ rules, on }) => (on.includes(place) ? [rules.join(' ')] : []))

/** A request to each endpoint that every server of a place has, and a status that none of them has. */
const endpointsOn = (place: Place) =>
  Object.entries<Endpoint>(place === 'gateway' ? gatewayEndpoints : endpoints)
    .filter(([name]) => !Object.hasOwn(operationEndpoints, name))
    .map(([, spec]) => spec)
    .filter(({ on, path }) => on.includes(place) && path !== '/ws')
    .map((spec) => ({
      method: spec.method,
      path: pathOn(place, spec).replaceAll(/\{\w+(\.\.\.)?\}/g, 'x'),
      since: spec.since ?? described,
    }))

describe.each(['local', 'hosted', 'gateway'] as const)('%s', (place) => {
  const own = breaks.filter(({ on }) => on.includes(place))

  test.each(own.map(({ law, edit, also }) => [law, edit, also] as const))(
    'trace/law %s',
    async (law, edit, also) => {
      const here = new Set(lawsOn(place))
      const expected = [law, ...also.filter((one) => here.has(one))]
      expect((await brokenBy(place, edit)).toSorted()).toEqual(expected.toSorted())
    },
  )

  test('trace/every-law Each law has a recording that breaks just it.', async () => {
    const broken = new Set(own.map(({ law }) => law))
    for (const { method, path, since } of endpointsOn(place)) {
      const add = added(method, path, 299)
      const found = await brokenBy(
        place,
        since === described ? add : (one) => add(ofVersion(one, since)),
      )
      expect([method, path, found.length]).toEqual([method, path, 1])
      for (const law of found) broken.add(law)
    }
    expect(lawsOn(place).filter((law) => !broken.has(law))).toEqual([])
  })
})
