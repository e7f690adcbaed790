// The command `learn`: what it writes, what it prints, and what it refuses.

import { startEmulator } from 'flowdouble'
import {
  learn,
  learnCommand,
  typesOfWorlds,
  validateCommand,
  writeHar,
} from '../../../dist/emulator/internal.js'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { learnedWorld, play } from '../../support/recordings/learned.ts'
import {
  type CommandRow,
  commandRows,
  type Output,
  refusals,
  titled,
} from '../../support/in-process.ts'
import { newFiles } from '../../support/files.ts'
import { bytesOf } from '../../support/recordings/recording.ts'
import { forTest } from '../../support/for-test.ts'

const session = async (): Promise<string> =>
  writeHar(
    (await play({ pace: 30 }, [{ get: '/system_stats' }, { submit: solid() }, { download: 1 }]))
      .recording,
  )

test('learn/command It writes a scenario with its files, which a server accepts.', async () => {
  const folder = newFiles({ 'a.har': await session() })
  const { code, stdout } = await folder.run(learnCommand, 'a.har', '--out', 'a.yaml')
  expect(stdout).toMatch(/^durations +2 node types$/m)
  expect(stdout).toMatch(/Wrote a.yaml and 1 file in a.files. Play it with: flowdouble serve/)
  expect(code).toBe(0)
  expect(folder.names('a.files')).toEqual([expect.stringMatching(/^[0-9a-f]+\.png$/)])
  expect(folder.names()).toEqual(['a.files', 'a.har', 'a.yaml'])
  const text = folder.read('a.yaml')
  expect(text).toMatch(/^# Learned by flowdouble learn.\n# not learned: the list of node types/)
  expect(text).toMatch(/class_type: EmptyImage\n +durationMs: 30\n/)
  expect(await folder.run(validateCommand, 'a.yaml')).toMatchObject({ code: 0 })
  await forTest(startEmulator({ port: 0, scenario: folder.path('a.yaml') }))
})

test('learn/json It prints what was learned as JSON.', async () => {
  const folder = newFiles({ 'a.har': await session() })
  const { stdout } = await folder.run(learnCommand, 'a.har', '--out', 'a.yaml', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    out: folder.path('a.yaml'),
    files: 1,
    learned: { runs: '1 run', server: 'local, 0.3.64, like comfyui-0.3.64' },
  })
})

test('learn/overwrite An existing scenario is replaced only with --overwrite.', async () => {
  const folder = newFiles({ 'a.har': await session(), 'a.yaml': 'mine' })
  const refusal = await folder.run(learnCommand, 'a.har', '--out', 'a.yaml')
  expect(refusal).toMatchObject({ code: 2, stdout: '' })
  expect(refusal.stderr).toContain('a.yaml exists already. Replace it with --overwrite')
  expect(folder.read('a.yaml')).toBe('mine')
  const words = ['a.har', '--out', 'a.yaml', '--overwrite']
  expect(await folder.run(learnCommand, ...words)).toMatchObject({ code: 0 })
  expect(folder.read('a.yaml')).toContain('version: 1')
})

const empty = '{"log":{"entries":[]}}'
const gateway =
  '{"log":{"entries":[],"_flowdouble":{"version":1,"origin":"a gateway","place":"gateway"}}}'

/** Runs the command in a folder with these recordings. It writes nothing. */
async function refused(...argv: readonly string[]): Promise<Output> {
  const files = newFiles({ 'empty.har': empty, 'gateway.har': gateway, 'text.har': 'no' })
  const output = await files.run(learnCommand, ...argv)
  expect(files.names()).toHaveLength(3)
  return output
}
const out = ['--out', 'x.yaml']
const from = ['--from', 'http://x']

const wrong: readonly (readonly [argv: readonly string[], says: RegExp])[] = [
  [[], /learn needs --out/],
  [['--out', 'x.json'], /--out needs the ending \.yaml/],
  [out, /learn needs recordings, such as session\.har, or --from URL\./],
  [[...from, ...out, '--timeout', 'long'], /--timeout takes up to/],
  [['empty.har', '--key', 'k', ...out], /--key needs --from\./],
  [['empty.har', ...from, ...out], /Give recordings or --from/],
  [['empty.har', '--like', 'comfy', ...out], /--like: unknown server "comfy"/],
]
const unusable: readonly CommandRow[] = [
  [['empty.har', ...out], 1, '', /Record a run, or at least GET \/object_info/],
  [['gateway.har', ...out], 1, '', /is a session of a gateway/],
  [['text.har', ...out], 1, '', /text\.har is not a HAR file/],
  [['missing.har', ...out], 1, '', /Cannot read a recording: ENOENT/],
  [['--from', 'http://127.0.0.1:1', ...out], 1, '', /Cannot reach http:\/\/127\.0\.0\.1:1/],
]

refusals(refused, titled('learn/refusals', wrong))
commandRows(refused, titled('learn/refusals', unusable))

