// What stands still in the HTML report: its style and its script. The page allows these two alone, by their hashes, and no
// network, so that nothing that a target sent can run or load anything.

import { createHash } from 'node:crypto'
import type { Html } from './html-parts.ts'

const style = `
:root { color-scheme: light dark; --page: #f5f6f8; --card: #fff; --text: #1c2128; --dim: #57606a; --line: #dde2e8;
  --code: #f0f2f5; --pass: #1a7f37; --fail: #cf222e; --note: #0969da; --skip: #6e7781; --fault: #8250df; --known: #9a6700;
  --stale: #bc4c00; --tint: 10% }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d1117; --card: #161b22; --text: #e6edf3; --dim: #9198a1; --line: #30363d; --code: #0d1117;
    --pass: #3fb950; --fail: #ff7b72; --note: #58a6ff; --skip: #8b949e; --fault: #bc8cff; --known: #d29922;
    --stale: #f0883e; --tint: 18% }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.45 system-ui, sans-serif }
main { max-width: 1240px; margin: 0 auto; padding: 24px 20px 60px }
h1 { font-size: 26px; line-height: 1.2; margin: 2px 0 4px; overflow-wrap: anywhere }
h2 { font-size: 15px; margin: 0 0 12px }
h3 { font-size: 14px; margin: 0; display: inline; overflow-wrap: anywhere }
p { margin: 4px 0; overflow-wrap: anywhere }
a { color: var(--note) }
code, pre, .id { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12.5px }
.brand, .dim { color: var(--dim) }
.lead { font-size: 15px; overflow-wrap: anywhere }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0 16px }
details { margin-top: 4px } summary { color: var(--note); cursor: pointer; font-size: 12px }
.names { font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere }
.came { white-space: pre-line; color: var(--text); overflow-wrap: anywhere }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; margin: 0 0 16px }
.grid { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0 16px; align-items: start }
@media (max-width: 900px) {
  .grid { grid-template-columns: minmax(0, 1fr) }
}
table { border-collapse: collapse; width: 100% }
th { text-align: left; font-weight: 600; color: var(--dim); font-size: 12.5px }
th[scope=row] { color: inherit; min-width: 200px }
ul { margin: 4px 0; padding-left: 20px }
th, td { padding: 6px 10px 6px 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere }
thead th { border-top: 0 }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.nowrap { white-space: nowrap }
.scroll { max-height: 460px; overflow: auto }
.broken { list-style: none; margin: 0; padding: 0 }
.broken li { border-top: 1px solid var(--line); padding: 10px 0 }
.broken li:first-child { border-top: 0; padding-top: 0 }
.id { font-weight: 600 }
.command { display: block; background: var(--code); border: 1px solid var(--line); border-radius: 6px; padding: 6px 9px;
  margin-top: 6px; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all }
.chip, .mark { display: inline-block; border-radius: 99px; padding: 0 8px; font-size: 12px; line-height: 19px;
  border: 1px solid var(--line); color: var(--dim); white-space: nowrap; text-decoration: none }
.mark { --ink: var(--skip); font-weight: 600; color: var(--ink); border-color: transparent;
  background: color-mix(in srgb, var(--ink) var(--tint), transparent) }
a.mark { text-decoration: underline }
.pass { --ink: var(--pass) } .fail { --ink: var(--fail) } .note { --ink: var(--note) } .skip { --ink: var(--skip) }
.fault { --ink: var(--fault) } .known { --ink: var(--known) } .stale { --ink: var(--stale) } .follow { --ink: var(--known) }
.outcome { border-left: 5px solid var(--ink) }
svg.bar { display: block; width: 100%; height: 8px; border-radius: 4px; margin-bottom: 5px }
svg.bar rect { fill: var(--ink) }
.legend .mark { margin: 0 4px 3px 0 }
.filter { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; margin-bottom: 12px }
.filter label { display: flex; gap: 6px; align-items: center; color: var(--dim) }
input[type=search], select { font: inherit; color: inherit; background: var(--code); border: 1px solid var(--line);
  border-radius: 6px; padding: 5px 8px }
input[type=search] { width: 260px }
.matrix thead th { position: sticky; top: 0; background: var(--card); border-bottom: 1px solid var(--line); z-index: 1;
  padding-top: 6px }
.matrix .area th { padding-top: 14px; color: var(--text); font-size: 13px }
.matrix td { border-top: 1px solid color-mix(in srgb, var(--line) 60%, transparent) }
.matrix .id { font-weight: 400; width: 220px }
.matrix .verdict { width: 190px }
.cases { width: 40% }
.why { display: block; font-size: 12px; font-weight: 400; color: var(--dim) }
.failure { border-top: 1px solid var(--line); padding: 14px 0 }
.failure:first-of-type { border-top: 0; padding-top: 0 }
.failure:target { box-shadow: -12px 0 var(--card), -15px 0 var(--fail) }
dl { display: grid; grid-template-columns: 150px minmax(0, 1fr); gap: 6px 12px; margin: 10px 0 0 }
dt { color: var(--dim) } dd { margin: 0; min-width: 0 }
dd pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 320px; overflow: auto }
.wire { background: var(--code); border: 1px solid var(--line); border-radius: 6px; max-height: 420px; overflow: auto }
.wire td { border: 0; padding: 2px 10px; font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", monospace }
.wire td:nth-child(2) { white-space: nowrap }
.wire .received td:nth-child(2) { color: var(--note) } .wire .sent td:nth-child(2) { color: var(--pass) }
.wire td:last-child { width: 100%; white-space: pre-wrap }
details.failure summary { color: inherit; font-size: inherit; overflow-wrap: anywhere }
[data-toggle] { font: inherit; color: inherit; font-weight: 600; border: 0; background: none; padding: 2px 4px 2px 0; cursor: pointer }
[data-toggle]::before { content: "▸ " } [data-toggle][aria-expanded=true]::before { content: "▾ " }
@media (max-width: 700px) {
  main { padding: 16px 10px 40px } section { padding: 14px 12px }
  #targets thead, .matrix thead { display: none }
  #targets :is(table, tbody, tr, th, td), .matrix, .matrix :is(tbody, tr, td, th) { display: block; width: auto; min-width: 0 }
  #targets :is(th, td) { border: 0; padding: 3px 0 } #targets tr + tr { border-top: 1px solid var(--line); padding-top: 10px }
  .matrix :is(th, td) { border: 0; padding: 2px 0 } .matrix tr { border-top: 1px solid var(--line); padding: 6px 0 }
  .matrix .id, .matrix .verdict, .cases { width: auto }
  dl { grid-template-columns: minmax(0, 1fr); gap: 2px } dd { margin-bottom: 8px } .filter label, input[type=search] { width: 100% }
}
[hidden] { display: none !important }
@media print { .filter { display: none } .scroll, .wire, dd pre { max-height: none } section { break-inside: avoid-page } }
`

