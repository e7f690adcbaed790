// Makes the pictures of the inspector in recordings/ anew, with Chromium.
// Usage, after a build: node suites/recorded/make-pictures.mjs [FOLDER]

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { chromium } from 'playwright-core'
import { options, play, selected } from './inspected.mjs'

const folder = process.argv[2] ?? join(import.meta.dirname, '../../recordings')
const executablePath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim()

const server = await startEmulator(options)
const close = await play(server)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const pictures = [
  ['inspector.png', 'light'],
  ['inspector-dark.png', 'dark'],
]
for (const [name, colorScheme] of pictures) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme })
  await page.goto(`${server.url}/_flowdouble/`)
  await page.getByText(selected).first().click()
  await page.mouse.move(0, 0)
  await page.getByText('workflows/required-input').waitFor()
  await page.waitForFunction(() => [...document.images].every((image) => image.complete))
  await page.screenshot({ path: join(folder, name) })
  await page.close()
}
await browser.close()
close()
await server.close()
