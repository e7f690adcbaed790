// What the page of the inspector shows of the store of a gateway, and what its buttons do about a stored run.

import { onTestFinished } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { forTest } from '../../support/for-test.ts'
import { type FakePage, openFakePage } from '../../support/browser/fake-page.ts'
import { newStorePath, postText, startStored } from '../../support/stores/gateways.ts'

const markup = '<img src=x onerror=alert(1)>'

/** The texts of the elements of one name. */
const textsOf = (page: FakePage, name: string): readonly string[] =>
  page.elements().flatMap(({ tag, textContent }) => (tag === name ? textContent : []))

/** The lines of the table of stored runs: delivery ids and states. */
const lines = (page: FakePage) =>
  page.elements().flatMap(({ tag, children }) => {
    if (tag !== 'tr') return []
    const [, state, , id] = children.map((one) => (typeof one === 'string' ? one : one.textContent))
    return state === 'State' ? [] : [[id, state]]
  })

const names: ReadonlySet<string> = new Set(['Retry', 'Cancel', 'Drop'])
/** The buttons for a stored run. */
const buttons = (page: FakePage) => textsOf(page, 'button').filter((text) => names.has(text))

/** Clicks the button with this text. */
async function click(page: FakePage, text: string): Promise<void> {
  const own = page.elements().find((one) => one.tag === 'button' && one.textContent === text)
  expect(own).toBeDefined()
  for (const listener of own?.listeners['click'] ?? []) listener({})
  await page.drawn()
}

proves('inspector/stored-runs', async () => {
  const gateway = await forTest(startStored(newStorePath(), { agent: { delayMs: 50 } }))
  gateway.failDeliveries({ target: 'telegram', error: markup, status: 403, times: 1 })
  for (const id of [markup, 'b']) {
    await postText(gateway, 'ci', id, `text of ${id}`)
    await gateway.until('idle')
  }
  await postText(gateway, 'ci', 'c', 'text of c')
  const page = await openFakePage(gateway.url)
  onTestFinished(page.close)
  await page.drawn()
  await click(page, 'Stored runs')
  expect(lines(page)).toEqual([
    ['c', 'waiting'],
    ['b', 'delivered'],
    [markup, 'dead'],
  ])
  await page.choose('Only one state', 'dead')
  expect(lines(page)).toEqual([[markup, 'dead']])

  await click(page, markup)
  expect(textsOf(page, 'pre')).toContain(`text of ${markup}`)
  expect(textsOf(page, 'h2')).toContain('ci dead')
  expect(page.created).not.toContain('img')
  expect(buttons(page)).toEqual(['Retry', 'Drop'])
  await click(page, 'Retry')
  await gateway.until('idle')
  await page.shows('ci delivered')
  await click(page, 'Drop')
  await page.choose('Only one state', '')
  expect(lines(page)).toEqual([
    ['c', 'delivered'],
    ['b', 'delivered'],
  ])

  // What another has deleted is refused: the journal does not say so.
  await page.press('ArrowDown')
  await page.press('ArrowDown')
  await fetch(`${gateway.url}/_flowdouble/stored-runs/b`, { method: 'DELETE' })
  await click(page, 'Retry')
  expect(page.texts()).toContainEqual(expect.stringMatching(/^The store has no run /))
  expect(lines(page)).toEqual([['c', 'delivered']])

  await postText(gateway, 'ci', 'd', 'text of d')
  await page.shows('d')
  await page.press('ArrowDown')
  expect(buttons(page)).toEqual(['Cancel'])
  await click(page, 'Cancel')
  await page.shows('ci cancelled')
})
