// The options of the servers of `serve`: which ones each receives, and which ones it rejects.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EmulatorOptions, startEmulator, startGateway } from 'flowdouble'
import { test } from 'vitest'
import {
  completeOptions,
  fits,
  optionTable,
  planServers,
  readFlags,
} from '../../../dist/emulator/internal.js'
import { folder } from '../../support/folder.ts'
import { fileOf } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

const quiet = { write: () => undefined }
const plan = (...argv: readonly string[]) =>
  planServers(readFlags(argv), { stdout: quiet, stderr: quiet, env: { TOKEN: 'tok' }, cwd: '/' })
const ports = (...argv: readonly string[]) =>
  Object.fromEntries(plan(...argv).map(({ deployment, port }) => [deployment, port]))
const accounts = [{ user: 'alice', keys: ['KEY-OF-ALICE'], tier: 'creator' }]

test('serve/ports Three ports in a row from the first one: local, hosted, its signed links.', () => {
  const both = ['--deployment', 'both']
  const planned: readonly (readonly [flags: readonly string[], ports: object])[] = [
    [[], { local: 8188 }],
    [['--deployment', 'hosted'], { hosted: 8189 }],
    [both, { local: 8188, hosted: 8189 }],
    [[...both, '--port', '9000'], { local: 9000, hosted: 9001 }],
    [[...both, '--port', '0'], { local: 0, hosted: 0 }],
    [[...both, '--port', '65533'], { local: 65533, hosted: 65534 }],
  ]
  for (const [flags, expected] of planned) expect(ports(...flags)).toEqual(expected)
  expect(() => ports(...both, '--port', '65534')).toThrow('both uses 3 ports in a row')
  expect(() => ports('--deployment', 'hosted', '--port', '65535')).toThrow('2 ports in a row')
})

test('serve/both Each server gets its own quirks, journal and credentials.', () => {
  const quirks = ['workflows.invalid-is-200', 'local.zombie-socket', 'hosted.no-free']
  const given = { deployment: 'both', quirk: quirks, journal: 'run.jsonl', port: 0, accounts }
  const config = fileOf(given)
  const [local, hosted, ...more] = plan('--config', config, '--token-env', 'TOKEN')
  expect(more).toEqual([])
  expect(local).toMatchObject({ quirk: quirks.slice(0, 2), token: 'tok' })
  expect(hosted).toMatchObject({ quirk: [quirks[0], quirks[2]], accounts })
  expect(local).not.toHaveProperty('accounts')
  expect(hosted).not.toHaveProperty('token')
  expect([local?.journal, hosted?.journal].map((file) => file?.split('/').at(-1))).toEqual([
    'run.local.jsonl',
    'run.hosted.jsonl',
  ])
  const [one] = plan('--config', fileOf({ quirk: ['hosted.no-free'] }), '--deployment', 'hosted')
  expect(one).toMatchObject({ deployment: 'hosted', quirk: ['hosted.no-free'] })
})

test('serve/both A failure for a user of the config is known, and unused options are parsed too.', () => {
  const config = fileOf({ accounts })
  const scenario = (user: string) => fileOf([{ user, exception_type: 'OOMError' }])
  const args = ['--config', config, '--deployment', 'hosted', '--failures']
  expect(plan(...args, scenario('alice'))).toHaveLength(1)
  expect(() => plan(...args, scenario('bob'))).toThrow('--failures cannot be used: failure 1 names')
  const wrong = fileOf({ accounts: [{ user: 'alice' }] })
  expect(() => plan('--config', wrong)).toThrow(/option "accounts" of .* cannot be used: account 1/)
  expect(plan('--config', config)[0]).not.toHaveProperty('accounts')
})

test.each([
  [
    'local',
    { accounts },
    'option accounts applies to hosted servers only, and this server is local',
  ],
  ['local', { strictSignedLinks: true }, 'option strictSignedLinks applies to hosted servers only'],
  ['local', { signedBaseUrl: 'http://a' }, 'option signedBaseUrl applies to hosted servers only'],
  [
    'hosted',
    { token: 'SECRET' },
    'option token applies to local servers only, and this server is hosted',
  ],
  ['hosted', { cors: '*' }, 'option cors applies to local servers only'],
  ['hosted', { manager: true }, 'option manager applies to local servers only'],
] as const)('serve/options A %s server is not given %o.', async (deployment, given, says) => {
  const options = { deployment, ...given } as EmulatorOptions
  await expect(startEmulator(options)).rejects.toThrow(says)
  await expect(startEmulator(options)).rejects.not.toThrow('SECRET')
})

