// Each endpoint and each refusal has rules, on each of its deployments.

import { expect, test } from 'vitest'
import { endpointRules, type Ids, refusalRules, type RefusalRules } from '../../spec/answers.ts'
import { endpoints, gatewayEndpoints, quirks, rules } from '../../spec/index.ts'
import type { Endpoint, Place, Quirk, Rule } from '../../spec/language.ts'

const known: Readonly<Record<string, Rule | Quirk>> = {
  ...rules,
  ...Object.fromEntries(Object.entries(quirks).map(([name, one]) => [`quirks/${name}`, one])),
}
const placesOf = (id: string): readonly Place[] => known[id]?.on ?? []

const all: Readonly<Record<string, Endpoint>> = { ...endpoints, ...gatewayEndpoints }

test('each endpoint has a rule at each place where it is served, and no rule of another', () => {
  const wrong = Object.entries<Ids>(endpointRules).flatMap(([name, ids]) => {
    const { on } = all[name] as Endpoint
    const bare = on.filter((place) => !ids.some((id) => placesOf(id).includes(place)))
    const stray = ids.filter((id) => !placesOf(id).some((place) => on.includes(place)))
    return [...bare, ...stray].map((one) => `${name}: ${one}`)
  })
  expect(wrong).toEqual([])
})

const places = {
  local: 'local',
  assets: 'local',
  hosted: 'hosted',
  'hosted-assets': 'hosted',
  v2: 'hosted',
  router: 'hosted',
  partner: 'hosted',
  oauth: 'hosted',
  plan: 'hosted',
  links: 'hosted',
  gateway: 'gateway',
} as const

test('each refusal has rules, which hold where it is sent', () => {
  const wrong = Object.entries<Readonly<Record<string, RefusalRules>>>(refusalRules).flatMap(
    ([table, refusals]) =>
      Object.entries(refusals).flatMap(([name, found]) => {
        const place = places[table as keyof typeof places]
        const lists: readonly (readonly [string, Ids])[] = Array.isArray(found)
          ? [['other', found as Ids]]
          : Object.entries(found)
        return lists.flatMap(([endpoint, ids]) => {
          const isServed = endpoint === 'other' || all[endpoint]?.on.includes(place) === true
          const stray = ids.filter((id) => !placesOf(id).includes(place))
          const isWrong = !isServed || ids.length === 0 || stray.length > 0
          return isWrong ? [`${table} ${name} ${endpoint}: ${stray.join(', ')}`] : []
        })
      }),
  )
  expect(wrong).toEqual([])
})
