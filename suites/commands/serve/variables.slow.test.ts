// Flags by environment variables: of serve, gateway run, record and replay; what overrides what, and what messages name.

import { test } from 'vitest'
import {
  bareFlags,
  gatewayCommand,
  optionTable,
  planServers,
  readFlags,
  recordCommand,
  replayCommand,
  scenariosCommand,
  serveCommand,
  serveFlags,
  variableOf,
  withVariables,
} from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { newIo, outputOf, running } from '../../support/in-process.ts'
import { fileOf } from '../../support/spawned.ts'

type Variables = Readonly<Record<string, string>>

/** The flags that `serve` reads with these arguments and variables, and what it warns about. */
async function flagsOf(argv: readonly string[], env: Variables) {
  const { io, output } = newIo({ env })
  let flags: ReturnType<typeof readFlags> | undefined
  const read = (all: readonly string[]): Promise<number> => {
    flags = readFlags(all)
    return Promise.resolve(0)
  }
  await withVariables(argv, serveFlags(), io, read, bareFlags)
  if (flags === undefined) throw new Error('It did not run.')
  return { flags, warnings: output.stderr }
}

const portOf = async (argv: readonly string[], env: Variables): Promise<unknown> =>
  planServers((await flagsOf(argv, env)).flags, newIo().io)[0]?.port

const refusalOf = async (env: Variables, command = serveCommand, argv: readonly string[] = []) => {
  const { code, stderr } = await outputOf(command, argv, { env })
  return { code, says: stderr.split('\n')[0] }
}

test('serve/variables Each option is the same by its flag and by its variable.', async () => {
  for (const { flag, many, bare } of Object.values(optionTable)) {
    const value = many ? 'a,b' : bare === 'true' || bare === 'false' ? '1' : 'c'
    const written = many
      ? ['a', 'b'].map((one) => `--${flag}=${one}`)
      : [`--${flag}=${bare ?? value}`]
    const text = bare === '*' ? '*' : value
    const { flags, warnings } = await flagsOf([], { [variableOf(flag)]: text })
    expect({ flags, warnings }).toEqual({ flags: readFlags(written), warnings: '' })
  }
})

test('serve/variables Switches take 1, true, 0 and false; a list with commas inside is a JSON array.', async () => {
  const server = async (env: Variables) => (await flagsOf([], env)).flags
  for (const [value, isOn] of [
    ['1', true],
    ['TRUE', true],
    ['0', false],
    ['false', false],
  ] as const) {
    const env = { FLOWDOUBLE_NO_CONTROL: value, FLOWDOUBLE_QUIET: value, FLOWDOUBLE_MANAGER: value }
    expect(await server(env)).toMatchObject({
      quiet: isOn,
      server: { control: `${!isOn}`, manager: `${isOn}` },
    })
  }
  expect(await server({ FLOWDOUBLE_NODES: '["a,b.json", "c.json"]' })).toMatchObject({
    server: { nodes: ['a,b.json', 'c.json'] },
  })
  expect(await server({ FLOWDOUBLE_SCENARIO: ' a , b ', FLOWDOUBLE_PORT: '' })).toMatchObject({
    server: { scenario: ['a', 'b'] },
  })
})

test('serve/variables A flag overrides its variable, and a variable the config file.', async () => {
  const config = fileOf({ port: 9001 })
  expect(await portOf([], { FLOWDOUBLE_CONFIG: config })).toBe(9001)
  expect(await portOf(['--config', config], { FLOWDOUBLE_PORT: '9002' })).toBe(9002)
  expect(await portOf(['--port', '9003'], { FLOWDOUBLE_PORT: '9002' })).toBe(9003)
  // It is not read at all.
  expect(await portOf(['--port', '9003'], { FLOWDOUBLE_PORT: 'x' })).toBe(9003)
})

