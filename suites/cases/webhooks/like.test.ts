// A gateway that behaves like a known one.

import { servers } from '../../../spec/truth/servers.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const name = 'hermes-2026.07'

proves(
  'webhooks/like',
  async ({ post, gateway }) => {
    expect(gateway.options.quirk).toEqual(servers[name].quirks)
    const reply = await post('hook', 'not json')
    expect(reply).toMatchObject({ status: 202 })
    expect(reply.header('server')).toBe(servers[name].serverHeader)
  },
  { like: name },
)

proves(
  'webhooks/like',
  async ({ post }) => {
    expect(await post('hook', 'not json')).toMatchObject({ status: 400 })
    expect((await post('hook', {})).header('server')).toBe(servers[name].serverHeader)
  },
  { like: name, noQuirk: ['webhooks.crash-500'] },
)
