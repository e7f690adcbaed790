// The stack of compose.yaml: pinned images, variables that flags have, files that exist, and services that wait for others.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { serveFlags, variableOf } from '../../../dist/emulator/internal.js'
import { root } from '../../support/packed.ts'

type Service = {
  readonly image: string
  readonly profiles?: readonly string[]
  readonly command?: readonly string[]
  readonly volumes?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly networks?: { readonly default: { readonly aliases: readonly string[] } }
}

const place = join(root, 'recordings/examples/compose')
const { services } = parse(readFileSync(join(place, 'compose.yaml'), 'utf8')) as {
  readonly services: Readonly<Record<string, Service>>
}
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const containerfile = readFileSync(join(root, 'emulator/Containerfile'), 'utf8')

test('house/compose Images are pinned: flowdouble to this version, Node to the base of its image.', () => {
  const base = /^FROM (\S+)$/m.exec(containerfile)?.[1]
  const { gpu, ...ours } = services
  expect(gpu?.profiles).toEqual(['gpu'])
  expect(Object.values(ours).map(({ image }) => image)).toEqual([
    base,
    `ghcr.io/flowdouble/flowdouble:${version}`,
    base,
  ])
})

test('house/compose flowdouble gets variables that its flags have, and the name of the server that it replaces.', () => {
  const { fake, gpu } = services
  const known = Object.keys(serveFlags()).map(variableOf)
  expect(known).toEqual(expect.arrayContaining(Object.keys(fake?.environment ?? {})))
  expect(fake?.networks?.default.aliases).toEqual(gpu?.networks?.default.aliases)
  const [alias] = fake?.networks?.default.aliases ?? []
  for (const { environment = {} } of [services['product'], services['tests']] as Service[])
    expect(environment['COMFYUI_URL']).toBe(`http://${alias}:8188`)
  expect(services['tests']?.environment?.['CONTROL_TOKEN']).toBe(
    fake?.environment?.['FLOWDOUBLE_CONTROL_TOKEN'],
  )
})

test('house/compose Its programs exist, and the tests wait for a healthy server.', () => {
  for (const { command = [], volumes = [] } of Object.values(services)) {
    for (const one of volumes) expect(one).toBe('.:/app:ro')
    for (const word of command.filter((one) => one.startsWith('/app/')))
      expect({ word, exists: existsSync(join(place, word.replace('/app/', ''))) }).toEqual({
        word,
        exists: true,
      })
  }
  expect(services['tests']?.depends_on?.['fake']).toEqual({ condition: 'service_healthy' })
  expect(containerfile).toContain('HEALTHCHECK')
})
