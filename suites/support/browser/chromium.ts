// The browser of tests that need a real one: the command `chromium` of this machine.

import { spawnSync } from 'node:child_process'
import { type Browser, chromium } from 'playwright-core'

const executablePath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim()

export const isInstalled = executablePath !== ''
export const none = 'The command chromium is not installed.'

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-audio-output',
    ],
  })

/** Calls with a browser, which is closed afterwards. */
export async function inChromium(body: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await launch()
  try {
    await body(browser)
  } finally {
    await browser.close()
  }
}
