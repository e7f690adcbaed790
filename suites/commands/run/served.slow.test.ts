// The client and the command `serve` with the hosted server of this package.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import {
  type RunEvent,
  type RunOptions,
  type RunResult,
  runWorkflow,
} from '../../../dist/emulator/internal.js'
import { startSubject } from '../../judge/subject.ts'
import { main, start, startProcess, textToImage } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'

const failing = textToImage.replace('text-to-image', 'failing')
const imageToImage = textToImage.replace('text-to-image', 'image-to-image')

/** Runs a workflow on a hosted server that it starts, and also returns the journal of that server. */
async function runServed(
  options: Partial<RunOptions> = {},
): Promise<RunResult & { readonly journal: string; readonly events: readonly RunEvent[] }> {
  const subject = await startSubject({ deployment: 'hosted', clock: 'instant' })
  const events: RunEvent[] = []
  const result = await runWorkflow({
    url: subject.url,
    workflowPath: textToImage,
    outDir: folder(),
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

test('run/served-hosted A run on hosted downloads its picture, and leaks no key', async () => {
  for (const workflowPath of [textToImage, imageToImage]) {
    const { outcome, files, journal, events } = await runServed({ workflowPath })
    expect({ outcome, filesLength: files.length }).toEqual({ outcome: 'success', filesLength: 1 })
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

test('run/served-hosted A failed run on hosted reports the error of its job', async () => {
  const { outcome, error, events } = await runServed({ workflowPath: failing })
  expect([outcome, typeof error?.node]).toEqual(['failed', 'string'])
  expect(events.filter(({ kind }) => kind === 'warning')).toEqual([])
})

test('run/served-hosted A free account and an unknown key are reported differently', async () => {
  const free = await runServed({ apiKey: 'test-key-free' })
  expect(free).toMatchObject({ outcome: 'refused', prompt_id: null })
  const unknown = await runServed({ apiKey: 'nobody' })
  expect(unknown).toMatchObject({ outcome: 'protocol', prompt_id: null })
  expect(unknown.error?.message).toContain('Is the API key right?')
})

test('run/served-hosted Without a key the client detects a hosted server', async () => {
  const subject = await startSubject({ deployment: 'hosted' })
  const options = { url: subject.url, workflowPath: textToImage, outDir: folder() }
  const { outcome, error } = await runWorkflow(options)
  expect({ outcome, message: error?.message }).toEqual({
    outcome: 'usage',
    message: expect.stringContaining('is a hosted server: give its key'),
  })
  await subject.close()
})

test('serve/run A workflow runs through a hosted server, whose key is known', async () => {
  const command = start('serve', '--deployment', 'hosted', '--port', '0', '--run', textToImage)
  const text = await command.says(/keeps running[\s\S]*curl .*history_v2/)
  expect(text).toContain('.png')
  command.process.kill('SIGTERM')
  expect((await command.ends).code).toBe(0)
})

test('serve/json The output lists the signed links of a hosted server', async () => {
  const command = start('serve', '--deployment', 'both', '--port', '0', '--json')
  const { hosted } = JSON.parse(await command.says(/\n/)) as { hosted: { signedUrl: string } }
  expect(hosted.signedUrl).toMatch(/^http:\/\/\S+:\d+$/)
  command.process.kill('SIGTERM')
  await command.ends
})

test('run/examples The name of an example stands for its workflow, in any folder, unless a file has that name.', async () => {
  const subject = await startSubject({ clock: 'instant' })
  const cwd = folder()
  const run = (name: string) =>
    startProcess(process.execPath, [main, 'run', name, '--url', subject.url], cwd).ends
  expect(await run('image-to-image')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\.png\n$/),
  })
  expect(await run('failing')).toMatchObject({ code: 1 })
  writeFileSync(join(cwd, 'failing'), 'my file')
  const { code, stderr } = await run('failing')
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not valid JSON'),
  })
  await subject.close()
})