test.each([
  [{ FLOWDOUBLE_PORT: 'x' }, /^FLOWDOUBLE_PORT cannot be "x"/],
  [{ FLOWDOUBLE_MANAGER: 'yes' }, /^FLOWDOUBLE_MANAGER must be 1, true, 0 or false, not "yes"/],
  [{ FLOWDOUBLE_QUIET: 'on' }, /^FLOWDOUBLE_QUIET must be 1, true, 0 or false/],
  [{ FLOWDOUBLE_NODES: '["a"' }, /^FLOWDOUBLE_NODES is not a JSON array/],
  [{ FLOWDOUBLE_GATEWAY_PORT: '1' }, /^FLOWDOUBLE_GATEWAY_PORT .*--with-gateway/],
  [
    { FLOWDOUBLE_CORS: '*', FLOWDOUBLE_DEPLOYMENT: 'hosted' },
    /^FLOWDOUBLE_CORS applies to local servers only: use it with FLOWDOUBLE_DEPLOYMENT/,
  ],
] as const)(
  'serve/variables A wrong value is refused by the name of its variable: %j',
  async (env, says) => {
    expect(await refusalOf(env)).toEqual({ code: 2, says: expect.stringMatching(says) })
  },
)

test('serve/variables gateway run, record and replay have them too, and no other command minds them.', async () => {
  const env = { FLOWDOUBLE_PORT: 'x' }
  const says = expect.stringMatching(/^FLOWDOUBLE_PORT /)
  const enabled = { ...env, WEBHOOK_ENABLED: 'true' }
  expect(await refusalOf(enabled, gatewayCommand, ['run'])).toEqual({ code: 2, says })
  const url = 'http://127.0.0.1:1'
  expect(await refusalOf(env, recordCommand, [url, '--out', 'a.har'])).toEqual({ code: 2, says })
  const recording = fileOf({ log: { version: '1.2', creator: {}, entries: [] } })
  expect(await refusalOf({ FLOWDOUBLE_CLOCK: 'x' }, replayCommand, [recording])).toEqual({
    code: 2,
    says: expect.stringContaining('clock'),
  })
  expect(await outputOf(scenariosCommand, [], { env })).toMatchObject({ code: 0, stderr: '' })
  expect(await outputOf(serveCommand, ['--help'], { env })).toMatchObject({ code: 0, stderr: '' })
})

test('serve/variables What is nearly the variable of a flag causes a warning; what has another meaning does not.', async () => {
  const { warnings } = await flagsOf([], { FLOWDOUBLE_SCENRAIO: 'a', FLOWDOUBLE_VERSION: '1' })
  expect(warnings).toBe(
    'flowdouble: ignores the variable FLOWDOUBLE_SCENRAIO. Did you mean FLOWDOUBLE_SCENARIO?\n',
  )
  const others = 'API_KEY SECRET KEY URL DUTY HOME NODE ROUTE EVENT DELIVERY_ID SESSION_KEY SKILLS'
  const env = Object.fromEntries(others.split(' ').map((name) => [`FLOWDOUBLE_${name}`, 'x']))
  expect((await flagsOf([], env)).warnings).toBe('')
})

test('serve/variables A server that has only variables listens, plays and requires the control token elsewhere.', async () => {
  const env = {
    FLOWDOUBLE_PORT: '0',
    FLOWDOUBLE_JSON: 'true',
    FLOWDOUBLE_CLOCK: 'instant',
    FLOWDOUBLE_SCENARIO: 'out-of-memory,slow-answers',
    FLOWDOUBLE_CONTROL_TOKEN: 'SECRET',
  }
  const server = await running(serveCommand, [], { env })
  const { url } = JSON.parse(server.said()) as { readonly url: string }
  const ask = async (more: Readonly<Record<string, string>>): Promise<number> => {
    const headers = { 'X-Forwarded-For': '10.0.0.9', ...more }
    return (await fetch(`${url}/_flowdouble/requests`, { headers })).status
  }
  expect(await ask({})).toBe(403)
  expect(await ask({ Authorization: 'Bearer SECRET' })).toBe(200)
  expect(await server.stop()).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('SECRET'),
  })
})