/**
 * Filters the rows of the matrix by text, verdict, area, and whether the targets differ, and closes areas that nobody has
 * opened: without a filter those alone are open in which something is broken. Opens the failure that a link leads to.
 */
const script = `
const one = (name) => document.querySelector('[data-filter=' + name + ']')
const rows = [...document.querySelectorAll('[data-marks]')]
const opened = new Set(rows.filter((row) => /fail|stale|fault/.test(row.dataset.marks)).map((row) => row.dataset.area))
const apply = () => {
  const text = one('text').value.toLowerCase(), mark = one('mark').value, area = one('area').value
  const isFiltered = text !== '' || mark !== '' || area !== '' || one('differs')?.checked === true
  const isOpen = (row) => isFiltered || opened.has(row.dataset.area)
  const found = rows.filter((row) => row.textContent.toLowerCase().includes(text)
    && (mark === '' || row.dataset.marks.split(' ').includes(mark)) && (area === '' || row.dataset.area === area)
    && (one('differs')?.checked !== true || 'differs' in row.dataset))
  for (const row of rows) row.hidden = !(isOpen(row) && found.includes(row))
  for (const button of document.querySelectorAll('[data-toggle]'))
    button.setAttribute('aria-expanded', isFiltered || opened.has(button.dataset.toggle))
  for (const head of document.querySelectorAll('tr.area'))
    head.hidden = !found.some((row) => row.dataset.area === head.dataset.area)
  one('count').textContent = found.length + ' of ' + rows.length + ' rules'
}
document.addEventListener('click', ({ target }) => {
  const area = target.dataset.toggle
  if (area === undefined) return
  if (!opened.delete(area)) opened.add(area)
  apply()
})
const open = () => {
  const place = document.getElementById(location.hash.slice(1))
  if (place?.matches('details')) place.open = true
}
addEventListener('hashchange', open)
open()
addEventListener('beforeprint', () => {
  for (const row of rows) row.hidden = false
  for (const failure of document.querySelectorAll('details')) failure.open = true
})
document.querySelector('.filter').addEventListener('input', apply)
apply()
`

// The hashes cover each character between the tags.
export const styleElement: Html = { html: `<style>${style}</style>` }
export const scriptElement: Html = { html: `<script>${script}</script>` }

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** What the page may do: this style and this script, and nothing else. */
export const policy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
