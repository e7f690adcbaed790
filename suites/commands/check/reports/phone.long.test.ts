// The HTML report in a real browser, as wide as a phone: all of it fits, and a link opens the failure that it leads to.

import { test } from 'vitest'
import { htmlText } from '../../../check/reports/html.ts'
import { expect } from '../../../judge/expect.ts'
import { inChromium, isInstalled, none } from '../../../support/browser/chromium.ts'
import { caseEvent, endEvent, sample } from './streams.ts'

declare const document: any

test('check/html-phone The report fits 390 pixels, and a link opens the failure that it leads to.', async ({
  skip,
}) => {
  skip(!isInstalled, none)
  const more = Array.from({ length: 9 }, (_, index) =>
    caseEvent(`queue/failed-${index}`, { verdict: 'fail' }),
  )
  const long = caseEvent('queue/long', { verdict: 'note', detail: 'x'.repeat(400) })
  await inChromium(async (browser) => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    await page.setContent(htmlText([[...sample.slice(0, -1), ...more, long, endEvent]]))
    expect(await page.evaluate((): number => document.documentElement.scrollWidth)).toBe(390)
    const failure = page.locator('details.failure').first()
    expect(await failure.getAttribute('open')).toBeNull()
    await page.getByText('all messages').first().click()
    expect(await failure.getAttribute('open')).not.toBeNull()
    expect(await page.evaluate((): number => document.documentElement.scrollWidth)).toBe(390)
  })
})
