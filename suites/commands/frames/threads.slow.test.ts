// Pictures of frames that threads encode: the same bytes in the same places, whatever becomes of the threads.

import { Worker } from 'node:worker_threads'
import { onTestFinished, test, vi } from 'vitest'
import type { Edge } from '../../judge/edges.ts'
import { expect } from '../../judge/expect.ts'
import { askForMetadata, painting } from '../../judge/frames.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'

const STEPS = 4

/** What two sockets receive of a run with PNG previews, which are encoded in threads from the first one on. */
async function received(
  seed: number,
  edge: Edge,
  finish: (subject: Subject) => Promise<unknown> = ({ idle }) => idle(),
): Promise<readonly unknown[]> {
  const subject = await startSubject({ preview: 'png', seed: 'a' }, edge)
  const [own, other] = [await subject.connect('me'), await subject.connect('other')]
  await askForMetadata(own)
  await subject.submit(painting(STEPS, seed), { client_id: 'me' })
  await subject.submit(painting(STEPS, seed), { client_id: 'other' })
  await finish(subject)
  // The server closes their sockets after what it has sent to them.
  await Promise.all([own.closed, other.closed, subject.emulator?.close()])
  return [own.received, other.received]
}

/** Replaces what hands pictures to threads, until the test is over. */
function spyOnPosts(post?: (worker: Worker, send: () => void) => void) {
  const original = Reflect.get(Worker.prototype, 'postMessage') as () => void
  const spy = vi.spyOn(Worker.prototype, 'postMessage')
  onTestFinished(() => spy.mockRestore())
  if (post !== undefined)
    spy.mockImplementation(function (this: Worker, ...given) {
      post(this, () => Reflect.apply(original, this, given))
    })
  return spy
}

/** How many threads keep this process alive, at least. */
const portsInUse = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length

test('threads/order previews from threads have the place and the bytes that they have without', async () => {
  const spy = spyOnPosts()
  const before = portsInUse()
  const threaded = await received(1, 'node')
  expect(portsInUse()).toBe(before)
  expect(spy.mock.calls.length).toBe(STEPS)
  expect(threaded).toEqual(await received(1, 'fetch'))
})

test('threads/close a server that closes sends the previews that no thread has encoded', async () => {
  const held: (() => void)[] = []
  spyOnPosts((_, send) => void held.push(send))
  const closed = await received(2, 'node', async ({ emulator }) => {
    void emulator?.until('idle')
  })
  expect(held.length).toBeGreaterThan(0)
  for (const send of held) send()
  expect(closed).toEqual(await received(2, 'fetch'))
})

test('threads/death a thread that dies takes no preview with it', async () => {
  let posts = 0
  spyOnPosts((worker, send) => {
    send()
    if (++posts === 3) void worker.terminate()
  })
  const threaded = await received(3, 'node')
  expect(threaded).toEqual(await received(3, 'fetch'))
})
