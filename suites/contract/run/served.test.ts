// The client and the command `serve` meet the hosted server of this package.

import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import {
  type RunEvent,
  type RunOptions,
  type RunResult,
  runWorkflow,
} from '../../../dist/emulator/internal.js'
import { startSubject } from '../../judge/subject.ts'
import { start, textToImage } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

const failing = textToImage.replace('text-to-image', 'failing')
const imageToImage = textToImage.replace('text-to-image', 'image-to-image')

/** Runs a workflow on a hosted server of its own, and gives the journal of that server besides. */
async function runServed(
  options: Partial<RunOptions> = {},
): Promise<RunResult & { readonly journal: string; readonly events: readonly RunEvent[] }> {
  const subject = await startSubject({ deployment: 'hosted', clock: 'instant' })
  const events: RunEvent[] = []
  const result = await runWorkflow({
    url: subject.url,
    workflowPath: textToImage,
    outDir: mkdtempSync(join(tmpdir(), 'flowdouble-')),
    apiKey: 'test-key',
    onProgress: (event) => events.push(event),
    ...options,
  })
  const journal = (
    await subject.raw('GET', '/_flowdouble/journal', undefined, {
      'X-API-Key': 'test-key',
    })
  ).text
  await subject.close()
  return { ...result, journal, events }
}

test('run/served-hosted A run on hosted brings its picture home, and leaks no key', async () => {
  for (const workflowPath of [textToImage, imageToImage]) {
    const { outcome, files, journal, events } = await runServed({ workflowPath })
    expect([outcome, files.length]).toEqual(['success', 1])
    expect(
      readFileSync(files[0]?.path ?? '')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
    expect(events.filter(({ kind }) => kind === 'warning' || kind === 'hint')).toEqual([])
    expect(journal).toContain('/api/view')
    expect(journal).not.toContain('"leak"')
  }
})

test('run/served-hosted A failed run on hosted tells the error of its job', async () => {
  const { outcome, error, events } = await runServed({ workflowPath: failing })
  expect([outcome, typeof error?.node]).toEqual(['failed', 'string'])
  expect(events.filter(({ kind }) => kind === 'warning')).toEqual([])
})

test('run/served-hosted A free account and an unknown key are told apart', async () => {
  const free = await runServed({ apiKey: 'test-key-free' })
  expect([free.outcome, free.prompt_id]).toEqual(['refused', null])
  const unknown = await runServed({ apiKey: 'nobody' })
  expect([unknown.outcome, unknown.prompt_id]).toEqual(['protocol', null])
  expect(unknown.error?.message).toContain('Is the API key right?')
})

test('run/served-hosted Without a key the server is found to be hosted', async () => {
  const subject = await startSubject({ deployment: 'hosted' })
  const options = { url: subject.url, workflowPath: textToImage, outDir: tmpdir() }
  const { outcome, error } = await runWorkflow(options)
  expect([outcome, error?.message]).toEqual([
    'usage',
    expect.stringContaining('is a hosted server: give its key'),
  ])
  await subject.close()
})

test('serve/run A workflow is run through a hosted server, whose key is at hand', async () => {
  const command = start('serve', '--deployment', 'hosted', '--port', '0', '--run', textToImage)
  const text = await command.says(/keeps running[\s\S]*curl .*history_v2/)
  expect(text).toContain('.png')
  command.process.kill('SIGTERM')
  expect((await command.ends).code).toBe(0)
})

test('serve/json The signed links of a hosted server are told', async () => {
  const command = start('serve', '--deployment', 'both', '--port', '0', '--json')
  const { hosted } = JSON.parse(await command.says(/\n/)) as { hosted: { signedUrl: string } }
  expect(hosted.signedUrl).toMatch(/^http:\/\/\S+:\d+$/)
  command.process.kill('SIGTERM')
  await command.ends
})
