// Answers that nobody receives: what says so, and what their target gets instead.

import { attempts, notice } from '../../judge/attempts.ts'
import { ownGateway, SECRET } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'

proves(
  'deliveries/dead-notice',
  async (subject) => {
    const reason = 'x'.repeat(301)
    const found = await attempts(subject, { error: reason, times: 2 })
    expect(found.at(-1)).toEqual(notice('x'.repeat(300)))
    // It is tried once, and only where another text can be at fault.
    expect((await attempts(subject, { error: 'odd' })).at(-1)).toEqual(notice('odd', 'failed'))
    for (const status of [404, 503]) {
      const texts = (await attempts(subject, { status })).map(({ text }) => text)
      expect(new Set(texts)).toEqual(new Set(['answer']))
    }
  },
  ownGateway,
)

proves(
  'deliveries/dead',
  async (subject) => {
    const { gateway, logs } = subject
    const states = () => gateway.runs().map(({ delivery }) => delivery)
    const deadLines = () => logs.filter(({ text }) => text.includes('is dead'))
    gateway.failDeliveries({ target: 'telegram', error: 'too many', status: 429, times: null })
    await subject.post('hook', { text: 'answer' }, { 'X-Request-ID': 'd-1' })
    expect(states()).toEqual(['pending'])
    await gateway.advance(60_000)
    expect([states(), deadLines()]).toEqual([['pending'], []])
    await subject.idle()
    expect(gateway.runs()).toMatchObject([{ answer: 'answer', delivery: 'dead' }])
    expect(deadLines()).toMatchObject([
      {
        level: 'error',
        kind: 'delivery',
        text: 'delivery hook d-1 to telegram:home is dead: too many (attempt 11)',
        fields: { route: 'hook', delivery_id: 'd-1', target: 'telegram', attempt: 11 },
      },
    ])
    const warnings = logs.filter(({ level }) => level === 'warning').map(({ text }) => text)
    expect(warnings).toHaveLength(10)
    expect(warnings[0]).toBe('delivery hook d-1 to telegram:home failed: too many; next in 2 s')
    gateway.failDeliveries({ target: 'telegram', error: 'gone', status: 404, times: 1 })
    for (const text of ['a', 'b', '[SILENT]']) await subject.post('hook', { text })
    await subject.idle()
    expect(states()).toEqual(['dead', 'dead', 'delivered', 'silent'])
    expect(deadLines()).toHaveLength(2)
  },
  { routes: { hook: { secret: SECRET, prompt: '{text}', deliver: 'telegram' } } },
)
