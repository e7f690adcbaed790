// Real agents: commands and addresses that answer runs, how the gateway calls them, and how they end.

import { createServer, type Socket } from 'node:net'
import { type Agent, type Delivery, replayGateway } from 'flowdouble'
import { commandAgent, urlAgent } from '../../../dist/emulator/internal.js'
import { agentCall } from '../../../spec/gateway/deliveries.ts'
import { limits } from '../../../spec/limits.ts'
import { provesCli, runGateway, startReceiving } from '../../support/command-line.ts'
import {
  EMPTY_NOTICE,
  failureNotice,
  type GatewaySubject,
  SECRET,
  signed,
} from '../../judge/gateway-subject.ts'
import { violations } from '../../judge/judge.ts'
import { createArrivals } from '../../support/platforms.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'
import { listening } from '../../support/for-test.ts'

const chat = { secret: SECRET, prompt: '{text}', deliver: 'telegram', skills: ['review', 'code'] }
const routes = { hook: chat }

const delivered = createArrivals<Delivery>()
const deliveries = (delivery: Delivery): Promise<void> => {
  delivered.take(delivery)
  return Promise.resolve()
}
/** Posts a text to the route, and waits for the text that is delivered. */
async function ask({ post }: GatewaySubject, text: string, headers = {}): Promise<string> {
  expect((await post('hook', { text, type: ['odd'] }, headers)).status).toBe(202)
  const [delivery] = await delivered.next(1)
  return delivery?.text ?? ''
}

let failures: string[] = []
/** An agent whose command is a script of Node with these arguments. */
const scriptAgent = (script: string, ...args: readonly string[]): Agent =>
  commandAgent([process.execPath, '-e', script, '--', ...args], {
    cwd: folder(),
    env: { KEPT: 'kept' },
    onFailure: (_, stderr) => failures.push(stderr),
  })

const printsInput = `
  let input = ''
  process.stdin.on('data', (chunk) => (input += chunk))
  process.stdin.on('end', () => {
    const env = Object.entries(process.env).filter(([name]) => /^(FLOWDOUBLE_|KEPT)/.test(name))
    console.log(JSON.stringify([input, process.argv.slice(1), Object.fromEntries(env)]))
  })`

proves(
  ['deliveries/agent-asked', 'deliveries/agent-command'],
  async (subject) => {
    const headers = { 'X-Request-ID': 'd-1', 'X-GitHub-Event': 'push' }
    const text = `; echo "$HOME" 'x' \`id\`\n☃${'y'.repeat(100_000)}`
    expect(JSON.parse(await ask(subject, text, headers))).toEqual([
      text,
      ['$HOME; id', '*'],
      {
        KEPT: 'kept',
        FLOWDOUBLE_ROUTE: 'hook',
        FLOWDOUBLE_EVENT: 'push',
        FLOWDOUBLE_DELIVERY_ID: 'd-1',
        FLOWDOUBLE_SESSION_KEY: 'agent:main:webhook:webhook:webhook:hook:d-1:webhook:hook',
        FLOWDOUBLE_SKILLS: 'review,code',
      },
    ])
    // Events of payloads can be anything.
    const [, , environment] = JSON.parse(await ask(subject, 'x', { 'X-Request-ID': 'd-2' }))
    expect(environment.FLOWDOUBLE_EVENT).toBe('["odd"]')
  },
  { routes, deliveries, agent: scriptAgent(printsInput, '$HOME; id', '*') },
)

let address = 'http://127.0.0.1:9'
const toAddress: Agent = (run, signal) => urlAgent(new URL(address))(run, signal)

