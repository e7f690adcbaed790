// The command `explain`: what it says of the entries of a journal, read from a server and from a file.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { explainCommand } from '../../../dist/emulator/internal.js'
import { solid } from '../../generate/graphs.ts'
import { openSession, untilStill } from '../../judge/client.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { folder } from '../../support/spawned.ts'

async function command(...argv: readonly string[]) {
  const output = { stdout: '', stderr: '' }
  const into = (name: keyof typeof output) => ({
    write: (text: string): void => {
      output[name] += text
    },
  })
  const io = { stdout: into('stdout'), stderr: into('stderr'), env: {}, cwd: '.' }
  const code = await explainCommand(argv, io)
  return { code, ...output }
}

/** A server in which a fault rejects the first submit, the second one runs, and two requests find nothing. */
async function startBusy() {
  const server = await startEmulator({
    clock: 'manual',
    scenario: {
      version: 1,
      faults: [{ id: 'busy', when: { path: '/prompt', nth: 1 }, then: { status: 429 } }],
    },
  })
  const session = await openSession(server.url, '/ws?clientId=me', 'me', untilStill)
  const body = JSON.stringify({ prompt: solid(), client_id: 'me', prompt_id: 'mine' })
  const submit = { method: 'POST', body, headers: { 'Content-Type': 'application/json' } }
  await fetch(`${server.url}/prompt`, submit)
  await fetch(`${server.url}/prompt`, submit)
  await server.advance(25)
  await server.until('idle')
  await fetch(`${server.url}/histroy`)
  await fetch(`${server.url}/view?filename=none.png`)
  const lines = await server.journal()
  const numberOf = (part: string): string =>
    `${lines.slice(1).findLastIndex((line) => line.includes(part))}`
  const close = async (): Promise<void> => {
    await session.close()
    await server.close()
  }
  return { server, numberOf, lines, close }
}

test('explain/reasons An answer is explained by its fault, its endpoint or its refusal', async () => {
  const { server, numberOf, close } = await startBusy()
  const why = async (part: string): Promise<string> => {
    const { stdout } = await command(numberOf(part), '--url', server.url, '--json')
    return (JSON.parse(stdout) as { reasons: string[] }).reasons.join('\n')
  }
  expect(await why('"status":429')).toBe(
    'the fault busy applies: when {"path":"/prompt","nth":1} then {"status":429}\n' +
      (await why('"status":200')),
  )
  expect(await why('"status":200')).toMatch(/^POST \/prompt: /)
  expect(await why('histroy')).toMatch(/^the nearest endpoint is GET \/history\n404: /)
  expect(await why('none.png')).toMatch(/^GET \/view: .*\n404: The file .* does not exist/)
  await close()
})

test('explain/causes A message is explained by the submit, the start and the socket', async () => {
  const { numberOf, lines, close } = await startBusy()
  const file = join(folder(), 'run.jsonl')
  writeFileSync(file, `${lines.join('\n')}\n{"input"`)
  const { code, stdout } = await command(numberOf('execution_success'), '--journal', file)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Entry \d+ at \d+ ms: time passes\n {2}run mine success|message/)
  expect(stdout).toContain('which starts the run mine: time passes')
  expect(stdout).toContain('which submits the run mine: POST /prompt')
  expect(stdout).toContain('which opens socket 1: handshake of socket 1: /ws?clientId=me')
  await close()
})

test('explain/usage Wrong numbers and journals are reported', async () => {
  const file = join(folder(), 'odd.jsonl')
  writeFileSync(file, '{"flowdouble":"journal 2","first":3,"options":{}}\n')
  expect(await command('2', '--journal', file)).toMatchObject({ code: 1 })
  expect(await command('x', '--journal', file)).toMatchObject({ code: 2 })
  expect(await command('1')).toMatchObject({ code: 2 })
  writeFileSync(file, 'text')
  const { code, stderr } = await command('1', '--journal', file)
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^This is not the journal of a server/),
  })
})