test('serve/options Defaults can be given explicitly, so that options can be passed on.', async () => {
  for (const deployment of ['local', 'hosted'] as const) {
    const { options, close } = await startEmulator({ deployment, manager: false, token: null })
    await close()
    await (await startEmulator({ ...options, port: 0 })).close()
  }
})

test('serve/both A program starts one server at a time.', async () => {
  const deployment = 'both' as 'local'
  await expect(startEmulator({ deployment })).rejects.toThrow('startEmulator starts one server')
})

test('serve/unknown An unknown member is rejected everywhere, with the nearest known name.', async () => {
  const given = (options: object) => startEmulator(options)
  const mistakes: readonly (readonly [start: () => unknown, says: string])[] = [
    [() => given({ maxBody: 1, port: 0 }), 'Unknown option maxBody'],
    [() => given({ max_upload_size: 1 }), 'Did you mean maxUploadSize?'],
    [() => given({ startDelay: 1 }), 'Did you mean startDelayMs?'],
    [() => given({ quirk: ['zombie-socket'] }), 'did you mean local.zombie-socket?'],
    [
      () => given({ deployment: 'hosted', accounts: [{ ...accounts[0], teir: 'pro' }] }),
      'account 1 has a member other than user, keys, tier, balance, subscription, partnerKey, failsWith (did you mean tier?)',
    ],
    [() => startGateway({ rateLimits: 1 } as object), 'Did you mean rateLimit?'],
    [
      () => startGateway({ routes: { ci: { secret: 's', promt: '' } } }),
      'option routes cannot be used: the route "ci" has a member other than',
    ],
    [() => startGateway({ agent: { anwser: '' } as object }), '(did you mean answer?)'],
    [() => plan('--prot', '1'), 'Did you mean --port?'],
    [() => plan('--config', fileOf({ maxUploadSizes: 1 })), 'Did you mean maxUploadSize?'],
  ]
  for (const [start, says] of mistakes) await expect((async () => start())()).rejects.toThrow(says)
})

test('serve/options A value out of range is rejected with its range, a word with the possible ones.', () => {
  const mistakes: readonly (readonly [argv: readonly string[], says: string])[] = [
    [['--port', '70000'], 'use a whole number from 0 to 65535'],
    [['--max-upload-size', '0'], 'use a number above 0 and up to 2000'],
    [['--start-delay', '1e9'], 'use a number from 0 to 86400000'],
    [['--preview', 'gif'], 'use one of jpeg, png, none'],
    [['--cors', 'notanorigin'], 'use an origin such as http://localhost:3000, or *'],
  ]
  for (const [argv, says] of mistakes) expect(() => plan(...argv)).toThrow(says)
  const [given] = plan('--config', fileOf({ maxUploadSize: 3, startDelayMs: '3' }))
  expect(completeOptions(given ?? {})).toMatchObject({ maxUploadSize: 3, startDelayMs: 3 })
  expect(completeOptions({ cors: 'app://local' }).cors).toBe('app://local')
})

test('serve/options An account has defaults for everything but its name and its keys.', async () => {
  const { options, close } = await startEmulator({
    deployment: 'hosted',
    accounts: [{ user: 'me', keys: ['key'] }],
  })
  await close()
  expect(options.accounts).toMatchObject([{ tier: 'pro', balance: 1000, partnerKey: null }])
})