proves(
  ['deliveries/agent-asked', 'deliveries/agent-answers'],
  async (subject) => {
    const { url, got } = await startReceiving({ status: 200, body: '{"answer": "Well done"}' })
    address = `${url}/agent`
    expect(await ask(subject, 'hi', { 'X-Request-ID': 'd-1' })).toBe('Well done')
    expect(got.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /agent'])
    const body: unknown = JSON.parse(got[0]!.body.toString())
    expect(violations(agentCall, body)).toEqual([])
    expect(body).toEqual({
      prompt: 'hi',
      skills: ['review', 'code'],
      route: 'hook',
      event: ['odd'],
      delivery_id: 'd-1',
      session_key: 'agent:main:webhook:webhook:webhook:hook:d-1:webhook:hook',
    })
  },
  { routes, deliveries, agent: toAddress },
)

proves(
  'deliveries/agent-answers',
  async (subject) => {
    const replies = [
      [200, '{"answer": 5}', failureNotice('the JSON of the agent lacks the member "answer"')],
      [200, 'broken', failureNotice('the JSON of the agent lacks the member "answer"')],
      [500, '{"answer": "x"}', failureNotice('the agent answered 500')],
      [302, '{"answer": "x"}', failureNotice('the agent answered 302')],
    ] as const
    for (const [status, body, text] of replies) {
      const { url, close } = await startReceiving({ status, body })
      address = url
      expect(await ask(subject, 'hi')).toBe(text)
      await close()
    }
    expect(await ask(subject, 'hi')).toBe(failureNotice('network error ECONNREFUSED'))
  },
  { routes, deliveries, agent: toAddress },
)

const obeys = `
  let input = ''
  process.stdin.on('data', (chunk) => (input += chunk))
  process.stdin.on('end', () => eval(input))`

proves(
  'deliveries/agent-answers',
  async (subject) => {
    failures = []
    const scripts = [
      [`process.stdout.write(' two\\nlines \\r\\n\\n')`, 'two\nlines'],
      [`console.error('why'); process.exit(3)`, 'the agent command ended with exit code 3'],
      [`process.kill(process.pid, 'SIGTERM')`, 'the agent command ended with SIGTERM'],
      [`console.log('half'); process.exit(1)`, 'the agent command ended with exit code 1'],
      ['', EMPTY_NOTICE],
    ] as const
    for (const [script, text] of scripts) {
      const expected = text.startsWith('the agent') ? failureNotice(text) : text
      expect(await ask(subject, script)).toBe(expected)
    }
    // What a command prints about its failure is for its operator, not for a chat.
    expect(failures).toEqual(['why\n'])
  },
  { routes, deliveries, agent: scriptAgent(obeys) },
)

proves(
  'deliveries/agent-command',
  async (subject) => {
    expect(await ask(subject, 'x')).toBe(failureNotice('cannot start the agent command: ENOENT'))
  },
  {
    routes,
    deliveries,
    agent: commandAgent(['no-such-command-of-flowdouble'], {
      cwd: folder(),
      env: {},
      onFailure: () => {},
    }),
  },
)

proves(
  'deliveries/agent-too-long',
  async (subject) => {
    const most = limits.agentAnswer.value
    const writes = (count: number) => `process.stdout.write('x'.repeat(${count}))`
    expect((await ask(subject, writes(most))).length).toBe(most)
    const tooLong = failureNotice('the answer is larger than 1048576 bytes')
    expect(await ask(subject, writes(most + 1))).toBe(tooLong)
    // A command that never ends is killed.
    expect(await ask(subject, `setInterval(() => console.log('x'.repeat(1e6)), 0)`)).toBe(tooLong)
  },
  { routes, deliveries, agent: scriptAgent(obeys) },
)

proves(
  'deliveries/agent-too-long',
  async (subject) => {
    const { url } = await startReceiving({
      status: 200,
      body: JSON.stringify({ answer: 'x'.repeat(limits.agentAnswer.value) }),
    })
    address = url
    expect(await ask(subject, 'x')).toBe(failureNotice('the reply is too large'))
  },
  { routes, deliveries, agent: toAddress },
)

/** It connects, as does its child process, and then never ends; neither reacts to SIGTERM. */
const clings = `
  const connects = "process.on('SIGTERM', () => {}); require('net').connect(Number(process.env.PORT))"
  require('child_process').spawn(process.execPath, ['-e', connects], { stdio: 'ignore' })
  eval(connects)`

for (const how of ['times out', 'is stopped'] as const) {
  const opened = createArrivals<Socket>()
  const closed = createArrivals<null>()
  let port = 0
  proves(
    'deliveries/agent-ended',
    async ({ gateway, post }) => {
      const server = createServer((socket) => {
        opened.take(socket)
        socket.on('close', () => closed.take(null))
      })
      port = (await listening(server)).port
      expect((await post('hook', { text: 'x' })).status).toBe(202)
      await opened.next(2)
      if (how === 'times out') await gateway.advance(600_000)
      else await gateway.close()
      await closed.next(2)
    },
    {
      routes,
      deliveries,
      agent: (run, signal) =>
        commandAgent([process.execPath, '-e', clings], {
          cwd: folder(),
          env: { PORT: `${port}` },
          onFailure: () => {},
        })(run, signal),
    },
  )
}

const begun = createArrivals<string>()
const ends: (() => void)[] = []

proves(
  ['deliveries/agents-at-once', 'deliveries/agent-time-out'],
  async ({ gateway, post }) => {
    ends.length = 0
    for (let count = 0; count < 12; count++) await post('hook', { text: `${count}` })
    const first = await begun.next(10)
    expect(first).toEqual(Array.from({ length: 10 }, (_, at) => `${at}`))
    expect(gateway.runs().filter(({ status }) => status === 'running')).toHaveLength(12)
    await gateway.advance(599_000)
    ends[4]?.()
    expect(await begun.next(1)).toEqual(['10'])
    // Nine have had their time, and those that waited have theirs.
    await gateway.advance(1000)
    expect(await begun.next(1)).toEqual(['11'])
    const states = () => gateway.runs().map(({ status }) => status)
    expect(states().slice(0, 10)).toEqual(
      Array.from({ length: 10 }, (_, at) => (at === 4 ? 'completed' : 'failed')),
    )
    expect(states().slice(10)).toEqual(['running', 'running'])
    await gateway.advance(599_000)
    expect(states().slice(10)).toEqual(['failed', 'running'])
    // The order follows from the inputs alone.
    const replayed = replayGateway((await gateway.journal()).join('\n'))
    expect(replayed.differs).toBeNull()
  },
  {
    routes,
    agent: ({ prompt }) =>
      new Promise((resolve) => {
        ends.push(() => resolve('done'))
        begun.take(prompt)
      }),
  },
)

provesCli(['deliveries/agent-command', 'deliveries/agents-at-once'], async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--secret', SECRET, '--prompt', '{text}')
  const slack = ['--deliver', 'slack', '--deliver-chat-id', 'C1']
  await cli.run('webhook', 'subscribe', 'ci', '--secret', SECRET, ...slack)
  const script = `require('fs').writeSync(1, 'I am ' + JSON.stringify([process.argv[1], process.env.KEPT]))`
  const words = [process.execPath, '-e', script, '$HOME']
  const env = { KEPT: 'kept' }
  const ways = [
    words.map((word) => `--agent-command=${word}`),
    ['--agent-command', JSON.stringify(words)],
  ]
  for (const way of ways) {
    const { url, got, arrival } = await startReceiving({ status: 200, body: '' })
    const flags = [...way, '--deliver-url', url, '--agents-at-once', '1', '--agent-timeout', '5']
    const running = await runGateway(cli, { env }, ...flags)
    const post = { method: 'POST', headers: signed('{}'), body: '{}' }
    expect((await fetch(`${running.url}/webhooks/ci`, post)).status).toBe(202)
    await arrival
    const { text } = JSON.parse(got[0]!.body.toString())
    expect(text).toBe('I am ["$HOME","kept"]')
    const { stdout } = await running.stop()
    expect(stdout).toContain(`the command ${process.execPath}`)
  }
  const wrong = [
    ['--agent-command', ''],
    ['--agent-command', '[]'],
    ['--agent-command', '[1]'],
    ['--agent-command', '["a"'],
    ['--agent-command', 'a', '--agent-url', 'http://x'],
    ['--agent-command', '/nope'],
    ['--agent-command', 'no-such-program-anywhere'],
    ['--agent-url', 'http://u:p@x'],
    ['--agent-timeout', '0'],
    ['--agents-at-once', 'many'],
  ]
  for (const argv of wrong) {
    const { code } = await cli.run('gateway', 'run', '--port', '0', ...argv)
    expect({ argv, code }).toEqual({ argv, code: 2 })
  }
})
