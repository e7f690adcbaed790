// Each committed recording keeps the laws, by our worlds as by a real server. It is sent to the emulator: what came then comes
// again, or a quirk names the difference.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator, startGateway } from 'flowdouble'
import { readRecording } from '../../dist/emulator/internal.js'
import { traceOf } from '../../dist/emulator/session/index.js'
import { judgeTraces } from '../check/trace/judge-traces.ts'
import { newFiles } from '../support/files.ts'
import { expect } from '../judge/expect.ts'
import { test } from '../judge/proves.ts'
import { laws } from '../laws/index.ts'
import { sessions } from './sessions.ts'

const folder = join(import.meta.dirname, '../../recordings/sessions')

/** A slow run must still be at work when the next request comes: its world keeps real time. */
const hasSlowRun = (text: string): boolean => text.includes('FlowdoubleSlow')

/** What a browser leaves out cannot be sent: the form of an upload. */
const notSent: Readonly<Record<string, number>> = { 'browser-run.har': 1 }

const keys = ['--key', 'test-key', '--second-key', 'other-key', '--free-key', 'test-key-free']

type Options = Parameters<typeof startEmulator>[0]

/** Sends a recording to a world with these options. */
const sent = async (file: string, options: Options) => {
  const { check, write } = newFiles()
  const text = readFileSync(join(folder, file), 'utf8')
  const world = await startEmulator({
    clock: hasSlowRun(text) ? 'real' : 'instant',
    preview: 'jpeg',
    models: 'any',
    ...options,
  })
  try {
    write(file, text)
    const flags = ['--json', '--allow', 'all', ...(options?.deployment === 'hosted' ? keys : [])]
    const { code, cases, stderr } = await check('--recording', file, world.url, ...flags)
    const withVerdict = (verdict: 'fail' | 'skip' | 'pass') =>
      cases(verdict).map(({ title, detail }) => [title, detail])
    expect({ code, stderr, failed: withVerdict('fail') }).toEqual({
      code: 0,
      stderr: '',
      failed: [],
    })
    expect(withVerdict('skip')).toHaveLength(notSent[file] ?? 0)
    expect(withVerdict('pass').length).toBeGreaterThan(0)
  } finally {
    await world.close()
  }
}

/** Sends a recording, perhaps changed, to a gateway with the route that it names, and its secret of today. */
const sentToGateway = async (
  file: string,
  change = (text: string): string => text,
  expected = 0,
) => {
  const { check, write } = newFiles()
  const secret = 'another-secret-of-the-sender'
  const routes = { ci: { secret, prompt: 'Build {status}', deliver: 'log' } }
  const gateway = await startGateway({ port: 0, clock: 'instant', epoch: 'now', routes })
  try {
    write(file, change(readFileSync(join(folder, file), 'utf8')))
    const flags = ['--gateway', gateway.url, '--route', 'ci', '--secret', secret]
    const { code, stderr, events } = await check('--recording', file, ...flags, '--json')
    expect({ code, stderr }).toEqual({ code: expected, stderr: '' })
    const verdicts = events().flatMap((one) => (one.event === 'case' ? [one.verdict] : []))
    expect(verdicts.filter((one) => one === 'fail')).toHaveLength(expected)
    expect(verdicts).toContain('pass')
  } finally {
    await gateway.close()
  }
}

const files = readdirSync(folder).filter((one) => one.endsWith('.har'))
for (const file of files) {
  const recording = readRecording(readFileSync(join(folder, file), 'utf8'), file)
  const { info } = recording
  test(`recorded/${file} It keeps every law that can judge it.`, () => {
    const trace = traceOf(recording, file)
    expect(trace).toBeDefined()
    if (trace === undefined) return
    const results = judgeTraces([trace], laws)
    expect(
      results.flatMap(({ title, found }) => found.map(({ says }) => ({ title, says }))),
    ).toEqual([])
    expect(results.filter(({ seen }) => seen > 0).length).toBeGreaterThan(1)
  })
  if (info?.place === 'gateway') {
    test(`recorded/${file} A gateway answers it as it was answered then.`, () =>
      sentToGateway(file))
    test(`recorded/${file} A gateway that answers otherwise is found.`, () =>
      sentToGateway(file, (text) => text.replace(/\\?"accepted\\?"/, '\\"taken\\"'), 1))
    continue
  }
  const options = sessions.find(({ name }) => file === `${name}.har`)?.options ?? {}
  const deployment = info?.place ?? 'local'
  test(`recorded/${file} The emulator answers it as it was answered then.`, () =>
    sent(file, { ...options, deployment }))
  // The recordings of a real server have no block of ours.
  if (info === null)
    test(`recorded/${file} So does the emulator with the quirks of that server.`, () =>
      sent(file, { like: 'comfyui-0.3.64' }))
}
