// Runs that the user stops, and folders that cannot take outputs: reported before anything is submitted.

import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { runWorkflow } from '../../../dist/emulator/internal.js'
import { startSubject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'

const workflowPath = join(import.meta.dirname, '../../../recordings/workflows/text-to-image.json')

test('run/stopped A stopped run reports that the server continues with it', async () => {
  const subject = await startSubject()
  const user = new AbortController()
  const result = await runWorkflow({
    url: subject.url,
    workflowPath,
    outDir: folder(),
    signal: user.signal,
    onProgress: ({ kind }) => kind === 'submitted' && user.abort(),
  })
  expect(result.outcome).toBe('stopped')
  expect(result.error?.message).toContain(`continues the run ${result.prompt_id}`)
  expect((await subject.get('/queue')).json().queue_pending).toHaveLength(1)
  await subject.close()
})

test('run/stopped A run that was stopped before it began submits nothing', async () => {
  const subject = await startSubject()
  const signal = AbortSignal.abort()
  const result = await runWorkflow({ url: subject.url, workflowPath, outDir: folder(), signal })
  expect(result).toMatchObject({ outcome: 'stopped', prompt_id: null })
  expect((await subject.get('/queue')).json().queue_pending).toEqual([])
  await subject.close()
})

test('run/out-refused A folder that cannot be created or written is rejected before the submit', async () => {
  const subject = await startSubject({ clock: 'instant' })
  const locked = folder()
  chmodSync(locked, 0o500)
  const isRoot = process.getuid?.() === 0
  const places = ['/proc/flowdouble/deep', `${workflowPath}/below`, ...(isRoot ? [] : [locked])]
  for (const outDir of places) {
    const result = await runWorkflow({ url: subject.url, workflowPath, outDir })
    expect(result.outcome).toBe('usage')
    expect(result.error?.message).toContain('give another --out')
  }
  expect((await subject.get('/history')).json()).toEqual({})
  const deep = join(folder(), 'a', 'b')
  expect((await runWorkflow({ url: subject.url, workflowPath, outDir: deep })).outcome).toBe(
    'success',
  )
  expect(readdirSync(deep)).toEqual(['lighthouse_00001_.png'])
  await subject.close()
})
