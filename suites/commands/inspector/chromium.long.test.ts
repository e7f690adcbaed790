// The inspector in a real browser: what a user sees, clicks and types, and that nothing of a client becomes markup.
//
// Five questions that a user has about a session. Each was written down before the page was drawn, and the first picture
// of the page must answer it without a click:
//
// 1. Which node failed, in which run, at which step, and why?
// 2. Which messages did client B miss, and what kept them from it?
// 3. Which request was refused, with which status, and by which rules?
// 4. Why did run 2 take so long: how long did it wait, and how long did it run?
// 5. What did run 3 take from the cache, and which of its nodes never ran?

import { readFileSync } from 'node:fs'
import { startEmulator, startGateway } from 'flowdouble'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { selected } from '../../recorded/inspected.mjs'
import { inChromium, isInstalled, none } from '../../support/browser/chromium.ts'
import { drawn, inspected, open } from './in-chromium.ts'

// What functions use that run in the page.
declare const document: any
declare const innerWidth: number
declare const innerHeight: number
declare const getComputedStyle: (element: unknown) => Record<string, string>

/** The texts that the window shows now, each with its line: those of elements that lie inside it as a whole. */
const shownTexts = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('body *')].flatMap((element: any): string[] => {
      const { left, top, right, bottom } = element.getBoundingClientRect()
      const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight
      const isWhole =
        element.scrollWidth <= element.clientWidth + 1 ||
        getComputedStyle(element).overflowX === 'visible'
      return isInside && isWhole && right > left ? [element.innerText] : []
    }),
  )

test('inspector/questions The first picture of a session answers five questions, in light and in dark', async ({
  skip,
}) => {
  skip(!isInstalled, none)
  await inspected(async (browser, server) => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, reports } = await open(browser, server.url, scheme)
      await page.getByText(selected).first().click()
      await page.getByText('workflows/required-input').waitFor()
      const texts = await shownTexts(page)
      const answers = [
        // 1.
        'Run 3 failed in Sampler (3), step 14/20: torch.OutOfMemoryError: Allocation on device',
        '✕ torch.OutOfMemoryError: Allocation on device, at step 14/20',
        // 2.
        'bob missed execution_success of run 2: fault lose the end',
        'bob missed progress of run 4: fault drop bob',
        'bob was away for 25 ms: missed a part of run 4',
        // 3.
        'POST /prompt 400',
        '400 after 0 ms',
        'workflows/required-input A missing required input is reported as required_input_missing for its node.',
        // 4.
        'queued 140 ms',
        'done after 120 ms, 4 cached',
        // 5.
        'Load Checkpoint',
        'Empty Latent',
        'Positive Prompt',
        'Negative Prompt',
        'Decode',
        'Save Image',
      ]
      expect(answers.filter((answer) => !texts.some((text) => text === answer))).toEqual([])
      const background = await page.evaluate(
        () => getComputedStyle(document.body)['backgroundColor'] ?? '',
      )
      const [red = 0] = background.match(/\d+/g)?.map(Number) ?? []
      expect({ scheme, isLight: red > 128 }).toEqual({ scheme, isLight: scheme === 'light' })
      const pictures = await page.evaluate(() =>
        [...document.images].map((one: any): number => one.naturalWidth),
      )
      expect(pictures.length).toBeGreaterThan(4)
      expect(pictures).not.toContain(0)
      expect(reports).toEqual([])
      await page.close()
    }
  })
})

test('inspector/keys Keys and buttons move the clock, go through the session, add a fault, save and reset', async ({
  skip,
}) => {
  skip(!isInstalled, none)
  await inspected(async (browser, server) => {
    const { page, reports } = await open(browser, server.url)
    const clock = page.locator('#clock b')
    const before = await clock.textContent()
    await page.keyboard.press('n')
    await page.waitForFunction(
      (text) => document.querySelector('#clock b')?.textContent !== text,
      before,
    )
    await page.locator('#ms').fill('35')
    await page.locator('#ms').press('Enter')
    await page.getByText('interrupted after 100 ms').waitFor()
    await page.locator('#timeline').focus()
    await page.keyboard.press('i')
    await page.locator('#clock').getByText('nothing is due').waitFor()
    expect(await page.locator('.label .state').allTextContents()).toEqual([
      'done',
      'done',
      'failed',
      'interrupted',
      'done',
      'done',
    ])

    // The arrows go from request to request, and from row to row.
    const title = page.locator('#panel h2').first()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    const seen = []
    for (const key of ['ArrowUp', 'ArrowRight', 'ArrowRight']) {
      await page.keyboard.press(key)
      await drawn(page)
      seen.push(page.url())
    }
    expect(new Set(seen).size).toBe(3)
    expect(await title.textContent()).toMatch(/^(GET|POST) /)
    expect(decodeURIComponent(new URL(page.url()).hash)).toMatch(/^#e\d+$/)

    await page.keyboard.press('f')
    await page.locator('#fault-text').fill('{"when": {"path": "/queue"}}')
    await page.locator('#fault-add').click()
    await page.locator('#fault-error').getByText('then').waitFor()
    await page.locator('#fault-preset').selectOption({ label: 'the next submit gets 503' })
    await page.locator('#fault-add').click()
    await page.getByText('fault 3').first().waitFor()
    expect(server.faults().map(({ fault }) => fault.then)).toContainEqual({
      status: 503,
      retryAfter: 1,
    })
    await page.getByRole('tab', { name: 'Faults' }).click()
    await page.locator('.remove').last().click()
    await page.locator('#panel').getByText('fault 3').waitFor({ state: 'detached' })
    expect(server.faults().length).toBe(2)

    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('s')])
    expect(download.suggestedFilename()).toBe('session.har')
    expect(JSON.parse(readFileSync(await download.path(), 'utf8')).log.version).toBe('1.2')

    await page.keyboard.press('r')
    await page.locator('#reset-dialog').getByRole('button', { name: 'Reset' }).click()
    await page.getByText('Nothing has happened yet').waitFor()
    expect(server.runs()).toEqual([])

    // News arrive by themselves.
    await fetch(`${server.url}/queue`)
    await page.getByText('GET /queue').first().waitFor()
    await page.locator('#worlds').selectOption('fork this world')
    await page.waitForURL(/\/w\/[^/]+\/_flowdouble\//)
    await page.locator('#live.live').waitFor()
    expect(server.worlds().length).toBe(1)
    // The browser reports the fault that the server has refused.
    expect(reports).toEqual([expect.stringContaining('400 (Bad Request)')])
  })
})

