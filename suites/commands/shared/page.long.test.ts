// The pages of a shared server in a real browser: the list of its worlds, and the inspector of a world with its token.

import { startEmulator } from 'flowdouble'
import type { Browser, Page } from 'playwright-core'
import { test } from 'vitest'
import { textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { subjectOf } from '../../judge/subject.ts'
import { inChromium, isInstalled, none } from '../../support/browser/chromium.ts'
import { start } from '../../support/spawned.ts'

const ADMIN = 'token+of=the/admin'

// What functions use that run in the page.
declare const location: { readonly href: string }
declare const document: { readonly images: Iterable<{ readonly naturalWidth: number }> }

/** A page, and what the browser reports: errors, violations of the policy, and requests to other addresses. */
async function opened(browser: Browser, url: string) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } })
  const reports: string[] = []
  page.on('pageerror', (error) => reports.push(String(error)))
  page.on('console', (message) => reports.push(message.text()))
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'data:' && origin !== new URL(url).origin) reports.push(request.url())
  })
  await page.goto(url)
  return { page, reports }
}

const addressOf = (page: Page): Promise<string> => page.evaluate(() => location.href)

test('shared/page The page asks for the token, and lists, creates and closes worlds', async ({
  skip,
}) => {
  skip(!isInstalled, none)
  const server = await startEmulator({ shared: true, controlToken: ADMIN, clock: 'manual' })
  const old = await server.world({ name: 'old' })
  await subjectOf(old).submit(textToImage(1))
  await inChromium(async (browser) => {
    const { page, reports } = await opened(browser, `${server.url}/_flowdouble/`)
    await page.getByText('require the header').waitFor()
    await page.getByLabel('Token').fill('wrong-token')
    await page.getByLabel('Token').press('Enter')
    await page.getByText('require the header').waitFor()
    await page.getByLabel('Token').fill(ADMIN)
    await page.getByLabel('Token').press('Enter')
    await page.getByRole('link', { name: 'old' }).waitFor()
    expect(await page.locator('#worlds tr td').allInnerTexts()).toEqual([
      'old',
      expect.stringMatching(/^\d+ s$/),
      expect.stringMatching(/^\d+ s$/),
      expect.stringMatching(/^\d+ KiB$/),
      '1',
      '0',
      'Close',
    ])
    // It stays when the page is loaded again, and its place is not the address.
    await page.reload()
    await page.getByRole('link', { name: 'old' }).waitFor()
    expect(await addressOf(page)).toBe(`${server.url}/_flowdouble/`)
    await page.getByLabel('New world').fill('<b>no</b>')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('The name of a world has letters').waitFor()
    await page.getByLabel('New world').fill('fresh')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('link', { name: 'fresh' }).waitFor()
    await page.getByTitle('Close old').click()
    await page.getByTitle('Close old').click()
    await page.getByTitle('Close old').waitFor({ state: 'detached' })
    expect(server.worlds().map(({ name }) => name)).toEqual(['fresh'])
    // The link to the inspector of the new world has its token.
    await page.getByRole('link', { name: 'Inspector' }).click()
    await page.locator('#live.live').waitFor()
    expect(await addressOf(page)).toBe(`${server.url}/w/fresh/_flowdouble/`)
    // Chromium reports the refusals of the wrong tokens, and no violation.
    expect(reports.filter((text) => !/status of (403|400)/.test(text))).toEqual([])
  })
  await server.close()
})

test('shared/workers-page The page of several workers leads to the inspector of a world at its worker', async ({
  skip,
}) => {
  skip(!isInstalled, none)
  const flags = ['--workers', '2', '--port', '0', '--shared', '--control-token', ADMIN, '--json']
  const command = start('serve', ...flags)
  const { url, workers } = JSON.parse(await command.says(/\n/))
  await inChromium(async (browser) => {
    const { page } = await opened(browser, `${url}/_flowdouble/`)
    await page.getByLabel('Token').fill(ADMIN)
    await page.getByLabel('Token').press('Enter')
    for (const name of ['job-1', 'job-2']) {
      await page.getByLabel('New world').fill(name)
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('link', { name }).waitFor()
    }
    await page.getByText('2 worlds').waitFor()
    // It has the token of the world that was created last, and lists what happens there.
    await page.getByRole('link', { name: 'Inspector' }).click()
    await page.locator('#live.live').waitFor()
    const places = workers.map((one: { url: string }) => `${one.url}/w/job-2/_flowdouble/`)
    expect(places).toContain(await addressOf(page))
  })
  await command.stop()
})

test('inspector/token The inspector of a world with a token shows it, with pictures and its recording', async ({
  skip,
}) => {
  skip(!isInstalled, none)
  const server = await startEmulator({ shared: true, controlToken: ADMIN, clock: 'manual' })
  const world = await server.world({ name: 'one', preview: 'png' })
  const subject = subjectOf(world)
  const session = await subject.connect('me')
  await subject.run(session, textToImage(1))
  await inChromium(async (browser) => {
    const at = `${world.url}/_flowdouble/`
    const { page, reports } = await opened(browser, `${at}#token=${world.worldToken}`)
    await page.locator('#live.live').waitFor()
    expect(await addressOf(page)).toBe(at)
    await page.locator('.frame').first().click()
    await page.locator('#panel img').first().waitFor()
    await page.waitForFunction(() => [...document.images].some((one) => one.naturalWidth > 0))
    const download = page.waitForEvent('download')
    await page.locator('#save').click()
    expect((await download).suggestedFilename()).toBe('session.har')
    expect(reports).toEqual([])
    // In another tab it is not known.
    const other = await opened(browser, at)
    await other.page.getByText('require the header').waitFor()
    await other.page.getByLabel('Token').fill(world.worldToken!)
    await other.page.getByLabel('Token').press('Enter')
    await other.page.locator('#live.live').waitFor()
  })
  await session.close()
  await server.close()
})
