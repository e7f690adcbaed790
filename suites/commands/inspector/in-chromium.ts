// Opens the page of the inspector in a real browser.

import { type Emulator, startEmulator } from 'flowdouble'
import type { Browser, Page } from 'playwright-core'
import { options, play } from '../../recorded/inspected.mjs'
import { inChromium } from '../../support/browser/chromium.ts'

// What functions use that run in the page.
declare const requestAnimationFrame: (call: () => void) => void

type Opened = {
  readonly page: Page
  /** What the browser reports: errors, violations of the policy, dialogs, and requests to other addresses. */
  readonly reports: readonly string[]
}

export async function open(
  browser: Browser,
  url: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme })
  const reports: string[] = []
  page.on('pageerror', (error) => reports.push(String(error)))
  page.on('console', (message) => reports.push(message.text()))
  page.on('dialog', (dialog) => {
    reports.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'data:' && origin !== new URL(url).origin) reports.push(request.url())
  })
  await page.goto(`${url}/_flowdouble/`)
  await page.locator('#live.live').waitFor()
  return { page, reports }
}

/** Plays the session of which there is a picture on a separate server, and looks at its page. */
export async function inspected(
  body: (browser: Browser, server: Emulator) => Promise<void>,
): Promise<void> {
  const server = await startEmulator(options)
  const close = await play(server)
  try {
    await inChromium((browser) => body(browser, server))
  } finally {
    close()
    await server.close()
  }
}

/** Resolves when the page has drawn what it has been asked for. */
export const drawn = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
