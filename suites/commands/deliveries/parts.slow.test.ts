// Texts that are longer than their platform takes: their parts, and what a retry of them sends.

import type { GatewayOptions } from 'flowdouble'
import { senderDeliveries, urlDeliveries } from '../../../dist/emulator/internal.js'
import { senders } from '../../../spec/gateway/deliveries.ts'
import { direct, SECRET } from '../../judge/gateway-subject.ts'
import { type Call, type PlatformAnswer, withPlatforms } from '../../support/platforms.ts'
import { startReceiving } from '../../support/command-line.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const targets = Object.keys(senders) as (keyof typeof senders)[]
const settings = Object.fromEntries(
  Object.entries(senders).map(([target, { baseUrl }]) => [target, { token: 'token', baseUrl }]),
)
const to = (deliver: string) => ({
  secret: SECRET,
  prompt: '{text}',
  deliver,
  deliver_extra: { chat_id: '42', repo: 'acme/widgets', pr_number: '7' },
})
const options: GatewayOptions = {
  deliveries: senderDeliveries(settings),
  routes: {
    ...Object.fromEntries(targets.map((target) => [target, to(target)])),
    direct: { ...to('discord'), deliver_only: true },
  },
}

/** The text of a call to any platform. */
function textOf({ body }: Call): string {
  const { text, content, body: comment } = body as Readonly<Record<string, string>>
  return text ?? content ?? comment ?? ''
}

/** Numbered lines of text, this many characters in all. */
const lines = (characters: number): string =>
  Array.from({ length: characters / 10 }, (_, at) => `line ${at}`.padEnd(9, '.'))
    .join('\n')
    .padEnd(characters, '.')

/** The texts of the calls while platforms answer so, one call after the other; then all succeed. */
async function textsOf(
  answers: readonly (PlatformAnswer | undefined)[],
  act: () => Promise<void>,
): Promise<readonly string[]> {
  let count = 0
  const texts: string[] = []
  await withPlatforms(
    () => answers[count++],
    async (calls) => {
      await act()
      texts.push(...calls.map(textOf))
    },
  )
  return texts
}

proves(
  'deliveries/parts',
  async ({ gateway, post, idle }) => {
    const longest = { github_comment: 65_536, telegram: 4096, discord: 2000, slack: 4000 }
    for (const target of targets) {
      const most = longest[target]
      const send = (text: string) =>
        textsOf([], async () => {
          await post(target, { text })
          await idle()
        })
      const fits = '😀'.repeat(most / 2)
      expect(await send(fits)).toEqual([fits])
      const text = lines(2 * most + 100)
      const parts = await send(text)
      expect({ target, parts: parts.length }).toEqual({ target, parts: 3 })
      for (const part of parts) expect(part.length).toBeLessThanOrEqual(most)
      // Each ends with a line.
      expect(parts.join('\n')).toBe(text)
      const words = 'word '.repeat(most).trim()
      expect((await send(words)).join(' ')).toBe(words)
      expect((await send('x'.repeat(most + 1))).join('')).toBe('x'.repeat(most + 1))
    }
    const found = gateway.outbox().filter(({ target }) => target === 'discord')
    expect(found.slice(0, 4).map(({ part, parts }) => [part, parts])).toEqual([
      [1, 1],
      [1, 3],
      [2, 3],
      [3, 3],
    ])
    const [, first, ...others] = found.slice(0, 4).map(({ key }) => key)
    expect(others).toEqual([`${first}-2`, `${first}-3`])
  },
  { ...options, maxBodyBytes: 2 ** 21 },
)

let url = 'http://127.0.0.1:9'
const toUrl = Object.assign(
  (...call: Parameters<ReturnType<typeof urlDeliveries>>) => urlDeliveries(new URL(url))(...call),
  { isKeyed: true },
)

