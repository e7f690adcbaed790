// Which options each of the servers of `serve` is given, and which of them a server refuses.

import { type EmulatorOptions, startEmulator } from 'flowdouble'
import { expect, test } from 'vitest'
import { planServers, readFlags } from '../../../dist/emulator/internal.js'
import { fileOf } from '../../support/spawned.ts'

const quiet = { write: () => undefined }
const plan = (...argv: readonly string[]) =>
  planServers(readFlags(argv), { stdout: quiet, stderr: quiet, env: { TOKEN: 'tok' }, cwd: '/' })
const ports = (...argv: readonly string[]) =>
  plan(...argv).map(({ deployment, port }) => [deployment, port])
const accounts = [{ user: 'alice', keys: ['KEY-OF-ALICE'], tier: 'creator' }]

test('serve/ports Three ports in a row from the first one: local, hosted, its signed links.', () => {
  const both = ['--deployment', 'both']
  expect(ports()).toEqual([['local', 8188]])
  expect(ports('--deployment', 'hosted')).toEqual([['hosted', 8189]])
  expect(ports(...both)).toEqual([
    ['local', 8188],
    ['hosted', 8189],
  ])
  expect(ports(...both, '--port', '9000')).toEqual([
    ['local', 9000],
    ['hosted', 9001],
  ])
  expect(ports(...both, '--port', '0')).toEqual([
    ['local', 0],
    ['hosted', 0],
  ])
  expect(ports(...both, '--port', '65533')).toHaveLength(2)
  expect(() => ports(...both, '--port', '65534')).toThrow('both takes 3 ports in a row')
  expect(() => ports('--deployment', 'hosted', '--port', '65535')).toThrow('2 ports in a row')
})

test('serve/both Each server gets its own quirks, journal and credentials.', () => {
  const quirks = ['workflows.invalid-is-200', 'local.zombie-socket', 'hosted.no-free']
  const config = fileOf({
    deployment: 'both',
    quirk: quirks,
    journal: 'run.jsonl',
    port: 0,
    accounts,
  })
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

test('serve/both A failure of a user of the config is known, and what nobody looks at is read.', () => {
  const config = fileOf({ accounts })
  const scenario = (user: string) => fileOf([{ user, exception_type: 'OOMError' }])
  const args = ['--config', config, '--deployment', 'hosted', '--failures']
  expect(plan(...args, scenario('alice'))).toHaveLength(1)
  expect(() => plan(...args, scenario('bob'))).toThrow('--failures cannot be used: failure 1 is')
  const wrong = fileOf({ accounts: [{ user: 'alice' }] })
  expect(() => plan('--config', wrong)).toThrow(/option "accounts" of .* cannot be used: account 1/)
  expect(plan('--config', config)[0]).not.toHaveProperty('accounts')
})

test.each([
  ['local', { accounts }, 'option accounts is for hosted servers, and this one is local'],
  ['local', { strictSignedLinks: true }, 'option strictSignedLinks is for hosted servers'],
  ['local', { signedBaseUrl: 'http://a' }, 'option signedBaseUrl is for hosted servers'],
  ['hosted', { token: 'SECRET' }, 'option token is for local servers, and this one is hosted'],
  ['hosted', { cors: '*' }, 'option cors is for local servers'],
  ['hosted', { manager: true }, 'option manager is for local servers'],
] as const)('serve/options A %s server is not given %o.', async (deployment, given, says) => {
  const options = { deployment, ...given } as EmulatorOptions
  await expect(startEmulator(options)).rejects.toThrow(says)
  await expect(startEmulator(options)).rejects.not.toThrow('SECRET')
})

test('serve/options What holds anyway can be said, so that options can be passed on.', async () => {
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
