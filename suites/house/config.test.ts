// The published JSON Schema of the config file matches the table of options. With -u it is written again.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { configSchema, defaults } from '../../dist/emulator/internal.js'

test('config.schema.json is up to date', async () => {
  const text = `${JSON.stringify(configSchema(), null, 2)}\n`
  await expect(text).toMatchFileSnapshot('../../spec/config.schema.json')
})

test('the schema accepts the defaults and rejects what serve rejects', () => {
  const takes = new Ajv2020({ allowUnionTypes: true }).compile(configSchema() as object)
  expect(takes(defaults)).toBe(true)
  expect(takes({ port: 70000 })).toBe(false)
  expect(takes({ clock: 'fast' })).toBe(false)
  expect(takes({ quirk: ['no.such'] })).toBe(false)
  expect(takes({ colour: 'red' })).toBe(false)
})
