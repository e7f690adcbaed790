// Wrong gateways are as wrong when their agent and the targets of their deliveries are outside.

import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { direct, startGatewaySubject } from '../../judge/gateway-subject.ts'
import { mutants } from '../../mutants/index.ts'
import type { GatewayMutant } from '../../mutants/tamper.ts'

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

/** What an agent and a target outside receive, and what senders get: for a run, and for deliveries of both ends. */
async function seenFromOutside(mutant?: GatewayMutant): Promise<readonly string[]> {
  const seen: string[] = []
  const tamper = mutant?.gateway.tamper?.()
  const subject = await startGatewaySubject({
    routes,
    agent: ({ prompt, skills }) => {
      seen.push(`asked ${prompt} ${skills.join()}`)
      return Promise.resolve('answer')
    },
    deliveries: ({ target, chat_id, thread_id, text }) => {
      seen.push(`sent to ${target} ${String(chat_id)} ${String(thread_id)}: ${text}`)
      return text === 'fails' ? Promise.reject(new Error('closed')) : Promise.resolve()
    },
    ...(tamper !== undefined && { tamper }),
  })
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
    const mutant = mutants.find(([one]) => one === name)?.[1] as GatewayMutant
    if ((await seenFromOutside(mutant)).join('\n') !== right.join('\n')) changed.push(name)
  }
  expect(changed).toEqual(names)
})
