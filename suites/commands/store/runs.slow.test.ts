// What operators do about stored runs: `gateway runs` and `webhook resend`, beside a gateway and without one.

import { join } from 'node:path'
import type { Gateway } from 'flowdouble'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { postText, startStored } from '../../support/stores/gateways.ts'
import { type CommandLine, withCli } from '../../support/command-line.ts'
import { SECRET } from '../../judge/gateway-subject.ts'

const never = (): Promise<string> => new Promise(() => undefined)

/** Starts a gateway with the store of a command line. */
const startFor = (cli: CommandLine, options = {}): Promise<Gateway> =>
  startStored(join(cli.dir, 'gateway.sqlite'), { clock: 'real', epoch: 'now', ...options })

/** Resolves when something holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

const states = async (cli: CommandLine, ...flags: string[]): Promise<unknown> =>
  (await cli.run('gateway', 'runs', 'list', '--json', ...flags))
    .json()
    .map(({ delivery_id, state }: any) => [delivery_id, state])

proves(
  ['store/runs-command', 'store/retry', 'store/drop'],
  withCli(async (cli) => {
    const gateway = await startFor(cli)
    gateway.failDeliveries({
      target: 'telegram',
      error: 'not allowed',
      status: 403,
      times: 1,
    })
    await postText(gateway, 'ci', 'a', 'one')
    await until(() => gateway.outbox().length === 1)
    await postText(gateway, 'ci', 'b', 'two')
    await until(() => gateway.outbox().some(({ delivery_id }) => delivery_id === 'b'))
    expect(await states(cli)).toEqual([
      ['a', 'dead'],
      ['b', 'delivered'],
    ])
    expect(await states(cli, '--state', 'dead')).toEqual([['a', 'dead']])
    expect(await states(cli, '--route', 'other')).toEqual([])
    const shown = await cli.run('gateway', 'runs', 'show', 'a')
    expect(shown.stdout).toMatch(/dead +ci +a +to telegram, .*not allowed/)
    expect(shown.stdout).toMatch(/prompt:\n {2}one\n/)
    const refused = await cli.run('gateway', 'runs', 'show', 'c')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/no run c/)])
    expect((await cli.run('gateway', 'runs', 'retry', 'a')).code).toBe(0)
    await until(() => gateway.outbox().filter(({ status }) => status === 'delivered').length === 2)
    await gateway.close()
    // Without a gateway the commands read the file.
    expect(await states(cli)).toEqual([
      ['a', 'delivered'],
      ['b', 'delivered'],
    ])
    expect((await cli.run('gateway', 'runs', 'drop', 'a')).code).toBe(0)
    expect(await states(cli)).toEqual([['b', 'delivered']])
  }),
)

proves(
  'store/cancel',
  withCli(async (cli) => {
    const gateway = await startFor(cli, { agent: never, agentsAtOnce: 1 })
    for (const id of ['a', 'b']) await postText(gateway, 'ci', id, id)
    for (const id of ['a', 'b'])
      expect((await cli.run('gateway', 'runs', 'cancel', id)).code).toBe(0)
    await until(() => gateway.runs().every(({ status }) => status === 'failed'))
    expect(gateway.outbox()).toEqual([])
    expect(await states(cli)).toEqual([
      ['a', 'cancelled'],
      ['b', 'cancelled'],
    ])
    const again = await cli.run('gateway', 'runs', 'cancel', 'a')
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(/has ended: it is cancelled/),
    ])
    await gateway.close()
  }),
)

proves(
  'store/resend',
  withCli(async (cli) => {
    const gateway = await startFor(cli)
    await postText(gateway, 'ci', 'a', 'one')
    await until(() => gateway.outbox().length === 1)
    await cli.run('webhook', 'subscribe', 'ci', '--secret', SECRET)
    const base = ['--webhook-base-url', gateway.url]
    const sent = await cli.run('webhook', 'resend', 'a', '--json', ...base)
    expect(sent.code).toBe(0)
    await until(() => gateway.outbox().length === 2)
    const [first, second] = gateway.runs()
    expect(second).toMatchObject({ prompt: 'one', payload: first?.payload })
    expect(second?.delivery_id).not.toBe('a')
    await gateway.close()
  }),
)