test('serve/like With two servers and a gateway each takes the named server for its part.', () => {
  const both = ['--deployment', 'both', '--like', 'comfyui-0.3.64']
  expect(plan(...both).map(({ like }) => like)).toEqual(['comfyui-0.3.64', null])
  const all = plan(...both, '--like', 'hermes-2026.07', '--with-gateway')
  expect(all.map(({ like }) => like)).toEqual(['comfyui-0.3.64', null])
  expect(() => plan(...both, '--like', 'hermes-2026.07')).toThrow('is a gateway')
  expect(() => plan('--like', 'other', '--with-gateway')).toThrow(
    'Known servers: comfyui-0.3.64, comfyui-0.27, comfyui-0.33, comfyui-0.38, hermes-2026.07.',
  )
  expect(() => plan('--like', 'comfy')).toThrow('Did you mean comfyui-0.27?')
  const [file] = plan('--config', fileOf({ like: 'comfyui-0.3.64' }), '--preview', 'png')
  expect(file).toMatchObject({ like: 'comfyui-0.3.64', preview: 'png' })
})

test.each([
  ['{"a": 1,\n "b" 2}', 'is not valid JSON (line 2, column 6)'],
  ['{"a": tru}', 'is not valid JSON (line 1, column 7)'],
  ['{"a": [1, 2', 'is not valid JSON (line 1, column 12)'],
  ['{"a": NaN}', 'is not valid JSON (line 1, column 7)'],
  ['# options\nport: 1\n', '(line 1, column 1); it looks like YAML: convert it to JSON'],
  ['\uFEFF{"port": 1}', 'begins with a byte order mark (BOM): save it as UTF-8 without one'],
  [' \n', 'is empty, not JSON'],
])('serve/options A config is refused with the place: %j', (text, says) => {
  const path = join(folder(), 'config.json')
  writeFileSync(path, text)
  expect(() => plan('--config', path)).toThrow(says)
})

test('serve/options The reader of schemas rejects a keyword that it does not check.', () => {
  expect(() => fits({ maxLength: 3 } as object, 'abc')).toThrow('keyword: maxLength')
  expect(() => fits({ items: { format: 'uri' } } as object, ['a'])).toThrow('keyword: format')
})

test('serve/options The name of an option equals that of its flag, without the no- that switches it off.', () => {
  for (const [name, { flag, bare }] of Object.entries(optionTable)) {
    const positive = bare === 'false' ? flag.replace(/^no-/, '') : flag
    const camel = positive.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    expect([camel, `${camel}Ms`]).toContain(name)
  }
})

/** The plan of servers with these scenarios, a config and flags. */
const planWith = (scenarios: Parameters<typeof planServers>[3], ...argv: readonly string[]) => {
  const io = { stdout: quiet, stderr: quiet, env: {}, cwd: '/' }
  return planServers(readFlags(argv), io, undefined, scenarios)
}

test('serve/scenario The options of a scenario apply, unless a config file or a flag overrides them.', () => {
  const world = { deployment: 'hosted', accounts, pace: 1, seed: 'scenario', startDelayMs: 1 }
  const scenarios = [{ version: 1 as const, world, runs: [{ waitMs: 5 }] }]
  const config = fileOf({ pace: 2, seed: 'config' })
  const [only, ...more] = planWith(scenarios, '--config', config, '--seed', 'flag')
  expect(more).toEqual([])
  expect(only).toMatchObject({
    deployment: 'hosted',
    port: 8189,
    accounts,
    seed: 'flag',
    pace: 2,
    startDelayMs: 1,
    scenario: [{ version: 1, runs: [{ waitMs: 5 }] }],
  })
})

test('serve/scenario Of the options of a scenario each server gets those that apply to it.', () => {
  const scenarios = [{ version: 1 as const, world: { accounts, cors: '*', pace: 3 } }]
  const [local, hosted] = planWith(scenarios, '--deployment', 'both')
  expect(local).toMatchObject({ cors: '*', pace: 3 })
  expect(local).not.toHaveProperty('accounts')
  expect(hosted).toMatchObject({ accounts, pace: 3 })
  expect(hosted).not.toHaveProperty('cors')
})

test('serve/scenario An invalid option of a scenario is reported as one.', () => {
  const scenarios = [
    { version: 1 as const, world: { deployment: 'hosted', quirk: ['local.zombie-socket'] } },
  ]
  expect(() => planWith(scenarios)).toThrow('option "quirk" of the scenario cannot be')
})
