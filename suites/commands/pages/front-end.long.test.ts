// Real front ends in Chromium: what somebody does in a browser works, and the front end finds nothing wrong with the server.

import type { EmulatorOptions } from 'flowdouble'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import { expect } from '../../judge/expect.ts'
import { isInstalled, launch, none } from '../../support/browser/chromium.ts'
import { frontEnd, show, type Shown } from './front-end.ts'
import {
  alphaAt,
  blueSquare,
  cutLatent,
  hasTitle,
  loadImageOnly,
  openMaskEditor,
  setText,
  shownPicture,
  uploadButton,
  widgetValue,
} from './in-page.ts'

/** A front end, the server that it belongs to, and where it has what the others have elsewhere. */
type Version = {
  readonly version: string
  readonly options: EmulatorOptions
  /** What it does about its own state, whatever the server. */
  readonly troubles: readonly RegExp[]
  /** Opens the list of jobs. */
  readonly openJobs: (page: Page) => Promise<void>
  /** How the list shows a cancelled, a successful and a failed run. */
  readonly jobs: readonly RegExp[]
  readonly failure: RegExp
  readonly refusal: RegExp
}

/** User data that nobody has saved yet. */
const unsaved = [
  /^404 GET \/(api\/userdata\/)?user\.css$/,
  /^404 GET \/api\/userdata\/comfy\.templates\.json$/,
  /^404 GET \/api\/userdata\/workflows%2F\.index\.json$/,
  /^404 GET \/api\/userdata\?dir=(workflows|subgraphs)/,
  /^404 GET \/favicon\.ico$/,
]

const versions: readonly Version[] = [
  {
    version: '1.27.10',
    options: {},
    troubles: [
      ...unsaved,
      // It changes a setting before it has declared that one.
      /^Cannot read properties of undefined \(reading 'id'\)$/,
    ],
    openJobs: (page) => page.getByRole('button', { name: 'Queue (q)' }).click(),
    jobs: [/Failed/, /0\.\d+s/, /Cancelled/],
    failure: /VAEDecode\s+It went wrong\./,
    refusal: /KSampler:\s+- Required input is missing: latent_image/,
  },
  {
    version: '1.58.1',
    options: { like: 'comfyui-0.27' },
    troubles: unsaved,
    openJobs: (page) => page.getByTestId('queue-overlay-toggle').click(),
    jobs: [/Failed/, /ComfyUI_00001_\.png/, /Failed/],
    failure: /VAE Decode failed/,
    refusal: /KSampler is missing a required input: latent_image/,
  },
]

/** The third run of a world fails. */
const thirdFails: NodeRule = {
  class_type: 'VAEDecode',
  run: 3,
  exception_type: 'RuntimeError',
  exception_message: 'It went wrong.',
}

let browser: Browser | undefined
beforeAll(async () => {
  if (isInstalled) browser = await launch()
})
afterAll(async () => {
  await browser?.close()
})