test('inspector/gateway-events The page of a gateway shows posts, runs and each attempt of a delivery', async ({
  skip,
}) => {
  skip(!isInstalled, none)
  const routes = {
    ci: {
      secret: 'of-the-sender',
      prompt: 'Build {status}',
      deliver: 'telegram',
      deliver_extra: { chat_id: '42' },
    },
  }
  const gateway = await startGateway({
    port: 0,
    clock: 'manual',
    control: true,
    routes,
    agent: { delayMs: 40 },
  })
  const post = (headers: Readonly<Record<string, string>>) =>
    fetch(`${gateway.url}/webhooks/ci`, {
      method: 'POST',
      headers: { 'X-Gitlab-Event': 'Push Hook', ...headers },
      body: '{"status": "green"}',
    })
  gateway.failDeliveries({ target: 'telegram', error: 'telegram is down', times: 1 })
  await post({ 'X-Gitlab-Token': 'of-the-sender', 'X-Request-ID': 'd-1' })
  await gateway.until('idle')
  await post({ 'X-Gitlab-Token': 'of-the-sender', 'X-Request-ID': 'd-1' })
  await post({ 'X-Gitlab-Token': 'wrong' })
  await inChromium(async (browser) => {
    const { page, reports } = await open(browser, gateway.url)
    const texts = await shownTexts(page)
    expect(texts).toEqual(
      expect.arrayContaining([
        'POST /webhooks/ci duplicate',
        'd-1: delivery 1 to telegram failed: telegram is down',
        'telegram delivered at attempt 2',
        'agent 40 ms',
      ]),
    )
    await page.getByText('agent 40 ms').click()
    await page.locator('#panel').getByText('Build green').first().waitFor()
    expect(reports).toEqual([])
  })
  await gateway.close()
})

test('inspector/markup Markup of a client stays text in a browser, and its policy would stop it', async ({
  skip,
}) => {
  skip(!isInstalled, none)
  const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
  const server = await startEmulator({ clock: 'manual', seed: '7' })
  const prompt = {
    '1': {
      class_type: 'EmptyImage',
      inputs: { width: 8, height: 8, batch_size: 1, color: 0 },
      _meta: { title: markup },
    },
    '2': {
      class_type: 'SaveImage',
      inputs: { images: ['1', 0], filename_prefix: 'x' },
      _meta: { title: markup },
    },
  }
  await fetch(`${server.url}/prompt`, {
    method: 'POST',
    body: JSON.stringify({ prompt, client_id: markup }),
  })
  await fetch(`${server.url}/view?filename=${encodeURIComponent(markup)}`)
  await server.until('idle')
  await inChromium(async (browser) => {
    const { page, reports } = await open(browser, server.url)
    for (const key of await page
      .locator('[data-key]')
      .evaluateAll((all) => all.map((one) => (one as any).dataset.key as string))) {
      await page.goto(`${server.url}/_flowdouble/#${encodeURIComponent(key)}`)
      await page.locator('#panel h2').first().waitFor()
    }
    expect(await page.getByText(markup).count()).toBeGreaterThan(2)
    expect(await page.locator('img, script').count()).toBe(1)
    expect(await page.title()).toBe('flowdouble inspector')
    expect(reports).toEqual([])
    const isStopped = await page.evaluate((text) => {
      try {
        document.body.innerHTML = text
        return false
      } catch {
        return true
      }
    }, markup)
    expect(isStopped).toBe(true)
  })
  await server.close()
})
