// The client with servers of this package: runs on hosted, runs that the user stops, and folders that cannot take outputs.

import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import {
  type RunEvent,
  type RunOptions,
  type RunResult,
  runWorkflow,
} from '../../../dist/emulator/internal.js'
import { startSubject } from '../../judge/subject.ts'
import { main, startProcess, textToImage } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'
import { forTest } from '../../support/for-test.ts'

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
  const journal = (await subject.emulator!.journal()).join('\n')
  await subject.close()
  return { ...result, journal, events }
}

test('run/served-hosted A run on hosted downloads its picture, and leaks no key', async () => {
  for (const workflowPath of [textToImage, imageToImage]) {
    const { outcome, files, journal, events } = await runServed({ workflowPath })
    const signatures = files.map(({ path }) => readFileSync(path).subarray(1, 4).toString())
    expect({ outcome, signatures }).toEqual({ outcome: 'success', signatures: ['PNG'] })
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

test('run/examples The name of an example stands for its workflow, in any folder, unless a file has that name.', async () => {
  const subject = await forTest(startSubject({ clock: 'instant' }))
  const cwd = folder()
  const run = (name: string) =>
    startProcess(process.execPath, [main, 'run', name, '--url', subject.url], cwd).ends
  expect(await run('image-to-image')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\.png\n$/),
  })
  expect(await run('failing')).toMatchObject({ code: 1 })
  writeFileSync(join(cwd, 'failing'), 'my file')
  const stderr = expect.stringContaining('is not valid JSON')
  expect(await run('failing')).toMatchObject({ code: 2, stderr })
})

test('run/stopped A stopped run reports that the server continues with it', async () => {
  const subject = await forTest(startSubject())
  const user = new AbortController()
  const result = await runWorkflow({
    url: subject.url,
    workflowPath: textToImage,
    outDir: folder(),
    signal: user.signal,
    onProgress: ({ kind }) => kind === 'submitted' && user.abort(),
  })
  const message = expect.stringContaining(`continues the run ${result.prompt_id}`)
  expect(result).toMatchObject({ outcome: 'stopped', error: { message } })
  expect((await subject.get('/queue')).json().queue_pending).toHaveLength(1)
})

test('run/stopped A run that was stopped before it began submits nothing', async () => {
  const subject = await forTest(startSubject())
  const signal = AbortSignal.abort()
  const result = await runWorkflow({
    url: subject.url,
    workflowPath: textToImage,
    outDir: folder(),
    signal,
  })
  expect(result).toMatchObject({ outcome: 'stopped', prompt_id: null })
  expect((await subject.get('/queue')).json().queue_pending).toEqual([])
})

test('run/out-refused A folder that cannot be created or written is rejected before the submit', async () => {
  const subject = await forTest(startSubject({ clock: 'instant' }))
  const locked = folder()
  chmodSync(locked, 0o500)
  const isRoot = process.getuid?.() === 0
  const places = ['/proc/flowdouble/deep', `${textToImage}/below`, ...(isRoot ? [] : [locked])]
  for (const outDir of places) {
    const result = await runWorkflow({ url: subject.url, workflowPath: textToImage, outDir })
    const message = expect.stringContaining('give another --out')
    expect(result).toMatchObject({ outcome: 'usage', error: { message } })
  }
  expect((await subject.get('/history')).json()).toEqual({})
  const deep = join(folder(), 'a', 'b')
  expect(
    (await runWorkflow({ url: subject.url, workflowPath: textToImage, outDir: deep })).outcome,
  ).toBe('success')
  expect(readdirSync(deep)).toEqual(['lighthouse_00001_.png'])
})