describe.each(versions)('front end $version', (one) => {
  /** A case in a new page. It ends with the check that the front end found nothing wrong, except what is listed. */
  const inPage = (
    title: string,
    body: (shown: Shown) => Promise<void>,
    options: EmulatorOptions = {},
    also: readonly RegExp[] = [],
  ): void =>
    test(`pages/front-end ${title}`, async ({ skip }) => {
      if (browser === undefined) return skip(none)
      const found = frontEnd(one.version)
      if ('why' in found) return skip(found.why)
      const shown = await show(browser, { ...one.options, ...options, webRoot: found.folder })
      try {
        await body(shown)
        const known = [...one.troubles, ...also]
        const unknown = shown.troubles().filter((line) => !known.some((about) => about.test(line)))
        expect(unknown).toEqual([])
      } finally {
        await shown.close()
      }
    })

  inPage('It runs its default workflow, and shows each step with its preview.', async (shown) => {
    const { page, emulator, run, reach } = shown
    await showAll(page)
    const steps = Number(await widgetOf(page, 'KSampler', 'steps'))
    expect(steps).toBeGreaterThan(5)
    await run()
    const previews: string[] = []
    for (const step of [2, steps - 2]) {
      await reach('progress', new RegExp(`"value": ${step}, "max": ${steps}`))
      const percent = Math.round((step / steps) * 100)
      await page.waitForFunction(hasTitle, `\\[${percent}%\\] KSampler$`)
      previews.push(await pictureOf(page, 'KSampler', 'blob:', previews.at(-1)))
    }
    await emulator.until('idle')
    await pictureOf(page, 'SaveImage', 'filename=ComfyUI_00001_.png')
    await page.waitForFunction(hasTitle, '^[*]?Unsaved Workflow')
  })

  inPage(
    'It cancels a run, shows the failure of a node and a refused graph, and lists its jobs.',
    async ({ page, emulator, run, reach }) => {
      await showAll(page)
      await run()
      await reach('progress', /"value": 3,/)
      await page.getByRole('button', { name: 'Cancel current run' }).click()
      await emulator.received({ method: 'POST', path: '/api/interrupt' })
      await emulator.until('interrupted')
      await emulator.until('idle')
      await run()
      await emulator.until('success')
      await emulator.until('idle')
      await pictureOf(page, 'SaveImage', 'filename=ComfyUI_00001_.png')
      await run()
      await emulator.until('error')
      await emulator.until('idle')
      await page
        .getByText(/It went wrong|VAE Decode failed/)
        .first()
        .waitFor()
      expect(await page.locator('body').innerText()).toMatch(one.failure)
      await page.keyboard.press('Escape')
      await page.evaluate(cutLatent)
      await run()
      await page
        .getByText(/required input/i)
        .first()
        .waitFor()
      expect(await page.locator('body').innerText()).toMatch(one.refusal)
      await page.keyboard.press('Escape')
      await one.openJobs(page)
      await page.getByText('Failed').first().waitFor()
      const text = await page.locator('body').innerText()
      expect(text).toMatch(new RegExp(one.jobs.map(({ source }) => source).join('[^]*')))
    },
    { scenario: { version: 1, nodes: [thirdFails] } },
    [/^400 POST \/api\/prompt$/, /^PromptExecutionError: Prompt execution failed$/],
  )

  inPage('It uploads a picture, and paints a mask on it.', async ({ page, emulator, run }) => {
    await page.evaluate(loadImageOnly)
    const chosen = page.waitForEvent('filechooser')
    const { x, y } = await page.evaluate(uploadButton)
    await page.mouse.click(x, y)
    const buffer = Buffer.from(await page.evaluate(blueSquare), 'base64')
    await (await chosen).setFiles({ name: 'mine.png', mimeType: 'image/png', buffer })
    await pictureOf(page, 'LoadImage', 'filename=mine.png')
    expect(await widgetOf(page, 'LoadImage', 'image')).toBe('mine.png')
    await page.evaluate(openMaskEditor)
    const save = page.getByText('Save', { exact: true }).last()
    await save.waitFor()
    await page.getByText('256x256').waitFor()
    await page.mouse.move(650, 400)
    await page.mouse.down()
    await page.mouse.move(750, 480, { steps: 12 })
    await page.mouse.up()
    await save.click()
    const masked = await pictureOf(page, 'LoadImage', 'filename=clipspace-painted-masked-')
    // Transparent where it is painted, and only there.
    expect(await page.evaluate(alphaAt, masked)).toEqual({ least: 0, most: 255 })
    await run()
    await emulator.until('success')
    await pictureOf(page, 'PreviewImage', 'type=temp')
  })

  inPage('It saves a workflow, and opens it again.', async ({ page, emulator, reload }) => {
    await page.evaluate(setText, 'a text of mine')
    await page.locator('#graph-canvas').click({ position: { x: 150, y: 750 } })
    await page.keyboard.press('Control+s')
    await page.getByRole('dialog').getByRole('textbox').waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('my first')
    await page.keyboard.press('Enter')
    await emulator.received({ method: 'POST', path: '/api/userdata/workflows%2Fmy%20first.json' })
    await page.waitForFunction(hasTitle, '^my first')
    await reload()
    expect(await widgetOf(page, 'CLIPTextEncode', 'text')).not.toBe('a text of mine')
    await page.getByRole('button', { name: 'Workflows (w)' }).click()
    await page
      .getByText(/^my first(\.json)?$/)
      .last()
      .click()
    await page.waitForFunction(hasTitle, '^my first')
    expect(await widgetOf(page, 'CLIPTextEncode', 'text')).toBe('a text of mine')
  })
})

/** Brings all nodes into view: a front end loads the pictures of no others. */
const showAll = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Fit View (.)' }).click()

const widgetOf = (page: Page, type: string, name: string): Promise<unknown> =>
  page.evaluate(widgetValue, { type, name })

/** Waits until a node shows a picture whose address contains this, other than one before; returns the address. */
async function pictureOf(page: Page, type: string, part: string, before = ''): Promise<string> {
  return (await page.waitForFunction(shownPicture, { type, part, before })).jsonValue()
}
