// Wrong servers that answer submits wrongly, or change workflows.

import {
  answers,
  mapped,
  type Mutants,
  onEntry,
  onItem,
  onJson,
  onMessage,
  onReply,
  onSubmit,
  onText,
  type Tamper,
  textOf,
  without,
} from '../tamper.ts'

const onRefusal = (change: (refusal: any) => unknown) =>
  onSubmit((reply) => ('error' in reply ? change(reply) : reply))

/** Rejected submits do not count. */
function countsAccepted(): Tamper {
  let rejected = 0
  const submit = /^POST \/prompt/
  const count = onReply(submit, ({ status }) => {
    if (status === 400) rejected++
    return {}
  })()
  const shift = onReply(submit, ({ status, body }, request) => {
    const isCounted = status === 200 && !/"(number|front)"/.test(textOf(request))
    if (!isCounted || typeof body !== 'string') return {}
    return { body: body.replace(/"number": (\d+)/, (_, one) => `"number": ${one - rejected}`) }
  })()
  return (effects, input) => shift(count(effects, input), input)
}

/** Lists the other output nodes of partial runs as well. */
function allOutputs(item: any[]): unknown[] {
  const [number, id, graph, extra, outputs] = item
  if (!Array.isArray(outputs)) return item
  const nodes = Object.entries<any>(graph)
  const others = nodes.flatMap(([node, { class_type }]) =>
    /^(Save|Preview)/.test(class_type) && !outputs.includes(node) ? [node] : [],
  )
  return [number, id, graph, extra, [...outputs, ...others]]
}

