// The option `any` of a replay: clients that draw a seed for each run.

import { startReplay } from 'flowdouble'
import { test } from 'vitest'
import { textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { json, recordedWorld, rest } from '../../support/recordings/recorded-session.ts'
import { replayOf } from '../../support/recordings/replayed.ts'

const graph = (seed: number, color = 0): object => ({
  ...textToImage(seed, 2),
  odd: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color, seed: 1 } },
})

/** The recorded runs of two seeds, and a request with one in a parameter. */
const recordedSeeds = recordedWorld({}, async (client, world) => {
  for (const [at, prompt_id] of ['one', 'two'].entries()) {
    const body = { prompt: graph(at + 1), client_id: 'then', prompt_id }
    await client.request('POST', '/prompt', json(body))
    await rest(client, world)
  }
  await client.request('GET', '/view?filename=none.png&seed=1')
})

type Submit = (prompt: object) => Promise<{ prompt_id?: string; error?: any }>

const withAny = async (
  any: readonly string[],
  use: (submit: Submit, url: string) => Promise<void>,
): Promise<void> => {
  const { url } = await replayOf(await recordedSeeds, { any })
  const submit: Submit = async (prompt) => {
    const body = JSON.stringify({ prompt })
    return (await (await fetch(`${url}/prompt`, { method: 'POST', body })).json()) as object
  }
  return use(submit, url)
}

test('replay/any Runs with other seeds are the recorded ones in order', async () => {
  await withAny(['seed'], async (submit, url) => {
    expect((await submit(graph(77))).prompt_id).toBe('one')
    expect((await submit(graph(78))).prompt_id).toBe('two')
    expect((await submit(graph(79))).prompt_id).not.toBe('two')
    expect((await submit(graph(80, 5))).error).toMatch(/inputs\.color is 5/)
    const reply = await fetch(`${url}/view?filename=none.png&seed=9`)
    expect([reply.status, reply.headers.get('x-flowdouble-replay')]).toEqual([404, null])
  })
})

test('replay/any A member is named with the type or the id of its node', async () => {
  const { odd, ...rest } = graph(5) as any
  const other = { ...rest, odd: { ...odd, inputs: { ...odd.inputs, seed: 9 } } }
  const sampler = Object.entries(rest).find(([, { class_type }]: any) => class_type === 'KSampler')
  for (const [any, matches] of [
    [['KSampler.seed'], [true, false]],
    [[`${sampler?.[0]}.seed`], [true, false]],
    [
      ['KSampler.seed', 'odd.seed'],
      [true, true],
    ],
    [['EmptyImage.seed'], [false, false]],
  ] as const)
    await withAny(any, async (submit) => {
      const replies = [await submit(graph(5)), await submit(other)]
      expect(replies.map(({ prompt_id }) => prompt_id !== undefined)).toEqual(matches)
    })
})

test('replay/any Where only a seed differs, the 404 names the option', async () => {
  await withAny([], async (submit) => {
    expect((await submit(graph(5))).error).toMatch(/ With --any seed it need not match\.$/)
    expect((await submit(graph(5, 7))).error).not.toContain('--any')
  })
  await expect(startReplay({ recording: {}, any: ['a.b.c'] })).rejects.toThrow(
    'any names members, as seed or KSampler.seed: "a.b.c" does not.',
  )
})
