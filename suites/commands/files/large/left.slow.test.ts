// Files: large pictures for which no client waits any more.

import { viewPath } from '../../../generate/form.ts'
import { type Graph, node } from '../../../generate/graphs.ts'
import { ownWorld, proves } from '../../../judge/proves.ts'
import type { Subject } from '../../../judge/subject.ts'
import { expect } from '../../../judge/expect.ts'

/** A picture that takes many seconds to make. */
const slow = (color: number): Graph => ({
  0: node('EmptyImage', { width: 1300, height: 1400, batch_size: 1, color }),
  ...Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `${at + 1}`,
      node('ImageScale', {
        image: [`${at}`, 0],
        upscale_method: 'lanczos',
        width: 1400 + (at % 2),
        height: 1400,
        crop: 'disabled',
      }),
    ]),
  ),
  save: node('SaveImage', { images: ['60', 0], filename_prefix: 'slow' }),
})

/** A large picture that is soon made. */
const quick: Graph = {
  0: node('EmptyImage', { width: 1600, height: 1600, batch_size: 1, color: 7 }),
  save: node('SaveImage', { images: ['0', 0], filename_prefix: 'quick' }),
}

async function pathOf({ connect, run, unique }: Subject, graph: Graph): Promise<string> {
  const { entry } = await run(await connect(unique('me')), graph)
  return viewPath(entry.outputs['save'].images[0])
}

/** Views pictures, and calls `during` when all of these requests have arrived; then the clients disconnect. */
async function viewAndLeave(
  { url, emulator }: Subject,
  paths: readonly string[],
  during: (viewed: readonly Promise<unknown>[]) => Promise<void>,
): Promise<void> {
  const before = (await emulator?.requests({ path: '/view' })) ?? []
  const times = before.length + paths.length
  const leave = new AbortController()
  const views = paths.map((path) =>
    fetch(url + path, { signal: leave.signal }).then(
      () => 'viewed',
      () => 'left',
    ),
  )
  await emulator?.received({ path: '/view', times })
  await during(views)
  leave.abort()
  await Promise.all(views)
}

proves(
  'files/view-left',
  async (subject) => {
    const paths: string[] = []
    for (const color of [1, 2]) paths.push(await pathOf(subject, slow(color)))
    const next = await pathOf(subject, quick)
    await viewAndLeave(subject, paths, async () => undefined)
    expect((await subject.get(next)).status).toBe(200)
    // Neither was made before the next one.
    for (const path of paths)
      await viewAndLeave(subject, [path], async ([viewed]) => {
        const order: string[] = []
        void viewed?.then(() => order.push('view'))
        for (let at = 0; at < 3; at++) {
          await subject.get('/queue')
          order.push('queue')
        }
        expect(order).toEqual(['queue', 'queue', 'queue'])
      })
  },
  ownWorld,
)
