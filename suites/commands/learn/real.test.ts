// Worlds learned from sessions of a real server give the recorded workflows the recorded messages, outputs and files.

import { learn, type Recording, typesOfWorlds } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { play, type Step } from '../../support/recordings/learned.ts'
import { readSession, realSessions } from '../../support/recordings/real-sessions.ts'
import { expectSame } from '../../support/same.ts'

type Data = {
  readonly node?: string
  readonly output?: unknown
  readonly nodes?: readonly string[]
}
type Message = { readonly type: string; readonly data: Data & { readonly prompt_id?: string } }

/**
 * What the messages say of each run, node by node: which kinds each has in which order, and what it put out. Which of
 * several output nodes comes first, a real server chooses freely.
 */
function summaryOf(messages: readonly (string | Uint8Array)[]): readonly string[] {
  const byNode = lines(messages).map(
    (line) => [line.split(' ').slice(0, 2).join(' '), line] as const,
  )
  return byNode.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, line]) => line)
}

/** One line for each message, the run and the node first. */
function lines(messages: readonly (string | Uint8Array)[]): readonly string[] {
  const runs: string[] = []
  const names = new Map<string, string>()
  for (const one of messages) {
    if (typeof one !== 'string') {
      runs.push(`frame ${one.subarray(0, 4).join(' ')}`)
      continue
    }
    const { type, data } = JSON.parse(one) as Message
    if (data.prompt_id === undefined || type === 'progress_state') continue
    names.set(data.prompt_id, names.get(data.prompt_id) ?? `run${names.size + 1}`)
    const output = JSON.stringify(data.output ?? null).replace(/temp_[a-z]{5}_/g, 'temp_')
    const cached = JSON.stringify([...(data.nodes ?? [])].toSorted())
    runs.push(`${names.get(data.prompt_id)} ${data.node ?? 'all'} ${type} ${output} ${cached}`)
  }
  return runs
}

/** The steps of a recorded session: its uploads, its submits with new ids, its downloads. */
const stepsOf = ({ exchanges }: Recording): readonly Step[] =>
  exchanges.flatMap(({ method, url, headers, body }): Step | readonly Step[] => {
    const { pathname, search } = new URL(url)
    if (method === 'GET') return pathname === '/view' ? { get: pathname + search } : []
    if (pathname !== '/prompt') {
      const type = headers.find(([name]) => /^content-type$/i.test(name))?.[1] ?? ''
      return { post: pathname, type, body }
    }
    const { prompt, extra_data, partial_execution_targets } = JSON.parse(
      Buffer.from(body).toString(),
    ) as Record<string, unknown>
    return {
      submit: prompt as Extract<Step, { submit: unknown }>['submit'],
      more: { extra_data, partial_execution_targets },
    }
  })

for (const name of realSessions)
  test(`learn/real ${name}`, async () => {
    const recorded = readSession(name)
    const { scenario } = learn([recorded], typesOfWorlds(), { from: name, like: 'comfyui-0.3.64' })
    const hasFlags = recorded.sockets[0]?.messages.some(({ from }) => from === 'client') ?? false
    const played = await play({ scenario }, stepsOf(recorded), hasFlags)
    const [socket] = recorded.sockets
    const before = (socket?.messages ?? []).filter(({ from }) => from === 'server')
    expect(summaryOf(played.messages.map(({ data }) => data))).toEqual(
      summaryOf(before.map(({ data }) => data)),
    )
    expectSame('The session', viewed(played.recording), viewed(recorded))
  })

/** The downloads of a session: their addresses, statuses and bytes. */
const viewed = ({ exchanges }: Recording) =>
  exchanges
    .filter(({ url }) => new URL(url).pathname === '/view')
    .map(({ url, response }) => [
      new URL(url).search,
      response?.status,
      Buffer.from(response?.body ?? []).toString('base64'),
    ])
