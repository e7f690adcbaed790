// The layout of the inspector in a real browser, wide and on a phone, and how its table is used.

import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { isInstalled, none } from '../../support/browser/chromium.ts'
import { drawn, inspected, open } from './in-chromium.ts'

// What functions use that run in the page.
declare const document: any
declare const innerWidth: number

/** The words in rows of the timeline that lie on each other. */
const overlaps = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.track')].flatMap((track: any) => {
      const words = [
        ...track.querySelectorAll('.after, .wait span, .bar span, .chip, .request span, .thumb'),
      ].map((one: any) => ({ text: one.textContent, box: one.getBoundingClientRect() }))
      return words.flatMap((a, index) =>
        words
          .slice(index + 1)
          .filter(
            (b) =>
              a.box.left < b.box.right - 1 &&
              b.box.left < a.box.right - 1 &&
              a.box.top < b.box.bottom - 1 &&
              b.box.top < a.box.bottom - 1,
          )
          .map((b) => `${a.text} / ${b.text}`),
      )
    }),
  )

test('inspector/layout Words never lie on each other, and nothing is cut at the side, wide and on a phone', async ({
  skip,
}) => {
  skip(!isInstalled, none)
  await inspected(async (browser, server) => {
    const { page, reports } = await open(browser, server.url)
    for (const width of [1440, 1100, 700, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await drawn(page)
      expect({ width, overlaps: await overlaps(page) }).toEqual({ width, overlaps: [] })
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll('header *, #bar *, #strip, #panel')]
          .filter((one: any) => one.getBoundingClientRect().right > innerWidth + 1)
          .map((one: any): string => `${one.tagName} ${one.textContent}`),
      )
      expect({ width, cut }).toEqual({ width, cut: [] })
    }
    // The table, and a part of the time that is dragged on the strip.
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.keyboard.press('t')
    await drawn(page)
    const lines = page.locator('.line')
    expect(await lines.count()).toBe(10)
    const strip = await page.locator('#strip').boundingBox()
    const [left, top] = [strip?.x ?? 0, (strip?.y ?? 0) + 10]
    await page.mouse.move(left, top)
    await page.mouse.down()
    await page.mouse.move(left + 200, top)
    await page.mouse.up()
    await drawn(page)
    expect(await lines.count()).toBe(3)
    await page.getByText('Show all').click()
    await drawn(page)
    expect(await lines.count()).toBe(10)
    // The keys go from line to line, and to the search.
    await page.locator('#timeline').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await drawn(page)
    expect(await page.locator('.line.selected').textContent()).toContain('/prompt')
    await page.keyboard.press('/')
    await page.keyboard.type('snow')
    await drawn(page)
    expect(await lines.count()).toBe(1)
    expect(await page.locator('#search').inputValue()).toBe('snow')
    expect(reports).toEqual([])
  })
})
