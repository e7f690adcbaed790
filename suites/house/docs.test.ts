// The generated documents say what the spec says. With -u they are written anew.

import { expect, test } from 'vitest'
import { order } from '../../spec/index.ts'
import type { Order, State } from '../../spec/order.ts'
import { sampleRun } from './render-messages.ts'
import { renderProtocol } from './render-protocol.ts'

test('PROTOCOL.md is up to date', async () => {
  await expect(renderProtocol()).toMatchFileSnapshot('../../spec/PROTOCOL.md')
})

test('the links of PROTOCOL.md lead somewhere', () => {
  const text = renderProtocol()
  const headings = [...text.matchAll(/^#+ (?:<a id="[^"]*"><\/a>)?(.*)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  )
  const anchors = [...text.matchAll(/<a id="([^"]*)">/g)].map(([, id]) => id)
  const targets = new Set([...text.matchAll(/\]\(#([^)]*)\)/g)].map(([, target]) => target))
  expect([...targets].filter((one) => ![...headings, ...anchors].includes(one))).toEqual([])
  expect(anchors.filter((id, at) => anchors.indexOf(id) !== at)).toEqual([])
})

test('the sample run of PROTOCOL.md keeps the order table', () => {
  const { first, last, next }: Order = order.local
  const end = sampleRun.reduce<State | undefined>(
    (state, [kind]) => (state === undefined ? undefined : next[state][kind]),
    first,
  )
  expect(last).toContain(end)
})

test('each state of the order tables is reached', () => {
  for (const { first, next } of Object.values<Order>(order)) {
    const reached = new Set<State>([first])
    for (const state of reached) for (const to of Object.values(next[state])) reached.add(to)
    const used = (Object.keys(next) as State[]).filter(
      (state) => Object.keys(next[state]).length > 0,
    )
    expect(used.filter((state) => !reached.has(state))).toEqual([])
  }
})
