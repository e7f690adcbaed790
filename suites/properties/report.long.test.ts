// The HTML report in a real browser: its policy lets its own script run, and nothing that a target sent.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { htmlText } from '../check/reports/html.ts'
import { attacks, sample, streamOf } from '../commands/check/reports/streams.ts'
import { expect } from '../judge/expect.ts'
import { folder } from '../support/folder.ts'

const isInstalled = spawnSync('chromium', ['--version']).status === 0

/** The page as Chromium has it after its scripts. */
function shownBy(page: string): string {
  const file = join(folder(), 'report.html')
  writeFileSync(file, page)
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder()}`]
  const argv = [...flags, '--dump-dom', `file://${file}`]
  const { stdout } = spawnSync('chromium', argv, { encoding: 'utf8' })
  return stdout
}

test('report/filter The script filters the rules by verdict.', ({ skip }) => {
  skip(!isInstalled, 'The command chromium is not installed.')
  const page = htmlText([sample])
  expect(shownBy(page)).toContain('>8 of 8 rules<')
  const filtered = page.replace('<option value="fail">', '<option value="fail" selected>')
  expect(shownBy(filtered)).toContain('>1 of 8 rules<')
})

test('report/hostile No text of a target runs as a script.', ({ skip }) => {
  skip(!isInstalled, 'The command chromium is not installed.')
  const script =
    '"><script>document.body.textContent = "owned"</script><img src=x onerror="document.body.textContent=1">'
  const streams = [...attacks, script].map(streamOf)
  const shown = shownBy(htmlText(streams))
  expect(shown).toContain('Which rules are broken')
  // The policy blocks what escaping would let through, too.
  const broken = htmlText([sample]).replace('<main>', `<main>${script}`)
  expect(shownBy(broken)).toContain('Which rules are broken')
  const allowed = broken.replace(/<meta\s+http-equiv="[^>]*>/, '')
  expect(shownBy(allowed)).not.toContain('Which rules are broken')
})
