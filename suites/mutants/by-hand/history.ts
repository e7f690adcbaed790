// Wrong servers that report finished runs wrongly.

import {
  answers,
  mapped,
  type Mutants,
  onEntry,
  onJson,
  onText,
  stale,
  type Tamper,
  textOf,
  without,
  onReply,
} from '../tamper.ts'

/** The list of all runs shows a run only from the second request on. */
function listLags(): Tamper {
  const known = new Set<string>()
  return onJson(/^GET \/history$/, (entries) => {
    const fresh = Object.keys(entries).filter((id) => !known.has(id))
    for (const id of fresh) known.add(id)
    return without(entries, ...fresh)
  })()
}

/** Removing named runs removes all that are over. */
function deletesAll(): Tamper {
  const over = new Set<string>()
  let gone: readonly string[] = []
  const hide = onJson(/^GET \/history/, (entries) => without(entries, ...gone))()
  return (effects, input) => {
    for (const one of effects)
      if (one.kind === 'run' && one.state !== 'started') over.add(one.prompt_id)
    const isDelete =
      input.kind === 'request' && input.method === 'POST' && textOf(input).includes('"delete"')
    if (isDelete && input.target.includes('/history')) gone = [...over]
    return hide(effects, input)
  }
}

/** Changes the members of entries that list a message of this type. */
const whenSent = (type: string, change: (entry: any) => unknown) =>
  onEntry((entry) =>
    entry.status.messages.some(([sent]: [string]) => sent === type) ? change(entry) : entry,
  )

export const history: Mutants = {
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
  'error-hides-behind-completed': {
    breaks: ['history/error-comes-first'],
    options: { quirk: ['history.completed-on-error'] },
    tamper: onText(
      /^GET \/history/,
      /"status_str": "error", "completed": true/g,
      '"status_str": "success", "completed": true',
    ),
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
  'meta-is-lost': {
    breaks: ['history/meta'],
    tamper: onEntry((entry) => without(entry, 'meta')),
  },
  'shown-before-the-end': {
    breaks: ['history/only-finished', 'history/unknown'],
    tamper: onJson(/^GET \/history\/a/, () => ({ a: {} })),
  },
  'clear-is-ignored': { breaks: ['history/clear'], tamper: stale(/^GET \/history$/) },
  'list-lags': { breaks: ['history/kept'], tamper: listLags },
  'second-output-node-is-lost': {
    breaks: ['history/outputs', 'history/kept'],
    tamper: onEntry(({ outputs, ...rest }) => ({
      ...rest,
      outputs: Object.fromEntries(Object.entries(outputs).slice(0, 1)),
    })),
  },
  'interrupted-is-completed': {
    breaks: ['history/failed-not-completed'],
    tamper: whenSent('execution_interrupted', (entry) => ({
      ...entry,
      status: { ...entry.status, completed: true },
    })),
  },
  'messages-lack-the-cached': {
    breaks: ['history/messages'],
    tamper: onEntry((entry) => ({
      ...entry,
      status: {
        ...entry.status,
        messages: entry.status.messages.filter(
          ([type, { nodes }]: [string, { nodes: [] }]) =>
            type !== 'execution_cached' || nodes.length === 0,
        ),
      },
    })),
  },
  'failed-lose-all-outputs': {
    breaks: ['history/outputs-of-failed'],
    tamper: whenSent('execution_error', (entry) => ({ ...entry, outputs: {} })),
  },
  'listed-by-number': {
    breaks: ['history/oldest-first'],
    tamper: onJson(/^GET \/history$/, (entries) =>
      Object.fromEntries(
        Object.entries<any>(entries).toSorted(([, a], [, b]) => a.prompt[0] - b.prompt[0]),
      ),
    ),
  },
  'max-items-counts-one-less': {
    breaks: ['history/max-items'],
    tamper: onJson(/^GET \/history\?max_items=[2-9]/, (entries) =>
      Object.fromEntries(Object.entries(entries).slice(1)),
    ),
  },
  'delete-removes-all': { breaks: ['history/clear'], tamper: deletesAll },
  'history-oldest-first': {
    breaks: ['history/hosted-list', 'history/hosted-pages', 'history/hosted-clear'],
    tamper: onJson('readHistory', (body) => ({ history: body.history.toReversed() })),
  },
  'history-has-one-way': {
    breaks: ['history/hosted-two-ways', 'history/hosted-by-id', 'history/hosted-once-begun'],
    tamper: answers('readHistoryEntry', 404),
  },
}

export const historyPaths: Mutants = {
  'history-under-its-old-name': {
    breaks: ['deployments/hosted-old-history', 'deployments/hosted-history-renamed'],
    tamper: onReply(/^(GET|HEAD) \/api\/history/, (_, { target }) =>
      target.startsWith('/api/history_v2')
        ? { status: 404, body: '' }
        : { status: 200, body: '{"history": []}' },
    ),
  },
}
