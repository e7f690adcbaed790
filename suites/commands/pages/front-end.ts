// A real front end in headless Chromium, with a new world on a manual clock: what tests do with its user interface.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Emulator, type EmulatorOptions, startEmulator } from 'flowdouble'
import type { Browser, Page } from 'playwright-core'
import { folder } from '../../support/folder.ts'
import { forget, isReady } from './in-page.ts'

/** A folder with unpacked front ends, each in a folder with the name of its version. Without it pip installs them. */
const given = process.env['FLOWDOUBLE_FRONT_ENDS']

/** Where front ends are installed. */
const installed = folder()

/** The folder of a front end, or why it is not available. */
export function frontEnd(version: string): { readonly folder: string } | { readonly why: string } {
  const place = join(given ?? installed, version)
  const folder = join(place, 'comfyui_frontend_package', 'static')
  if (given === undefined && !existsSync(folder)) {
    const name = `comfyui-frontend-package==${version}`
    const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', place, name]
    const { status, stderr, error } = spawnSync('python3', args, { encoding: 'utf8' })
    if (status !== 0) return { why: `pip cannot install ${name}: ${error?.message ?? stderr}` }
  }
  return existsSync(folder) ? { folder } : { why: `there is no folder ${folder}` }
}

/** A page with a front end that is ready, and the world behind it. */
export type Shown = {
  readonly emulator: Emulator
  readonly page: Page
  /** What went wrong so far: requests that the world refused, and errors of the page other than those about them. */
  readonly troubles: () => readonly string[]
  /** Clicks the button that runs the workflow, and returns when the world has the submit. */
  readonly run: () => Promise<void>
  /** Moves the clock to the message of a type whose text matches, and returns when it is sent. */
  readonly reach: (type: string, pattern: RegExp) => Promise<void>
  /** Loads the page again, without what it keeps in the browser. */
  readonly reload: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Settings of somebody who has used the front end before: it then shows its default workflow. */
const settings = { 'Comfy.TutorialCompleted': true, 'Comfy.InstalledVersion': '1.26.0' }

/** Opens a front end in a new page, on a new world. */
export async function show(browser: Browser, options: EmulatorOptions): Promise<Shown> {
  const emulator = await startEmulator({ clock: 'manual', preview: 'jpeg', ...options })
  await fetch(`${emulator.url}/settings`, { method: 'POST', body: JSON.stringify(settings) })
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } })
  // It also looks for news on the network.
  await context.route(
    (url) => url.origin !== emulator.url,
    (route) => route.abort(),
  )
  const page = await context.newPage()
  const troubles = new Set<string>()
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url())
    if (response.status() >= 400)
      troubles.add(`${response.status()} ${response.request().method()} ${pathname}${search}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.add(message.text().split('\n')[0] ?? '')
  })
  page.on('pageerror', ({ message }) => troubles.add(message))
  const open = async (): Promise<void> => {
    await page.goto(emulator.url)
    await page.waitForFunction(isReady)
  }
  await open()
  let runs = 0
  return {
    emulator,
    page,
    troubles: () => [...troubles].filter((one) => !one.startsWith('Failed to load resource')),
    run: async () => {
      await page.getByRole('button', { name: 'Run', exact: true }).first().click()
      await emulator.received({ method: 'POST', path: '/api/prompt', times: ++runs })
    },
    reach: (type, pattern) =>
      emulator.until(
        (effect) =>
          effect.kind === 'send' &&
          effect.text.startsWith(`{"type": "${type}"`) &&
          pattern.test(effect.text),
      ),
    reload: async () => {
      await page.evaluate(forget)
      await open()
    },
    close: async () => {
      await context.close()
      await emulator.close()
    },
  }
}
