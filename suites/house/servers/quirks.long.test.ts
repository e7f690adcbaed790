// The rules that each quirk breaks are known: those of which a case fails when it is on, and passes without it.

import { expect, test } from 'vitest'
import { quirks, rules } from '../../../spec/index.ts'
import type { Place, Quirk } from '../../../spec/language.ts'
import { brokenBy } from '../../../spec/truth/broken-by.ts'
import { type Case, type CaseOptions, runCase } from '../../judge/proves.ts'
import { cases } from '../cases.ts'

/** The cases for servers elsewhere, those about the fewest rules first. */
const portable = cases
  .filter(({ needsOwnWorld, ids }) => !needsOwnWorld && ids.every((id) => Object.hasOwn(rules, id)))
  .toSorted((a, b) => a.ids.length - b.ids.length)

const fails = (one: Case, options?: CaseOptions): Promise<boolean> =>
  runCase(one, options).then(
    () => false,
    () => true,
  )

/**
 * The rules whose cases fail with a quirk alone. Of a case about several rules none is added when one of them is known to
 * break: the others are most likely kept.
 */
async function foundBy(id: string, places: readonly Place[]): Promise<readonly string[]> {
  const options = { server: { quirk: [id] }, gateway: { quirk: [id] } }
  const broken = new Set<string>()
  for (const one of portable.filter(({ place }) => places.includes(place)))
    if (
      !one.ids.some((rule) => broken.has(rule)) &&
      (await fails(one, options)) &&
      !(await fails(one))
    )
      for (const rule of one.ids) broken.add(rule)
  return [...broken].toSorted()
}

const breaks: Readonly<Record<string, readonly string[]>> = brokenBy

test.each(Object.entries<Quirk>(quirks))(
  '%s breaks the rules that it names',
  async (id, { on }) => {
    expect(await foundBy(id, on)).toEqual([...(breaks[id] ?? [])].toSorted())
  },
)
