// Wrong gateways are as wrong when their agent and the targets of their deliveries are outside.

import type { GatewayOptions } from 'flowdouble'
import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import {
  direct,
  type GatewaySubject,
  SECRET,
  startGatewaySubject,
} from '../../judge/gateway-subject.ts'
import { mutants } from '../../mutants/index.ts'
import type { GatewayMutant } from '../../mutants/tamper.ts'
import { newFiles } from '../../support/files.ts'

/** Wrong gateways whose fault is in what an agent or a target receives, or in what they let the sender know. */
const names = [
  'webhooks/delivery-is-accepted',
  'webhooks/failure-is-hidden',
  'webhooks/failure-says-why',
  'webhooks/ids-of-failed-deliveries-stay',
  'deliveries/all-goes-to-the-first-chat',
  'deliveries/answer-goes-elsewhere',
  'deliveries/answers-keep-their-last-line-end',
  'deliveries/chat-is-lost',
  'deliveries/direct-is-sent-twice',
  'deliveries/direct-runs-too',
  'deliveries/no-run',
  'deliveries/run-without-prompt',
  'deliveries/second-skill-is-lost',
  'deliveries/skills-are-lost',
  'deliveries/texts-are-sent-cut',
  'deliveries/thread-is-lost',
]

const place = direct('works', { deliver_extra: { chat_id: '5', thread_id: '6' } })
const routes = {
  run: { ...place, prompt: 'hi', deliver_only: false, skills: ['review', 'code'] },
  works: place,
  fails: { ...place, prompt: 'fails', deliver_extra: { chat_id: '7' } },
}

/** A gateway whose agent and targets are functions, which say what they receive. */
function startOutside(
  note: (seen: string) => void,
  mutant: GatewayMutant | undefined,
  options: GatewayOptions = {},
): Promise<GatewaySubject> {
  const tamper = mutant?.tamper?.()
  return startGatewaySubject({
    routes,
    agent: ({ prompt, skills }) => {
      note(`asked ${prompt} ${skills.join()}`)
      return Promise.resolve('answer')
    },
    deliveries: ({ target, chat_id, thread_id, text }) => {
      note(`sent to ${target} ${String(chat_id)} ${String(thread_id)}: ${text}`)
      return text === 'fails' ? Promise.reject(new Error('closed')) : Promise.resolve()
    },
    ...options,
    ...(tamper !== undefined && { tamper }),
  })
}

const mutantOf = (name: string): GatewayMutant =>
  mutants.find(([one]) => one === name)?.[1] as GatewayMutant

/** What an agent and a target outside receive, and what senders get: for a run, and for deliveries of both ends. */
async function seenFromOutside(mutant?: GatewayMutant): Promise<readonly string[]> {
  const seen: string[] = []
  const subject = await startOutside((one) => seen.push(one), mutant)
  try {
    for (const route of ['works', 'fails', 'fails', 'run']) {
      const { status, json } = await subject.post(route, {}, { 'X-Request-ID': route })
      seen.push(`answered ${status} ${JSON.stringify(json())}`)
      await subject.idle()
    }
    return seen
  } finally {
    await subject.close()
  }
}

test('wrong gateways are as wrong when agent and targets are outside', async () => {
  const right = await seenFromOutside()
  const changed: string[] = []
  for (const name of names) {
    if ((await seenFromOutside(mutantOf(name))).join('\n') !== right.join('\n')) changed.push(name)
  }
  expect(changed).toEqual(names)
})

/** Those of them whose fault is in a reply, which alone `check` sees of a gateway elsewhere. */
const inReplies = [
  'webhooks/delivery-is-accepted',
  'webhooks/failure-is-hidden',
  'webhooks/failure-says-why',
]

test.each(['none', ...inReplies])(
  'check --gateway judges a gateway with agent and targets outside, wrong in: %s.',
  async (name) => {
    const { check } = newFiles()
    const mutant = name === 'none' ? undefined : mutantOf(name)
    const note = (): void => undefined
    const { url, close } = await startOutside(note, mutant, { clock: 'real', epoch: Date.now() })
    const own = ['--route', 'run', '--direct-route', 'works', '--failing-route', 'fails']
    const only = ['--only', 'webhooks/delivered', '--only', 'webhooks/delivery-failed']
    const { code } = await check('--gateway', url, ...own, '--secret', SECRET, ...only)
    await close()
    expect(code).toBe(name === 'none' ? 0 : 1)
  },
)

test.each(['deliveries/skills-are-lost', 'deliveries/direct-runs-too'])(
  'check --gateway says that it cannot see what is wrong in: %s.',
  async (name) => {
    const { check } = newFiles()
    const note = (): void => undefined
    const options = { clock: 'real', epoch: Date.now() } as const
    const { url, close } = await startOutside(note, mutantOf(name), options)
    const own = ['--route', 'run', '--direct-route', 'works', '--secret', SECRET]
    const rules = ['deliveries/skills', 'deliveries/direct']
    const only = rules.flatMap((rule) => ['--only', rule])
    const { cases } = await check('--gateway', url, ...own, ...only, '--json')
    await close()
    const seen = cases().flatMap((one) =>
      one.rules.some(({ id }) => rules.includes(id))
        ? [one.verdict === 'skip' ? one.reason : one.verdict]
        : [],
    )
    expect(new Set(seen)).toEqual(new Set(['unseen']))
  },
)
