// The published JSON Schemas of the config file and of scenarios match what is checked.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import {
  configSchema,
  defaults,
  scenarioDocument,
  scenarioFileSchema,
  violations,
} from '../../dist/emulator/internal.js'

test('the schema accepts the defaults and rejects what serve rejects', () => {
  const takes = new Ajv2020({ allowUnionTypes: true }).compile(configSchema() as object)
  expect(takes(defaults)).toBe(true)
  expect(takes({ port: 70000 })).toBe(false)
  expect(takes({ clock: 'fast' })).toBe(false)
  expect(takes({ quirk: ['no.such'] })).toBe(false)
  expect(takes({ colour: 'red' })).toBe(false)
})

/** Scenarios, and whether they are valid. */
const samples: readonly (readonly [sample: unknown, isValid: boolean])[] = [
  [{ version: 1 }, true],
  [{ version: 1, $schema: 'any', about: 'Nothing happens.' }, true],
  [{ version: 2 }, false],
  [{}, false],
  [[], false],
  ['text', false],
  [{ version: 1, world: { pace: 3, quirk: ['queue.heap-order'], clock: 'x10' } }, true],
  [{ version: 1, world: { scenario: {} } }, false],
  [{ version: 1, world: { quirk: ['no.such'] } }, false],
  [{ version: 1, world: { accounts: [{ user: 'me', keys: ['key'] }] } }, true],
  [{ version: 1, world: { accounts: [{ user: 'me' }] } }, false],
  [{ version: 1, start: { queue: [{ workflow: {}, times: 2 }, { neverEnds: true }] } }, true],
  [{ version: 1, start: { queue: [{ workflow: 3 }] } }, false],
  [{ version: 1, start: { history: [{ outcome: 'lost' }] } }, false],
  [{ version: 1, start: { files: [{ text: 'no path' }] } }, false],
  [{ version: 1, runs: [{ run: 1, neverEnds: true }] }, true],
  [{ version: 1, runs: [{ run: 0 }] }, false],
  [{ version: 1, runs: [{ neverEnds: false }] }, false],
  [{ version: 1, nodes: [{ class_type: 'KSampler', atStep: 3, exception_type: 'E' }] }, true],
  [{ version: 1, nodes: [{ class_type: '' }] }, false],
  [
    { version: 1, faults: [{ when: { path: '/prompt', nth: [1, 2] }, then: { status: 503 } }] },
    true,
  ],
  [{ version: 1, faults: [{ when: {}, then: { status: 200 } }] }, false],
  [{ version: 1, faults: [{ when: {}, then: { reset: { afterBytes: 3 } } }] }, true],
  [{ version: 1, faults: [{ when: {}, then: { reset: { afterByts: 3 } } }] }, false],
  [{ version: 1, gateway: { agent: [{ route: 'a', answer: 'b' }] } }, true],
  [{ version: 1, gateway: { agents: [] } }, false],
]

test('ajv and our own check agree about scenarios', () => {
  const takes = new Ajv2020({ allowUnionTypes: true }).compile(scenarioDocument() as object)
  const schema = scenarioFileSchema()
  for (const [sample, isValid] of samples) {
    const text = JSON.stringify(sample)
    expect([takes(sample), text]).toEqual([isValid, text])
    expect([violations(schema, sample).length === 0, text]).toEqual([isValid, text])
  }
})
