// The composite actions: a job that starts a server and checks it, one that checks a server that runs, those that fail, and
// jobs that get a server for their later steps.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { beforeAll, expect, test } from 'vitest'
import { dependencies, pack, root } from '../../support/packed.ts'
import { actionOf, runAction } from './action.ts'

const check = actionOf('check')
const serve = actionOf('serve')

let own: { readonly package: string }

beforeAll(async () => {
  const paths = dependencies.map((name) => join(root, 'node_modules', name))
  own = { package: [(await pack()).tarball, ...paths].join(' ') }
})

const options = '--only queue/item'

test('house/action-inputs Inputs reach a script by its environment alone, and nothing is uploaded.', () => {
  for (const { runs } of [check, serve]) {
    expect(runs.using).toBe('composite')
    for (const step of runs.steps) {
      expect(step.shell).toBe('bash')
      expect(step.run).not.toContain('${{')
    }
  }
})

test('house/action-serves It starts a server, waits for its ready file, checks it, and ends it.', async () => {
  const server = 'flowdouble serve --port 0 --ready-file ready.json & wait'
  const job = await runAction(check, { ...own, server, 'ready-file': 'ready.json', options })
  expect(job).toMatchObject({ code: 0 })
  expect(job.output).toContain('Exit code 0')
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(job.output)?.[0] ?? ''
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  expect(job.summary.replaceAll('\\', '')).toContain(url)
  // What is not broken is a notice; the page of the job shows the first ten annotations.
  expect(job.output).toMatch(/^::notice title=flowdouble check::.* Exit code 0: as expected\.$/m)
  const sarif = JSON.parse(readFileSync(job.outputs['sarif'] ?? '', 'utf8'))
  expect(sarif).toMatchObject({ version: '2.1.0', runs: [{ invocations: [{ exitCode: 0 }] }] })
})

test('house/action-broken What is broken is annotated with its rule, and known failures are not.', async () => {
  const server =
    'flowdouble serve --port 0 --mutant history/kept-only-latest --ready-file ready.json & wait'
  const more = { server, 'ready-file': 'ready.json', options: '--only history/max-items' }
  const job = await runAction(check, { ...own, ...more })
  expect(job).toMatchObject({ code: 1 })
  expect(job.output).toMatch(
    /^::error title=flowdouble check::.*\n::error title=history\/max-items::/m,
  )
  const failures = [{ rule: 'history/max-items', place: 'local', reason: 'It keeps one run.' }]
  const known = JSON.stringify({ version: 1, failures })
  const accepted = await runAction(
    check,
    { ...own, ...more, baseline: 'known.json' },
    { 'known.json': known },
  )
  expect(accepted).toMatchObject({ code: 0 })
  expect(accepted.output).not.toContain('::error')
})

test('house/serve-action Later steps get the address of a server with these options, which outlives the step.', async () => {
  const job = await runAction(serve, {
    ...own,
    options: '--seed 7 --clock manual',
    variable: 'GPU',
  })
  expect(job).toMatchObject({ code: 0 })
  const { url = '', pid, log = '' } = job.outputs
  try {
    expect(job.variables).toEqual({ GPU: url, FLOWDOUBLE_URL: url })
    expect(await (await fetch(`${url}/_flowdouble/clock`)).json()).toMatchObject({
      clock: 'manual',
    })
    expect(readFileSync(log, 'utf8')).toContain('seed 7')
  } finally {
    process.kill(Number(pid))
  }
})

test('house/serve-action A server that ends before it is ready fails the job with what it said.', async () => {
  const job = await runAction(serve, { ...own, options: '--clok manual' })
  expect(job).toMatchObject({ code: 1, outputs: {}, variables: {} })
  expect(job.output).toMatch(/::error title=flowdouble serve::[^]*Did you mean --clock\?/)
})

test('house/action-url It checks a server that runs, with a baseline, and passes the exit code on.', async () => {
  const server = await startEmulator({ port: 0, clock: 'real' })
  const known = '{ "version": 1, "failures": [] }'
  const asked = { ...own, url: server.url, options, baseline: 'known failures.json' }
  try {
    expect(await runAction(check, asked)).toMatchObject({ code: 2, summary: '' })
    expect(await runAction(check, asked, { 'known failures.json': known })).toMatchObject({
      code: 0,
    })
  } finally {
    await server.close()
  }
})

test('house/action-late A server that does not get ready fails the job, with its log.', async () => {
  const server = 'echo nothing to serve'
  const late = { 'ready-file': 'ready.json', 'wait-seconds': '0' }
  const job = await runAction(check, { ...own, server, ...late, options })
  expect(job).toMatchObject({ code: 1, summary: '' })
  expect(job.output).toContain('::error::The server was not ready after 0 s.')
})
