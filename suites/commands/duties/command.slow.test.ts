// `check --client` with commands as processes: what they get to know, what is judged, and how it ends.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import type { CheckEvent } from '../../check/events.ts'
import { clientCommand } from '../../check/duties/main.ts'
import { ciFormats } from '../../support/ci-formats.ts'
import { folder } from '../../support/folder.ts'
import { commandRows, outputOf, refusals } from '../../support/in-process.ts'

/** A client that asks for its run until it is over, and fails if the run has. */
const polling = `
  const { FLOWDOUBLE_URL: url, FLOWDOUBLE_DEPLOYMENT: deployment } = process.env
  if (process.argv[2] !== url || deployment !== 'local') process.exit(9)
  const prompt = {
    1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
    2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'a' } },
  }
  const submit = async () => {
    const body = JSON.stringify({ prompt })
    const { prompt_id } = await (await fetch(url + '/prompt', { method: 'POST', body })).json()
    for (;;) {
      const entry = (await (await fetch(url + '/history/' + prompt_id)).json())[prompt_id]
      if (entry?.status.completed) process.exit(0)
      if (entry !== undefined) process.exit(1)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  }
  submit()
`

/** The command that runs a client. */
function commandOf(source: string): string {
  const file = join(folder(), 'client.cjs')
  writeFileSync(file, source)
  return `'${process.execPath}' '${file}' {url}`
}

const check = (...argv: readonly string[]) => checkIn(process.cwd(), ...argv)

const checkIn = (cwd: string, ...argv: readonly string[]) =>
  outputOf((words, io) => clientCommand(words, { ...io, ...ciFormats, exists: existsSync }), argv, {
    env: process.env,
    cwd,
  })

const eventsOf = (stdout: string): readonly CheckEvent[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CheckEvent)

test('each chosen duty has a verdict, and the exit code says whether one is broken', async () => {
  const argv = ['--client', commandOf(polling), '--deployment', 'local', '--json']
  const duties = ['--duty', 'status-first', '--duty', 'duties/failed-run', '--duty', 'socket-dr*']
  const { code, stdout } = await check(...argv, ...duties)
  const events = eventsOf(stdout)
  const verdicts = events.flatMap((one) =>
    one.event === 'case' ? [[one.rules[0]?.id, one.verdict]] : [],
  )
  expect(verdicts).toEqual([
    ['duties/socket-drop', 'skip'],
    ['duties/status-first', 'fail'],
    ['duties/failed-run', 'pass'],
  ])
  expect(code).toBe(1)
  expect(events.at(0)).toMatchObject({ event: 'start', version: 1, cases: 3 })
  expect(events.at(-1)).toMatchObject({
    event: 'end',
    counts: { pass: 1, fail: 1, skip: 1 },
    runs: 3,
    exitCode: 1,
  })
  const failed = events.find((one) => one.event === 'case' && one.verdict === 'fail')
  expect(failed).toMatchObject({
    failure: {
      message: 'The command ended with exit code 0.',
      command: expect.stringMatching(/--deployment local --duty status-first$/),
    },
  })
})

test('nothing is judged if the command fails where nothing goes wrong', async () => {
  const { code, stdout } = await check('--client', commandOf(polling), '--deployment', 'hosted')
  expect(code).toBe(5)
  expect(stdout).toContain('warning: hosted: The command fails on a server on which nothing')
  expect(stdout).toMatch(/\d+ {2}no-run {2}The client fails on a server/)
  expect(stdout).toMatch(
    /The duties of the client were not judged\. Exit code 5: not measured\.\n$/,
  )
})

test('a command that does not end is ended, with the processes that it started', async () => {
  const endless = `'${process.execPath}' -e 'setInterval(() => {}, 1000)' & wait`
  const argv = ['--client', endless, '--duty', 'failed-run', '--seconds', '0.2']
  const stdout = expect.stringContaining('exit code null')
  expect(await check(...argv)).toMatchObject({ code: 5, stdout })
})

test('a client has the reports and the baseline of a server', async () => {
  const cwd = folder()
  const argv = ['--client', commandOf(polling), '--deployment', 'local', '--name', 'poller']
  const duties = ['--duty', 'status-first', '--duty', 'failed-run', '--duty', 'socket-drop']
  const reports = ['--html', 'a.html', '--junit', 'a.xml', '--markdown', 'a.md']
  const known = ['--baseline', 'known.json']
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8')
  const first = await checkIn(cwd, ...argv, ...duties, ...reports)
  expect(first.code).toBe(1)
  expect(first.stdout).toMatch(
    /^poller {2}client, local, 3 cases\n[\s\S]*FAIL {2}duties\/status-first[\s\S]*1 of 2 judged duties/,
  )
  expect(read('a.html')).toContain('Which client was judged, when, and with what outcome?')
  expect(read('a.html')).toContain('The client opens no socket.')
  expect(read('a.html')).not.toMatch(/Which known server|leave anything behind/)
  expect(read('a.xml')).toContain('tests="4" failures="1" errors="0" skipped="1"')
  expect(read('a.md')).toMatch(/\| Target \| poller \|\n\| Kind \| client \|/)
  const written = await checkIn(cwd, ...argv, ...duties, ...known, '--update-baseline')
  expect(written).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/lists 1 known failure now: 1 added, 0 removed, 0 kept/),
  })
  expect(JSON.parse(read('known.json'))).toMatchObject({
    failures: [{ title: expect.stringMatching(/^duties\/status-first /), place: 'local' }],
  })
  const second = await checkIn(cwd, ...argv, ...duties, ...known, '--json')
  expect(second.code).toBe(0)
  expect(eventsOf(second.stdout)).toContainEqual(
    expect.objectContaining({ verdict: 'fail', baseline: 'known' }),
  )
  const entry = { title: 'duties/gone', place: 'local', reason: 'It was so.' }
  writeFileSync(join(cwd, 'known.json'), JSON.stringify({ version: 1, failures: [entry] }))
  const stale = await checkIn(cwd, ...argv, '--duty', 'failed-run', ...known)
  expect(stale).toMatchObject({ code: 3, stdout: expect.stringContaining('lists duties/gone') })
  const missing = await checkIn(cwd, ...argv, '--baseline', 'nowhere.json')
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('nowhere.json') })
})

commandRows(check, {
  'check/client-list The duties can be listed': [
    ['--list', '--deployment', 'local', '--duty', 'retry-after'],
    0,
    /^duties\/retry-after {2}local {2}A client/,
    '',
  ],
  'check/client-help It explains itself': [['--help'], 0, /^Usage: flowdouble check --client/, ''],
})

refusals(check, {
  'check/client-usage No command': [[], /^--client needs the command of your client\./],
  'check/client-usage An unknown duty': [
    ['--client', 'x', '--duty', 'nothing*'],
    /^--duty nothing\* matches no duty \(see --list\)\./,
  ],
  'check/client-usage No time': [
    ['--client', 'x', '--seconds', '0'],
    /^--seconds is a number up to 3600, not 0\./,
  ],
  'check/client-usage An unknown deployment': [
    ['--client', 'x', '--deployment', 'moon'],
    /^--deployment is local, hosted or both, not moon\./,
  ],
  'check/client-usage An unknown flag': [['--clint', 'x'], /^Unknown option '--clint'/],
})
