// Event streams for the cases about reports.

import type { CheckEvent, Failure, RuleInfo } from '../../../check/events.ts'
import { consoleReport, type Terminal } from '../../../check/reports/console.ts'

type Kind<E extends CheckEvent['event']> = Extract<CheckEvent, { readonly event: E }>

export const url = 'http://gpu-7.example:8188'

export const startEvent: Kind<'start'> = {
  event: 'start',
  version: 1,
  target: { name: url, place: 'local', generation: '2025', software: 'ComfyUI 0.3.64' },
  cases: 8,
  startedAt: '2026-01-02T03:04:05.000Z',
}

export const endEvent: Kind<'end'> = {
  event: 'end',
  counts: { pass: 2, fail: 2, note: 1, skip: 2, fault: 1 },
  runs: 12,
  durationMs: 83_400,
  nearest: { like: 'comfyui-0.3.64', differs: ['queue.heap-order'] },
  left: ['flowdouble-check/red.png'],
  exitCode: 1,
  outcome: 'One case breaks a rule.',
}

const rule = (id: string, says: string): RuleInfo => ({ id, says, basis: 'stated' })

/** A case that passed, or with other members. */
export function caseEvent(id: string, more: Partial<Kind<'case'>> = {}): Kind<'case'> {
  const says = `The sentence of ${id}.`
  return {
    event: 'case',
    title: `${id} [local] ${says}`,
    area: id.split('/')[0] ?? '',
    place: 'local',
    rules: [rule(id, says)],
    verdict: 'pass',
    durationMs: 40,
    ...more,
  }
}

export const failure: Failure = {
  message: 'expected: 2 runs\nreceived: 1 run',
  allowed: 'each pending run once',
  wire: [
    { atMs: 0, direction: 'sent', text: 'POST /prompt {"prompt":{}}' },
    { atMs: 12.4, direction: 'received', text: '200 {"number":4}' },
    { atMs: 120, direction: 'sent', text: 'GET /queue' },
    { atMs: 131, direction: 'received', text: '200 {"queue_running":[],"queue_pending":[[]]}' },
  ],
  curl: `curl -i -X GET '${url}/queue'`,
  command: `flowdouble check ${url} --rule queue/listing`,
}

/** One case for each verdict, and for each form of them. */
export const sample: readonly CheckEvent[] = [
  startEvent,
  caseEvent('history/one'),
  caseEvent('history/outputs', {
    verdict: 'note',
    detail: 'received 404',
    quirk: 'local.video-under-images',
  }),
  caseEvent('queue/one'),
  caseEvent('queue/listing', { verdict: 'fail', failure }),
  caseEvent('queue/clear', {
    verdict: 'fail',
    failure: { ...failure, command: `flowdouble check ${url} --rule queue/clear` },
    baseline: 'known',
    detail: 'Our proxy refuses it.',
  }),
  caseEvent('queue/fork', { verdict: 'skip', reason: 'own-world' }),
  caseEvent('queue/free', { verdict: 'skip', reason: 'not-allowed', detail: 'global' }),
  { event: 'warning', text: 'The target answered 429 twice.' },
  caseEvent('system/stats', { verdict: 'fault', detail: 'TypeError: x is undefined' }),
  endEvent,
]

/** A second target, which keeps the rule that the first one breaks. */
export const other: readonly CheckEvent[] = [
  { ...startEvent, target: { ...startEvent.target, name: 'http://gpu-8.example:8188' } },
  caseEvent('queue/listing'),
  caseEvent('queue/one'),
  {
    ...endEvent,
    counts: { pass: 2, fail: 0, note: 0, skip: 0, fault: 0 },
    exitCode: 0,
    outcome: 'All is well.',
  },
]

/** What a hostile server could put into each text. */
export const attacks: readonly string[] = [
  '<script>document.title = "owned"</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></style></script><script>alert(1)</script>',
  ']]><!-- --><![CDATA[',
  '\u001b[2J\u001b]0;owned\u0007\u009b31m\u0000\u0008\r',
  'a | b\n| c | d\n\n# heading\n```\nfence\n```` <b>',
  '[link](javascript:alert(1)) ![picture](http://evil.example/x.png)',
  '\u202egnp.exe \u2066 \ud800 \ufffe &amp; &#x1b;',
]

/** A stream in which every text is this one. */
export function streamOf(text: string): readonly CheckEvent[] {
  const hostile: Failure = {
    message: text,
    allowed: text,
    wire: [{ atMs: 1, direction: 'received', text }],
    curl: text,
    command: text,
    exchanges: text,
  }
  const texts = { title: text, area: text, rules: [rule(text, text)], detail: text, quirk: text }
  const { target } = startEvent
  return [
    { ...startEvent, target: { ...target, name: text, generation: text, software: text } },
    caseEvent('x/pass', texts),
    caseEvent('x/fail', { ...texts, verdict: 'fail', failure: hostile }),
    caseEvent('x/known', { ...texts, verdict: 'fail', failure: hostile, baseline: 'known' }),
    caseEvent('x/stale', { ...texts, baseline: 'stale' }),
    caseEvent('x/note', { ...texts, verdict: 'note' }),
    caseEvent('x/skip', { ...texts, verdict: 'skip', reason: 'busy' }),
    caseEvent('x/fault', { ...texts, verdict: 'fault', failure: hostile }),
    { event: 'warning', text },
    { ...endEvent, nearest: { like: text, differs: [text] }, left: [text], outcome: text },
  ]
}

/** What the report on the console writes of a stream. */
export async function consoleText(
  events: readonly CheckEvent[],
  terminal: Partial<Terminal> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  let text = ''
  const report = consoleReport({ ...terminal, write: (part) => (text += part) }, env)
  for (const event of events) report.take(event)
  await report.end()
  return text
}