proves(
  'deliveries/parts',
  async ({ post }) => {
    const target = await startReceiving({ status: 200, body: '' })
    url = target.url
    const text = lines(200_000)
    expect((await post('note', { text })).status).toBe(200)
    const bodies = target.got.map(({ body }) => JSON.parse(body.toString()))
    expect(bodies).toMatchObject([{ text, part: 1, parts: 1 }])
  },
  {
    deliveries: toUrl,
    routes: { note: direct('{text}') },
  },
)

proves(
  'deliveries/parts-fences',
  async ({ post, idle }) => {
    const code = lines(3000)
    const send = (text: string) =>
      textsOf([], async () => {
        await post('discord', { text })
        await idle()
      })
    const parts = await send(`Before\n\`\`\`ts title="x"\n${code}\n\`\`\`\nAfter`)
    expect(parts).toHaveLength(2)
    expect(parts[0]).toMatch(/^Before\n```ts title="x"\nline 0\.\..*\n```$/s)
    expect(parts[1]).toMatch(/^```ts\nline .*\n```\nAfter$/s)
    const inside = parts.flatMap((part) => part.match(/^line.*$/gm) ?? [])
    expect(inside.join('\n')).toBe(code)
    // A fence that would be empty begins in the next part; one that ends with the part is not opened again.
    const before = lines(1980)
    expect(await send(`${before}\n\`\`\`js\nlet a = 1 + 2 + 3 + 4\n\`\`\``)).toEqual([
      before,
      '```js\nlet a = 1 + 2 + 3 + 4\n```',
    ])
    const full = lines(1980)
    expect(await send(`~~~~\n${full}\n~~~~\n\nThe end, which is far away`)).toEqual([
      `~~~~\n${full}\n~~~~`,
      'The end, which is far away',
    ])
  },
  options,
)

const limited = { status: 429, body: { ok: false, parameters: { retry_after: 3 } } }

proves(
  'deliveries/parts-confirmed',
  async ({ gateway, post, idle }) => {
    const text = lines(9000)
    const texts = await textsOf([undefined, limited, { status: 502 }], async () => {
      await post('telegram', { text })
      await idle()
    })
    const [first, second, , , third] = texts
    expect(texts).toEqual([first, second, second, second, third])
    expect([first, second, third].join('\n')).toBe(text)
    const entries = gateway.outbox().map(({ part, attempt, status }) => [part, attempt, status])
    expect(entries).toEqual([
      [1, 1, 'delivered'],
      [2, 1, 'failed'],
      [2, 2, 'failed'],
      [2, 3, 'delivered'],
      [3, 1, 'delivered'],
    ])
  },
  options,
)

// The sender of a direct delivery repeats its post.
proves(
  'deliveries/parts-confirmed',
  async ({ post }) => {
    const text = lines(5000)
    const again = (id: string, other = text) =>
      post('direct', { text: other }, { 'X-Request-ID': id }).then(({ status }) => status)
    const texts = await textsOf([undefined, { status: 503 }, { status: 503 }], async () => {
      expect([await again('d-1'), await again('d-1'), await again('d-1')]).toEqual([502, 502, 200])
      expect(await again('d-1')).toBe(200)
    })
    const [first, second, , , third] = texts
    expect(texts).toEqual([first, second, second, second, third])
    expect([first, second, third].join('\n')).toBe(text)
    // Another text begins anew.
    const other = lines(4990)
    const anew = await textsOf([undefined, { status: 503 }], async () => {
      expect([await again('d-2'), await again('d-2', other)]).toEqual([502, 200])
    })
    expect(anew).toHaveLength(2 + 3)
  },
  options,
)

proves(
  ['deliveries/parts', 'deliveries/retry-plain'],
  async ({ post, idle }) => {
    const texts = await textsOf([undefined, { status: 400 }], async () => {
      await post('discord', { text: 'x'.repeat(3990) })
      await idle()
    })
    expect(texts[2]).toMatch(/^\(Response formatting failed, plain text:\)\n\nx+$/)
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(2000)
  },
  options,
)
