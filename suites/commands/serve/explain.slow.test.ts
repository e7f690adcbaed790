// The command `explain`: what it says of the entries of a journal, read from a server and from a file.

import { startEmulator } from 'flowdouble'
import { rules } from '../../../spec/index.ts'
import { explainCommand } from '../../../dist/emulator/internal.js'
import { node, solid, textToImage } from '../../generate/graphs.ts'
import { openSession, untilStill } from '../../judge/client.ts'
import { expect } from '../../judge/expect.ts'
import { SECRET, startGatewaySubject } from '../../judge/gateway-subject.ts'
import { test } from '../../judge/proves.ts'
import { commandRows, outputOf } from '../../support/in-process.ts'
import { fileOf } from '../../support/spawned.ts'

const command = (...argv: readonly string[]) => outputOf(explainCommand, argv)

/** What the command says as JSON. */
const explained = async (...argv: readonly string[]) =>
  JSON.parse((await command(...argv, '--json')).stdout) as {
    readonly reasons: readonly string[]
    readonly rules: readonly { readonly id: string }[]
    readonly causes: readonly { readonly due?: true }[]
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
  const why = async (part: string): Promise<string> =>
    (await explained(numberOf(part), '--url', server.url)).reasons.join('\n')
  expect(await why('"status":429')).toBe(
    'the fault busy applies: when {"path":"/prompt","nth":1} then {"status":429}\n' +
      (await why('"status":200')),
  )
  expect(await why('"status":200')).toMatch(/^POST \/prompt: /)
  expect(await why('histroy')).toMatch(/^the nearest endpoint is GET \/history\n404: /)
  expect(await why('none.png')).toMatch(/^GET \/view: .*\n404: The file .* does not exist/)
  await close()
})

test('explain/refusals A refused workflow is explained by its errors, apart from what was due when it came', async () => {
  const server = await startEmulator({ clock: 'manual', seed: '7' })
  const post = (prompt: object) =>
    fetch(`${server.url}/prompt`, { method: 'POST', body: JSON.stringify({ prompt }) })
  const missing = node('CheckpointLoaderSimple', { ckpt_name: 'nope.safetensors' })
  const wrong = { ...textToImage(2, 2), '4': missing }
  await post(textToImage(1, 2))
  await server.advance(500)
  await post(wrong)
  const entry = (await server.journal()).slice(1).findIndex((line) => line.includes('"status":400'))
  const { reasons, causes } = await explained(`${entry}`, '--url', server.url)
  expect(reasons[0]).toBe('Value not in list: ckpt_name nope.safetensors (node 4)')
  expect(causes.filter(({ due }) => due !== true)).toEqual([])
  await server.close()
})

test('explain/rules An answer is explained by its rules, of its fault or of the server', async () => {
  const { server, numberOf, close } = await startBusy()
  const idsOf = async (part: string): Promise<readonly string[]> => {
    const now = (await server.journal()).slice(1)
    const at = `${now.findLastIndex((line) => line.includes(part))}`
    return (await explained(at, '--url', server.url)).rules.map(({ id }) => id)
  }
  expect(await idsOf('"status":429')).toEqual(['faults/status', 'faults/text-body'])
  expect(await idsOf('"status":200')).toEqual(['workflows/submit-queues', 'workflows/reply'])
  expect(await idsOf('none.png')).toEqual(['files/view-missing'])
  server.fault({ id: 'late', when: { path: '/queue' }, then: { delayMs: 10 } })
  const late = fetch(`${server.url}/queue`)
  await server.received({ path: '/queue' })
  await server.advance(10)
  await late
  expect(await idsOf('"target":"/queue"')).toEqual([
    'faults/delayed-response',
    'queue/listing',
    'queue/item',
    'queue/by-number',
  ])
  const { stdout } = await command(numberOf('histroy'), '--url', server.url)
  expect(stdout).toContain(`\nRules\n  http/unknown-path  ${rules['http/unknown-path'].says}\n`)
  await close()
})

test('explain/causes A message is explained by the submit, the start and the socket', async () => {
  const { numberOf, lines, close } = await startBusy()
  const file = fileOf(`${lines.join('\n')}\n{"input"`)
  const { code, stdout } = await command(numberOf('execution_success'), '--journal', file)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Entry \d+ at \d+ ms: time passes\n {2}run mine success|message/)
  expect(stdout).toContain('which starts the run mine: time passes')
  expect(stdout).toContain('which submits the run mine: POST /prompt')
  expect(stdout).toContain('which opens socket 1: handshake of socket 1: /ws?clientId=me')
  await close()
})

test('explain/gateway The journal of a gateway is explained, from its address and from a file', async () => {
  const subject = await startGatewaySubject({
    agent: { delayMs: 50 },
    routes: { hook: { secret: SECRET, prompt: 'x', deliver: 'telegram' } },
  })
  const { gateway, post, idle, url } = subject
  const id = { 'X-Request-ID': 'd-1' }
  await post('hook', { a: 1 }, id)
  gateway.failDeliveries({ target: '*', error: 'closed', times: 1 })
  await idle()
  await post('hook', { a: 1 }, id)
  await post('hook', {}, { 'X-Hub-Signature-256': 'sha256=00' })
  const lines = await gateway.journal()
  const entryOf = (part: string) => `${lines.slice(1).findIndex((line) => line.includes(part))}`
  const file = fileOf(`${lines.join('\n')}\n`)
  const refused = await command(entryOf('"refused"'), '--url', url)
  expect(refused.stdout).toContain('POST /webhooks/hook\n')
  expect(refused.stdout).toContain('refused: Invalid signature: github')
  expect(refused.stdout).toMatch(/\n {2}401: /)
  const ended = await command(entryOf('"kind":"outbox"'), '--journal', file)
  expect(ended.stdout).toMatch(/ {2}run d-1 completed\n.* {2}delivery d-1 to telegram failed\n/s)
  expect(ended.stdout).toContain('which posts the event d-1: POST /webhooks/hook')
  expect(ended.stdout).toContain('which makes deliveries fail: deliveries to * fail from now on')
  expect(await explained(entryOf('"duplicate"'), '--journal', file)).toMatchObject({
    causes: [{ entry: 0, because: 'posts the event d-1' }],
    reasons: [expect.stringMatching(/^200: /)],
  })
  await subject.close()
})

const odd = fileOf('{"flowdouble":"journal 2","first":3,"options":{}}\n')
commandRows(command, {
  'explain/usage An entry that the journal does not have': [['2', '--journal', odd], 1, '', /2/],
  'explain/usage Something other than a number': [['x', '--journal', odd], 2, '', /x/],
  'explain/usage Neither a server nor a file': [['1'], 2, '', /--journal/],
  'explain/usage A file that is not a journal': [
    ['1', '--journal', fileOf('text')],
    2,
    '',
    /^This is not the journal of a server/,
  ],
})
