// What holds for every request for assets: it gets an answer of the spec, whatever was uploaded before.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { endpoints } from '../../spec/assets/assets.ts'
import type { Endpoint, ReplyBody } from '../../spec/language.ts'
import { formOf } from '../generate/form.ts'
import { violations } from '../judge/judge.ts'
import { noContent } from '../judge/own-assets.ts'
import { startSubject, type Subject } from '../judge/subject.ts'
import { runs } from '../support/effort.ts'
import { nobody } from '../judge/hosted/jobs.ts'

const text = fc.constantFrom(
  '',
  'a',
  'input',
  'models,model_type:loras',
  'missing',
  'grün',
  '\0',
  '__proto__',
  '[]',
  '{"a": 1}',
  'x'.repeat(600),
  '-1',
  '5',
  'name',
  '../..',
)
/** A place in the lists of what the server has sent so far. */
const earlier = fc.nat({ max: 5 })
const field = fc.constantFrom('tags', 'name', 'user_metadata', 'mime_type', 'preview_id', 'id')

type Part = { readonly name: string; readonly filename?: string; readonly content: string }
const parts: fc.Arbitrary<Part[]> = fc.array(
  fc.oneof(
    fc.record({ name: fc.constant('tags'), content: fc.constant('input') }),
    fc.record({ name: field, content: text }),
    fc.record({
      name: fc.constant('file'),
      filename: fc.constantFrom('a.png', '..', '/', 'a/b.svg', 'x'.repeat(300)),
      content: text,
    }),
  ),
  { maxLength: 5 },
)
const bodyOf = fc.oneof(
  fc.record({
    tags: fc.constantFrom(['a'], [], 'a,b', null),
    hash: fc.constantFrom(noContent, 'x', 5),
    name: fc.option(text),
    user_metadata: fc.constantFrom({}, [], null),
    roots: fc.constantFrom(['input'], [], 5),
  }),
  fc.constantFrom([], null, 5, 'x'),
)

const request = fc.record({
  endpoint: fc.constantFrom<Endpoint>(...Object.values(endpoints)),
  id: fc.oneof(earlier, fc.constantFrom(nobody, 'x', '%00')),
  hash: fc.oneof(earlier, fc.constantFrom(noContent, 'x', '%2e%2e')),
  query: fc.array(fc.tuple(fc.nat(), text), { maxLength: 3 }),
  form: parts,
  json: bodyOf,
})

const fits = (body: ReplyBody, method: string, reply: { readonly text: string }): boolean =>
  typeof body !== 'object' ||
  method === 'HEAD' ||
  violations(body, JSON.parse(reply.text)).length === 0

/** Sends requests, and expects each answer to be one of its endpoint. */
async function expectAnswers(subject: Subject, count: number): Promise<ReadonlySet<number>> {
  const made: { id: string; hash?: string }[] = []
  const seen = new Set<number>()
  const property = fc.asyncProperty(request, async ({ endpoint, id, hash, query, form, json }) => {
    const { method, path, replies } = endpoint
    const ownId = typeof id === 'number' ? (made.at(-1 - id)?.id ?? nobody) : id
    const ownHash = typeof hash === 'number' ? (made.at(-1 - hash)?.hash ?? noContent) : hash
    const names = Object.keys(endpoint.query ?? {})
    const asked = new URLSearchParams(
      query.flatMap(([at, value]): [string, string][] =>
        names.length === 0 ? [] : [[names[at % names.length] as string, value]],
      ),
    )
    const target = `${path.replace('{id}', ownId).replace('{hash}', ownHash)}?${asked.toString()}`
    const reply =
      endpoint.body === 'multipart'
        ? await subject.request(method, target, ...formOf(...form))
        : await subject.request(method, target, JSON.stringify(json))
    seen.add(reply.status)
    const isUnknown = path.includes('{id}') && (ownId === 'x' || ownId === '%00')
    const expected = isUnknown ? { 404: 'empty', 405: 'text' } : replies
    const body = (expected as Readonly<Record<number, ReplyBody>>)[reply.status]
    const isFit = body !== undefined && fits(body, method, reply)
    expect({ method, target, status: reply.status, isFit }).toMatchObject({ isFit: true })
    if (reply.status === 201) made.push(reply.json())
  })
  await fc.assert(property, { seed: 20261123, numRuns: count })
  return seen
}

test.each(['comfyui-0.27', 'comfyui-0.38'] as const)(
  'assets/answered %s answers every request for assets as the spec says.',
  async (like) => {
    const subject = await startSubject({ like, assets: true, assetHashing: true })
    try {
      const seen = await expectAnswers(subject, runs(1200))
      for (const status of [200, 201, 202, 400, 404, 405]) expect(seen).toContain(status)
      expect((await subject.get('/system_stats')).status).toBe(200)
    } finally {
      await subject.close()
    }
  },
)
