// The generated documents are valid, and can be read by others.

import asyncapiSchema from '@asyncapi/specs/schemas/3.0.0-without-$id.json' with { type: 'json' }
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { documentName } from '../../spec/generations.ts'
import { order } from '../../spec/index.ts'
import type { Order, State } from '../../spec/server/order.ts'
import { documentText, type Part } from '../render/documents.ts'
import { renderAsyncapi } from '../render/asyncapi.ts'
import { sampleRun } from '../render/messages.ts'
import { renderControl } from '../render/control.ts'
import { everywhere, renderOpenapi } from '../render/openapi.ts'

const documents: readonly (readonly [string, Part])[] = [
  ...everywhere.map((where) => [documentName(where), renderOpenapi(where)] as const),
  ['control', renderControl()],
]

test.each(documents)('openapi.%s.json is valid OpenAPI 3.1', async (_, document) => {
  const { valid, errors } = await new Validator().validate(document)
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
})

test.each(documents)('openapi.%s.json can be read by generators of clients', (_, document) => {
  // They make an enumeration of a constant, for which a boolean has no name.
  expect(documentText(document)).not.toMatch(/"const": (?:true|false)/)
})

test('no filter of the control API is required', () => {
  const required = /"in": "query",\s+"required": true/
  expect(documentText(renderControl())).not.toMatch(required)
})

test('asyncapi.json is valid AsyncAPI 3', () => {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(asyncapiSchema)
  validate(renderAsyncapi())
  expect(validate.errors ?? []).toEqual([])
})

test.each(documents)(
  'no two paths of openapi.%s.json differ in the names of their parts only',
  (_, document) => {
    const shapes = Object.keys(document['paths'] as Part).map((path) =>
      path.replace(/\{\w+\}/g, '{}'),
    )
    expect(shapes.filter((shape, at) => shapes.indexOf(shape) !== at)).toEqual([])
  },
)

test.each([
  ...documents.map(([name, document]): [string, Part] => [`openapi.${name}.json`, document]),
  ['asyncapi.json', renderAsyncapi()],
])('the references of %s lead somewhere, and its schemas compile', (_, document) => {
  const targets = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]*)"/g)]
  const found = (path: string) =>
    path.split('/').reduce<unknown>((part, key) => (part as Part | undefined)?.[key], document)
  expect(targets.filter(([, path = '']) => found(path) === undefined)).toEqual([])
  const { schemas } = document['components'] as { schemas: Part }
  const ajv = new Ajv2020({ strict: true }).addVocabulary(['components'])
  for (const name of Object.keys(schemas)) {
    ajv.compile({ components: { schemas }, $ref: `#/components/schemas/${name}` })
  }
})

test('the sample run of PROTOCOL.md keeps the order table', () => {
  const { first, last, next }: Order = order.local
  const end = sampleRun.reduce<State | undefined>(
    (state, [kind]) => (state === undefined ? undefined : next[state][kind]),
    first,
  )
  expect(last).toContain(end)
})

test('each state of the order tables is reached', () => {
  for (const { first, next } of Object.values<Order>(order)) {
    const reached = new Set<State>([first])
    for (const state of reached) for (const to of Object.values(next[state])) reached.add(to)
    const used = (Object.keys(next) as State[]).filter(
      (state) => Object.keys(next[state]).length > 0,
    )
    expect(used.filter((state) => !reached.has(state))).toEqual([])
  }
})
