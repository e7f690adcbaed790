// What waits when a world or a gateway closes.

import { openPlain } from '../../judge/broken.ts'
import { expect } from '../../judge/expect.ts'
import { direct, signed } from '../../judge/gateway-subject.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { subjectOf } from '../../judge/subject.ts'

proves(
  'control/closed-waiting',
  async (subject) => {
    const emulator = subject.emulator!
    const closeByRequest = () => subject.request('DELETE', '/_flowdouble/worlds/a')
    for (const close of ['world', 'request', 'fork', 'address'] as const) {
      const made = close === 'fork' ? emulator.fork('a') : emulator.world({ name: 'a' })
      const world = subjectOf(await made)
      world.emulator!.fault({ when: { path: '/queue' }, then: { delayMs: 1000 } })
      world.emulator!.fault({ when: { socket: 'open' }, then: { delayMs: 1000 } })
      const late = world.get('/queue').then(
        ({ status }) => status,
        () => 'reset',
      )
      const handshake = openPlain(world).then(
        () => 'open',
        () => 'ended',
      )
      const waiting = async () =>
        (await world.get('/_flowdouble/journal')).text.match(/"kind":"(open|request)"/g) ?? []
      for (let tries = 0; tries < 100 && (await waiting()).length < 2; tries++);
      if (close === 'request') expect((await closeByRequest()).json()).toEqual({ closed: true })
      else await (close === 'address' ? emulator : world.emulator!).close()
      const found = { close, late: await late, handshake: await handshake }
      const answers = close === 'address' ? [503, 'reset'] : [503]
      expect(answers).toContain(found.late)
      expect(found).toMatchObject({ close, handshake: 'ended' })
    }
  },
  ownWorld,
)

proves(
  'control/closed-wait',
  async (subject) => {
    const emulator = subject.emulator!
    const submit = { method: 'POST', path: '/prompt' }
    const closed =
      /^The server has closed: nothing more arrives\. Expected 1 POST \/prompt, received 0/
    const makers = [() => emulator.world(), () => emulator.fork(), () => emulator] as const
    for (const make of makers) {
      const world = await make()
      await subjectOf(world).get('/queue')
      const waits = [world.received(submit), world.received(submit, { withinMs: 1e9 })]
      const rejected = Promise.all(waits.map((wait) => expect(wait).rejects.toThrow(closed)))
      await world.close()
      await rejected
      await expect(world.received(submit)).rejects.toThrow(closed)
      // What has arrived is there.
      if (world === emulator) expect(await world.received({ path: '/queue' })).toBeDefined()
    }
  },
  ownWorld,
)

const deliveries = { notify: (): void => undefined }

proves(
  'control/closed-gateway',
  async ({ gateway, send }) => {
    const hasStarted = new Promise<void>((resolve) => (deliveries.notify = resolve))
    const world = await gateway.world({ name: 'a' })
    const body = '{"a": 1}'
    const post = send('POST', '/w/a/webhooks/direct', body, signed(body))
    await hasStarted
    const wait = expect(world.received({ times: 2 })).rejects.toThrow(/^The server has closed/)
    await world.close()
    expect((await post).status).toBe(503)
    await wait
  },
  {
    routes: { direct: direct('{a}') },
    clock: 'real',
    deliveries: (_, signal) => {
      deliveries.notify()
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('ended')))
      })
    },
  },
)