/** The first message of a run is on the wire before the reply to its submit is. */
function earlyStart(): Tamper {
  const open = new Set<number>()
  return (effects, input) => {
    if (input.kind === 'open') open.add(input.socket)
    if (input.kind === 'close') open.delete(input.socket)
    return effects.flatMap((effect) => {
      const body = effect.kind === 'reply' && typeof effect.body === 'string' ? effect.body : ''
      const id = /^\{"prompt_id": *("[^"]+")/.exec(body)?.[1]
      if (id === undefined) return [effect]
      const text = `{"type": "execution_start", "data": {"prompt_id": ${id}, "timestamp": 0}}`
      return [{ kind: 'send', sockets: [...open], text } as const, effect]
    })
  }
}

const submitted = /^POST \/api\/prompt/
const submit = /^POST \/prompt/
const queue = /^GET \/queue/

/** Changes the first error of a refused submit. */
const onError = (change: (error: any) => object) =>
  onSubmit((reply) => ('error' in reply ? { ...reply, error: change(reply.error) } : reply))

/** Changes the errors of each node of a refused submit. */
const onNodeErrors = (change: (error: any) => any) =>
  onSubmit((reply) => ({
    ...reply,
    node_errors: Object.fromEntries(
      Object.entries<any>(reply.node_errors ?? {}).map(([id, node]) => [
        id,
        { ...node, errors: node.errors.map(change) },
      ]),
    ),
  }))

export const workflows: Mutants = {
  'slow-down': { breaks: ['workflows/any-pace'], tamper: answers(/^POST \/prompt/, 429) },
  'given-number-is-an-integer': {
    breaks: ['workflows/number-as-float', 'workflows/number-given'],
    tamper: onText(/^POST \/prompt/, '.0, "node_errors"', ', "node_errors"'),
  },
  'submit-is-lost': {
    breaks: ['workflows/submit-queues'],
    tamper: onJson(/^GET \/queue/, () => ({ queue_running: [], queue_pending: [] })),
  },
  'reply-id-is-a-number': {
    breaks: ['workflows/reply', 'workflows/prompt-id-made'],
    tamper: onSubmit((reply) => ({ ...reply, prompt_id: 7 })),
  },
  'graph-as-list': {
    breaks: ['workflows/graph-by-id'],
    tamper: onItem(([number, id, graph, ...rest]) => [number, id, Object.values(graph), ...rest]),
  },
  'graph-without-classes': {
    breaks: ['workflows/graph-by-id'],
    tamper: onText(/^GET \/queue/, /"class_type"/g, '"type"'),
  },
  'graph-of-any-kind': {
    breaks: ['workflows/graph-by-id'],
    tamper: onReply(/^POST \/prompt/, ({ status }) => ({ status: status === 500 ? 200 : status })),
  },
  // Parsed and serialized again by JavaScript, which rounds and sorts.
  'graph-through-javascript': {
    breaks: [
      'workflows/keeps-numbers',
      'workflows/keeps-key-order',
      'workflows/literals-converted',
    ],
    tamper: onItem((item) => item),
  },
  'links-mix-outputs': {
    breaks: ['workflows/linked-inputs'],
    tamper: onText(/^GET \/history/, '["32"]', '["48"]'),
  },
  'links-as-literals': {
    breaks: ['workflows/linked-inputs'],
    tamper: onText(/^GET \/history/, '["48"]', '["[\\"2\\", 0]"]'),
  },
  'extra-data-dropped': {
    breaks: ['workflows/extra-data-kept', 'queue/item'],
    tamper: onItem(([number, id, graph, , outputs]) => [number, id, graph, {}, outputs]),
  },
  'extra-data-forgotten': {
    breaks: ['workflows/extra-data-kept', 'history/prompt'],
    tamper: onEntry(({ prompt: [number, id, graph, , outputs], ...rest }) => ({
      prompt: [number, id, graph, {}, outputs],
      ...rest,
    })),
  },
  'invalid-names-nobody': {
    breaks: ['workflows/invalid-names-nodes', 'workflows/blame', 'workflows/required-input'],
    tamper: onRefusal((refusal) => ({ ...refusal, node_errors: {} })),
  },
  'invalid-names-all': {
    breaks: ['workflows/invalid-names-nodes', 'workflows/dependent-outputs'],
    tamper: onRefusal(({ node_errors, ...rest }) => ({
      ...rest,
      node_errors: { ...node_errors, '8': Object.values(node_errors)[0] },
    })),
  },
  'invalid-is-422': {
    breaks: ['workflows/invalid-is-400', 'workflows/no-outputs', 'workflows/no-prompt'],
    tamper: onReply(/^POST \/prompt/, ({ status }) => ({ status: status === 400 ? 422 : status })),
  },
  'invalid-is-reported-twice': {
    breaks: ['workflows/invalid-leaves-nothing'],
    tamper: onMessage('status', (one) => [one, one]),
  },
  'bounds-reported-without-value': {
    breaks: ['workflows/bounds'],
    tamper: onText(/^POST \/prompt/, /"received_value": ?\d+/, '"received_value": null'),
  },
  'lists-reported-as-types': {
    breaks: ['workflows/not-in-list'],
    tamper: onText(/^POST \/prompt/, /"value_not_in_list"/g, '"invalid_input_type"'),
  },
  'answer-late': {
    breaks: ['workflows/answers-first'],
    tamper: earlyStart,
  },
  'only-accepted-submits-count': { breaks: ['workflows/number-counts'], tamper: countsAccepted },
  'partial-runs-list-all-outputs': {
    breaks: ['workflows/partial-targets'],
    tamper: onItem(allOutputs),
  },
  'partial-runs-keep-all-outputs': {
    breaks: ['workflows/partial-targets'],
    tamper: onEntry(({ prompt, ...rest }) => ({
      prompt: Array.isArray(prompt) ? allOutputs(prompt) : prompt,
      ...rest,
    })),
  },
  'half-valid-says-nothing': {
    breaks: ['workflows/half-valid', 'workflows/invalid-names-nodes'],
    tamper: onSubmit((reply) => ('error' in reply ? reply : { ...reply, node_errors: {} })),
  },
  'third-invalid-node-is-not-named': {
    breaks: ['workflows/invalid-names-nodes'],
    tamper: onRefusal(({ node_errors, ...rest }) => ({
      ...rest,
      node_errors: Object.fromEntries(Object.entries(node_errors).slice(0, 2)),
    })),
  },
  'second-error-of-a-node-is-not-named': {
    breaks: ['workflows/required-input'],
    tamper: onRefusal(({ node_errors, ...rest }) => ({
      ...rest,
      node_errors: mapped(node_errors, (node) => ({ ...node, errors: node.errors.slice(0, 1) })),
    })),
  },
  'extra-data-loses-empty-values': {
    breaks: ['workflows/extra-data-kept'],
    tamper: onItem((item) => {
      const [number, id, graph, extra, outputs] = item
      if (Array.isArray(extra)) return item
      const kept = Object.entries<any>(extra).filter(([, value]) => Boolean(value))
      return [number, id, graph, Object.fromEntries(kept), outputs]
    }),
  },
  'replaced-in-silence': {
    breaks: ['workflows/replaced'],
    tamper: onText(/^GET \/history/, /ControlNetLoader/g, 'T2IAdapterLoader'),
  },
  'lacking-input-is-400': {
    breaks: ['workflows/replaced-without-input'],
    tamper: onReply(/^POST \/prompt/, ({ status }) => ({ status: status === 500 ? 400 : status })),
  },
  'hosted-reads-client-id': {
    breaks: ['workflows/hosted-client-id'],
    tamper: onReply(submitted, ({ status }, request) => ({
      status: textOf(request).includes('"client_id":7') ? 400 : status,
    })),
  },
  'hosted-takes-own-id': {
    breaks: ['workflows/hosted-own-id'],
    tamper: onJson(submitted, (reply) => ({ ...reply, prompt_id: 'mine' })),
  },
  'hosted-counts-from-one': {
    breaks: ['workflows/hosted-number'],
    tamper: onJson(submitted, (reply) => ({ ...reply, number: reply.number + 1 })),
  },
  'hosted-takes-any-extra-data': {
    breaks: ['workflows/hosted-unreadable'],
    tamper: onReply(submitted, ({ status }, request) => ({
      status: textOf(request).includes('"extra_data":5') ? 200 : status,
    })),
  },
  'hosted-refuses-without-words': {
    breaks: ['workflows/hosted-unreadable'],
    tamper: onReply(submitted, ({ status, body }) => ({ body: status === 400 ? '{}' : body })),
  },
  'missing-types-are-invalid-prompts': {
    breaks: ['workflows/missing-node-type'],
    tamper: onText(submit, '"missing_node_type"', '"invalid_prompt"'),
  },
  'missing-types-without-title': {
    breaks: ['workflows/missing-node-type'],
    tamper: onError((error) => ({ ...error, extra_info: without(error.extra_info, 'node_title') })),
  },
  'cycles-name-one-node': {
    breaks: ['workflows/cycle-named'],
    tamper: onNodeErrors((error) =>
      error.type === 'dependency_cycle'
        ? { ...error, extra_info: { ...error.extra_info, cycle_nodes: ['1'] } }
        : error,
    ),
  },
  'values-in-json': {
    breaks: ['workflows/new-combo-checked'],
    tamper: onText(submit, ': None not in', ': null not in'),
  },
  'combo-without-options': {
    breaks: ['workflows/new-combo-checked'],
    tamper: onNodeErrors((error) => ({
      ...error,
      extra_info: { ...error.extra_info, input_config: null },
    })),
  },
  'ids-are-made': {
    breaks: ['workflows/prompt-id-uuid', 'workflows/prompt-id-repeated'],
    tamper: onSubmit((reply) =>
      'prompt_id' in reply
        ? { ...reply, prompt_id: '00000000-0000-4000-8000-000000000001' }
        : reply,
    ),
  },
  'odd-ids-are-taken': {
    breaks: ['workflows/prompt-id-form'],
    tamper: onReply(submit, ({ body }) =>
      typeof body === 'string' && body.includes('invalid_prompt_id')
        ? { status: 200, body: '{"prompt_id": "mine", "number": 1, "node_errors": {}}' }
        : {},
    ),
  },
  'repeated-ids-are-refused': {
    breaks: ['workflows/prompt-id-repeated'],
    tamper: () => {
      const seen = new Set<string>()
      return onReply(submit, ({ body }) => {
        const [, id = ''] =
          /"prompt_id": "([^"]*)"/.exec(typeof body === 'string' ? body : '') ?? []
        const isKnown = id !== '' && seen.has(id)
        seen.add(id)
        return isKnown ? { status: 409, body: '{"error": "known"}' } : {}
      })()
    },
  },
  'no-create-time': {
    breaks: ['workflows/create-time'],
    tamper: onText(queue, /"create_time": \d+/g, '"created": 0'),
  },
  'create-time-in-seconds': {
    breaks: ['workflows/create-time'],
    tamper: onText(queue, /("create_time": \d+)\d{3}/g, '$1'),
  },
  'usage-source-is-lost': {
    breaks: ['workflows/usage-source'],
    tamper: onText(queue, /"comfy_usage_source"/g, '"source"'),
  },
  'bare-extra-data': {
    breaks: ['workflows/extra-data-object'],
    tamper: onReply(submit, ({ status }) => (status === 500 ? { status: 400, body: '{}' } : {})),
  },
}
