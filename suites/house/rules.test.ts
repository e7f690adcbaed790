// Every statement has a rule, every rule a case, every case a rule; rules read well and schemas are valid.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { generations, generationsOf, holdsIn } from '../../spec/generations.ts'
import type { Endpoint, Quirk, Rule, Schema } from '../../spec/language.ts'
import {
  areas,
  endpoints as serverEndpoints,
  errors,
  gatewayEndpoints,
  messages,
  quirks,
  rules,
} from '../../spec/index.ts'
import { statements } from '../render/rules.ts'
import { schemasOf } from '../render/shapes.ts'
import { proven } from './cases.ts'

const endpoints = { ...serverEndpoints, ...gatewayEndpoints }
const suites = join(import.meta.dirname, '..')
const spec = join(suites, '..', 'spec')
const entries: [string, Rule][] = Object.entries(rules)
const titles = entries.map(([id, rule]) => `${id}: ${rule.says}`)

describe('statements', () => {
  const carried = new Set(entries.flatMap(([, rule]) => rule.carries ?? []))

  test('each statement is carried by a rule, and each rule carries statements that exist', () => {
    expect([...carried].toSorted()).toEqual(statements.map(([number]) => number).toSorted())
  })

  test('stated rules carry statements, and others do not', () => {
    const wrong = entries.filter(([, { basis, carries }]) => (basis === 'stated') !== !!carries)
    expect(wrong.map(([id]) => id)).toEqual([])
  })
})

describe('rules', () => {
  test('observed rules name their source, and others do not', () => {
    const named = /^(ComfyUI \d|published hosted API|hosted service|clients of|reference gateway)/
    const wrong = entries.filter(([, { basis, source = '' }]) =>
      basis === 'observed' ? !named.test(source) : source !== '',
    )
    expect(wrong.map(([id]) => id)).toEqual([])
  })

  test('only observed rules depend on a library', () => {
    const wrong = entries.filter(([, { basis, library }]) => library && basis !== 'observed')
    expect(wrong.map(([id]) => id)).toEqual([])
  })

  test('each sentence occurs once', () => {
    const sentences = entries.map(([, rule]) => rule.says)
    expect(sentences.filter((says, at) => sentences.indexOf(says) !== at)).toEqual([])
  })

  test('each sentence is short and ends in a full stop', () => {
    const wrong = entries.filter(([, { says }]) => says.length >= 100 || !/^\S.*\.$/.test(says))
    expect(wrong.map(([id]) => id)).toEqual([])
  })

  test('sentences do not say should, must or may', () => {
    expect(titles.filter((title) => /\b(should|must|may)\b/i.test(title))).toEqual([])
  })

  test('each id is kebab-case and begins with the name of its file', () => {
    const wrong = Object.entries(areas).flatMap(([area, { rules: own }]) =>
      Object.keys(own).filter((id) => !new RegExp(`^${area}/[a-z0-9]+(-[a-z0-9]+)*$`).test(id)),
    )
    expect(wrong).toEqual([])
  })

  test('no id stands twice in an area, where the later one would replace the other', () => {
    const files = readdirSync(spec, { recursive: true, encoding: 'utf8' })
    const sources = files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(spec, file), 'utf8'))
    const keys = sources.flatMap((text) => text.match(/(?<=')[\w-]+\/[\w-]+(?=':\s)/g) ?? [])
    const written = keys.filter((key) => Object.hasOwn(rules, key))
    expect(written.toSorted()).toEqual(entries.map(([id]) => id).toSorted())
  })

  test('each file with rules is an area of the index', async () => {
    const files = ['server', 'gateway', 'v2'].flatMap((folder) =>
      readdirSync(join(spec, folder)).map((file) => join(folder, file)),
    )
    for (const file of files) {
      const module: Record<string, unknown> = await import(join(spec, file))
      if ('rules' in module) expect(Object.keys(areas)).toContain(basename(file, '.ts'))
    }
  })

  test('no two areas have the same rule or endpoint', () => {
    const modules: { rules: object; endpoints?: object }[] = Object.values(areas)
    const ruleCount = modules.reduce((sum, area) => sum + Object.keys(area.rules).length, 0)
    const names = modules.flatMap((area) => Object.keys(area.endpoints ?? {}))
    expect(ruleCount).toBe(entries.length)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
    expect(names).toHaveLength(Object.keys(endpoints).length)
  })

  test.each(generations)('no two endpoints of %s have the same method and path', (generation) => {
    const routes = Object.values<Endpoint>(endpoints)
      .filter((one) => holdsIn(generation, one))
      .flatMap(({ on, method, path }) => on.map((place) => `${place} ${method} ${path}`))
    expect(routes.filter((route, at) => routes.indexOf(route) !== at)).toEqual([])
  })

  test('only what is on local alone differs between generations, and all of it holds in some', () => {
    const held: [string, Rule | Endpoint][] = [...entries, ...Object.entries<Endpoint>(endpoints)]
    // What ends with a generation of local servers holds on hosted all the same.
    const wrong = held.filter(
      ([, { on, since, before }]) =>
        (since !== undefined && on.join() !== 'local') ||
        (before !== undefined && !on.includes('local')),
    )
    const never = held.filter(([, one]) => generationsOf([one]).length === 0)
    expect([...wrong, ...never].map(([id]) => id)).toEqual([])
  })
})

describe('cases', () => {
  test('each rule has a case on each of its deployments', () => {
    const pairs = entries.flatMap(([id, { on }]) =>
      on.map((deployment) => `${id} on ${deployment}`),
    )
    expect(pairs.filter((pair) => !proven.has(pair))).toEqual([])
  })

  test('each quirk has a case on each of its deployments', () => {
    const pairs = Object.entries<Quirk>(quirks).flatMap(([id, { on }]) =>
      on.map((deployment) => `quirks/${id} on ${deployment}`),
    )
    expect(pairs.filter((pair) => !proven.has(pair))).toEqual([])
  })
})

describe('schemas', () => {
  const ajv = new Ajv2020({ strict: true })
  ajv.addKeyword('volatile')
  const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

  test.each(Object.entries(endpoints))('of the endpoint %s compile', (_, endpoint) => {
    const {
      query,
      body,
      replies,
      hostedReplies,
    }: (typeof endpoints)[keyof typeof endpoints] & {
      query?: object
      body?: unknown
      hostedReplies?: object
    } = endpoint
    const all = [query ?? {}, { body }, replies, hostedReplies ?? {}].flatMap(Object.values)
    for (const schema of all.filter(isSchema)) ajv.compile(schema)
  })

  test.each(Object.entries(messages))('of the message %s compile', (_, { data }) => {
    ajv.compile(data)
  })

  test.each(schemasOf({ ...areas, errors }))('named %s compile', (_, schema) => {
    ajv.compile(schema)
  })
})
