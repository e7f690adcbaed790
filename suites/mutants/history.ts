// Wrong servers that report finished runs wrongly.

import { answers, mapped, type Mutants, onEntry, onJson, onText, stale, without } from './tamper.ts'

export const history: Mutants = {
  'kept-without-outputs': {
    breaks: ['history/kept', 'history/outputs', 'history/outputs-of-failed'],
    tamper: onEntry((entry) => ({ ...entry, outputs: {} })),
  },
  'kept-only-latest': {
    breaks: ['history/kept', 'history/by-id', 'history/oldest-first', 'history/max-items'],
    tamper: onJson(/^GET \/history/, (entries) =>
      Object.fromEntries(Object.entries(entries).slice(-1)),
    ),
  },
  'all-as-list': {
    breaks: ['history/by-id'],
    tamper: onJson(/^GET \/history$/, (entries) => Object.values(entries)),
  },
  'one-bare': {
    breaks: ['history/by-id', 'history/unknown'],
    tamper: onJson(/^GET \/history\//, (entries) => Object.values(entries)[0] ?? null),
  },
  'prompt-as-object': {
    breaks: ['history/prompt'],
    tamper: onEntry(({ prompt: [number, prompt_id, graph], ...rest }) => ({
      prompt: { number, prompt_id, graph },
      ...rest,
    })),
  },
  'outputs-as-list': {
    breaks: ['history/outputs'],
    tamper: onEntry((entry) => ({ ...entry, outputs: Object.values(entry.outputs) })),
  },
  'outputs-first-only': {
    breaks: ['history/outputs'],
    tamper: onEntry((entry) => ({
      ...entry,
      outputs: mapped(entry.outputs, (output) => mapped(output, (list) => list.slice(0, 1))),
    })),
  },
  'status-of-other-words': {
    breaks: ['history/status-words', 'history/error-comes-first', 'history/failed-not-completed'],
    tamper: onText(/^GET \/history/, '"status_str": "error"', '"status_str": "failed"'),
  },
  'completed-is-a-text': {
    breaks: ['history/status-words', 'history/failed-not-completed'],
    tamper: onText(/^GET \/history/, /"completed": (\w+)/g, '"completed": "$1"'),
  },
  'error-hides-behind-completed': {
    breaks: ['history/error-comes-first'],
    tamper: onText(
      /^GET \/history/,
      /"status_str": "error", "completed": true/g,
      '"status_str": "success", "completed": true',
    ),
  },
  'completed-on-error': {
    breaks: ['history/failed-not-completed'],
    options: { quirk: ['history.completed-on-error'] },
  },
  'messages-as-objects': {
    breaks: ['history/messages'],
    tamper: onEntry(({ status, ...rest }) => ({
      ...rest,
      status: {
        ...status,
        messages: status.messages.map(([type, data]: [string, object]) => ({ type, data })),
      },
    })),
  },
  'messages-without-end': {
    breaks: ['history/messages'],
    tamper: onEntry(({ status, ...rest }) => ({
      ...rest,
      status: { ...status, messages: status.messages.slice(0, -1) },
    })),
  },
  'messages-of-another-time': {
    breaks: ['history/messages'],
    tamper: onText(/^GET \/history/, /"timestamp": /g, '"timestamp": 1'),
  },
  'meta-is-lost': { breaks: ['history/meta'], tamper: onEntry((entry) => without(entry, 'meta')) },
  'shown-before-the-end': {
    breaks: ['history/only-finished', 'history/unknown'],
    tamper: onJson(/^GET \/history\/a/, () => ({ a: {} })),
  },
  'unknown-is-404': { breaks: ['history/unknown'], tamper: answers(/^GET \/history\/none/, 404) },
  'clear-is-ignored': { breaks: ['history/clear'], tamper: stale(/^GET \/history$/) },
  'bad-numbers-count-for-nothing': {
    breaks: ['history/bad-numbers'],
    tamper: answers(/^GET \/history\?/, 200),
  },
}
