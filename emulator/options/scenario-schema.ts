// The whole JSON Schema of a scenario file: that of the spec, with the options of the server in `world`.

import { scenario } from '../../spec/scenario/scenario.ts'
import type { Schema } from './json-schema.ts'
import { optionTable } from './table.ts'

/** The options of the server in a scenario: those of a config file, apart from the scenario itself. */
function worldSchema(): Schema {
  const properties = Object.fromEntries(
    Object.entries(optionTable)
      .filter(([name]) => name !== 'scenario')
      .map(([name, { help, schema }]) => [name, { description: help, ...schema }]),
  )
  return { ...scenario.properties.world, additionalProperties: false, properties }
}

/** The schema that scenario files are checked against. */
export const scenarioFileSchema = (): Schema => ({
  ...scenario,
  properties: { ...scenario.properties, world: worldSchema() },
})

/** The published JSON Schema of a scenario file. */
export const scenarioDocument = (): unknown => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'scenario.schema.json',
  title: 'Scenario of flowdouble',
  ...scenarioFileSchema(),
})