const types = {
  Only: { input: { required: { n: ['INT', {}] } }, output: ['INT'], output_node: true },
}

test('learn/from A running server is read by GET requests alone, and no key is written.', async () => {
  for (const deployment of ['local', 'hosted'] as const) {
    const server = await startEmulator({ port: 0, deployment, objectInfo: types })
    const credential =
      deployment === 'hosted' ? ['--key', 'test-key'] : ['--token', 'not-asked-for']
    try {
      const folder = newFiles()
      const words = ['--from', server.url, '--out', 'a.yaml', ...credential]
      words.push('--header', 'X-Gate: not-asked-for')
      expect(await folder.run(learnCommand, ...words)).toMatchObject({
        code: 0,
        stderr: '',
      })
      const [name = ''] = folder.names('a.files')
      const learned = JSON.parse(folder.read(`a.files/${name}`)) as object
      expect(learned).toHaveProperty('Only')
      const text = folder.read('a.yaml')
      expect(text).toContain(`deployment: ${deployment}`)
      expect(text).not.toMatch(/test-key|not-asked-for/)
      const asked = await server.requests()
      expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']))
      expect(asked.every(({ headers }) => headers['x-gate'] === 'not-asked-for')).toBe(true)
    } finally {
      await server.close()
    }
  }
})

test('learn/faults A world that is learned from a server takes the faults of another scenario.', async () => {
  const server = await forTest(startEmulator({ port: 0, objectInfo: types }))
  const folder = newFiles()
  const words = ['--from', server.url, '--out', 'a.yaml']
  expect((await folder.run(learnCommand, ...words)).code).toBe(0)
  const faults = [{ when: { path: '/queue' }, then: { status: 503 } }]
  const scenario = [folder.path('a.yaml'), { version: 1 as const, faults }]
  const world = await startEmulator({ port: 0, scenario })
  const learned = await fetch(`${world.url}/object_info`)
  const faulty = await fetch(`${world.url}/queue`)
  await world.close()
  expect(await learned.json()).toHaveProperty('Only')
  expect(faulty.status).toBe(503)
})

/** Accounts that reply differently, each with the key of the recorded client. */
const accounts = [
  { tier: 'standard', partnerKey: null },
  { tier: 'creator', partnerKey: 'for-partners' },
  { tier: 'pro', partnerKey: null },
  { tier: 'free', partnerKey: null },
] as const

for (const account of accounts)
  test(`learn/accounts A world has the ${account.tier} tier of the recorded hosted account.`, async () => {
    const steps = [{ get: '/features' }, { submit: solid() }] as const
    const own = [{ user: 'somebody', keys: ['test-key'], ...account }]
    const recorded = await play({ deployment: 'hosted', accounts: own }, steps)
    const { scenario, notLearned } = learn([recorded.recording], typesOfWorlds(), { from: 'it' })
    expect(scenario.world).toMatchObject({
      accounts: [{ user: 'test-user', tier: account.tier }],
    })
    expect(JSON.stringify(scenario)).not.toMatch(/somebody|for-partners/)
    expect(notLearned.filter((one) => one.includes('balances'))).toEqual([
      'keys and balances of accounts: keys are test-key, test-key-2 and so on, balances full',
    ])
    const learned = await play(learnedWorld(recorded.recording), steps)
    expect(learned.replies[0]).toEqual(recorded.replies[0])
    expect(learned.replies[1]?.[1]).toBe(account.tier === 'free' ? 403 : 200)
  })

test('learn/accounts-not-shown Without a reply that shows a tier, it says that the accounts are those of a world.', async () => {
  const { recording } = await play({ deployment: 'hosted' }, [{ submit: solid() }])
  const { scenario, notLearned } = learn([recording], typesOfWorlds(), { from: 'it' })
  expect(scenario.world).not.toHaveProperty('accounts')
  expect(notLearned).toContain('accounts, tiers and balances: those of a world apply')
})

test('learn/user-data It names the settings and files that clients read and did not write before.', async () => {
  const json = (post: string, value: object) => ({
    post,
    type: 'application/json',
    body: bytesOf(JSON.stringify(value)),
  })
  const { recording } = await play({}, [
    json('/settings', { colour: 'blue' }),
    json('/userdata/notes.json', { one: 1 }),
    json('/userdata/own.json', { two: 2 }),
    { get: '/settings' },
    { get: '/userdata/notes.json' },
    { get: '/userdata/own.json' },
    { get: '/system_stats' },
  ])
  const notes = (from: number): readonly string[] => {
    const later = { ...recording, exchanges: recording.exchanges.slice(from) }
    const { notLearned } = learn([later], typesOfWorlds(), { from: 'it' })
    return notLearned.filter((one) => one.startsWith('settings'))
  }
  expect(notes(0)).toEqual([])
  expect(notes(2)).toEqual([
    'settings and user data: a scenario has none, and clients read settings, userdata/notes.json',
  ])
})
