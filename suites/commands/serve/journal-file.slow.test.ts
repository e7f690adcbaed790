// The file of a journal while its server runs: what a client has received is in it, whatever ends the process then.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import { onTestFinished, test } from 'vitest'
import { textToImage } from '../../generate/graphs.ts'
import { openLine } from '../../judge/edges.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'

const file = join(folder(), 'journal.jsonl')

test.each(['manual', 'instant'] as const)(
  'journal-file/first What a client receives is in the journal file before, on the clock %s',
  async (clock) => {
    const server = await startEmulator({ clock, journal: file, overwrite: true })
    onTestFinished(() => server.close())
    const kept: boolean[] = []
    const line = openLine(server.url, '/ws?clientId=me', (data, isBinary) => {
      const text = readFileSync(file, 'utf8')
      kept.push(isBinary || text.includes(JSON.stringify(data.toString()).slice(1, -1)))
    })
    await line.opened
    const body = JSON.stringify({ prompt: textToImage(), client_id: 'me' })
    const submitted = await fetch(`${server.url}/prompt`, { method: 'POST', body })
    expect(submitted.status).toBe(200)
    expect(readFileSync(file, 'utf8')).toContain(await submitted.text().then(JSON.stringify))
    if (clock === 'manual') await server.until('idle')
    await line.settled()
    expect(kept.length).toBeGreaterThan(10)
    expect(kept).not.toContain(false)
    const lines = await server.journal()
    expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBe(lines.length)
  },
)
