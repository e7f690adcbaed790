// Wrong later local servers that accept, refuse or keep submits wrongly, or report their progress wrongly.

import {
  after,
  dropped,
  each,
  isSent,
  type Mutants,
  onReply,
  onSubmit,
  onText,
  without,
} from '../tamper.ts'
import { of27 } from './servers.ts'

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
  'missing-types-are-invalid-prompts': of27(
    ['workflows/missing-node-type'],
    onText(submit, '"missing_node_type"', '"invalid_prompt"'),
  ),
  'missing-types-without-title': of27(
    ['workflows/missing-node-type'],
    onError((error) => ({ ...error, extra_info: without(error.extra_info, 'node_title') })),
  ),
  'cycles-name-one-node': of27(
    ['workflows/cycle-named'],
    onNodeErrors((error) =>
      error.type === 'dependency_cycle'
        ? { ...error, extra_info: { ...error.extra_info, cycle_nodes: ['1'] } }
        : error,
    ),
  ),
  'values-in-json': of27(
    ['workflows/new-combo-checked'],
    onText(submit, ': None not in', ': null not in'),
  ),
  'combo-without-options': of27(
    ['workflows/new-combo-checked'],
    onNodeErrors((error) => ({
      ...error,
      extra_info: { ...error.extra_info, input_config: null },
    })),
  ),
  'ids-are-made': of27(
    ['workflows/prompt-id-uuid', 'workflows/prompt-id-repeated'],
    onSubmit((reply) =>
      'prompt_id' in reply
        ? { ...reply, prompt_id: '00000000-0000-4000-8000-000000000001' }
        : reply,
    ),
  ),
  'odd-ids-are-taken': of27(
    ['workflows/prompt-id-form'],
    onReply(submit, ({ body }) =>
      typeof body === 'string' && body.includes('invalid_prompt_id')
        ? { status: 200, body: '{"prompt_id": "mine", "number": 1, "node_errors": {}}' }
        : {},
    ),
  ),
  'repeated-ids-are-refused': of27(['workflows/prompt-id-repeated'], () => {
    const seen = new Set<string>()
    return onReply(submit, ({ body }) => {
      const [, id = ''] = /"prompt_id": "([^"]*)"/.exec(typeof body === 'string' ? body : '') ?? []
      const isKnown = id !== '' && seen.has(id)
      seen.add(id)
      return isKnown ? { status: 409, body: '{"error": "known"}' } : {}
    })()
  }),
  'no-create-time': of27(
    ['workflows/create-time'],
    onText(queue, /"create_time": \d+/g, '"created": 0'),
  ),
  'create-time-in-seconds': of27(
    ['workflows/create-time'],
    onText(queue, /("create_time": \d+)\d{3}/g, '$1'),
  ),
  'usage-source-is-lost': of27(
    ['workflows/usage-source'],
    onText(queue, /"comfy_usage_source"/g, '"source"'),
  ),
  'bare-extra-data': of27(
    ['workflows/extra-data-object'],
    onReply(submit, ({ status }) => (status === 500 ? { status: 400, body: '{}' } : {})),
  ),
}

export const messages: Mutants = {
  'first-step-is-silent': of27(
    ['messages/progress-throttled'],
    each((effect) =>
      isSent(effect, 'progress') && effect.text.includes('"value": 1,') ? [] : [effect],
    ),
  ),
  'last-step-is-silent': of27(
    ['messages/progress-throttled'],
    each((effect) =>
      isSent(effect, 'progress') && /"value": (\d+), "max": \1,/.test(effect.text) ? [] : [effect],
    ),
  ),
  'states-are-not-throttled': of27(
    ['messages/progress-throttled'],
    each((effect) => (isSent(effect, 'progress_state') ? [effect, effect] : [effect])),
  ),
  'each-due-step': of27(
    ['messages/progress-share'],
    each((effect) =>
      isSent(effect, 'progress')
        ? [
            effect,
            {
              ...effect,
              text: effect.text.replace(/"value": (\d+)/, (_, n) => `"value": ${Number(n) + 1}`),
            },
          ]
        : [effect],
    ),
  ),
  'progress-is-silent': of27(['messages/progress-throttled'], dropped('progress')),
}

export const http: Mutants = {
  'other-sites-may-read': of27(
    ['http/cross-site'],
    after(
      () => true,
      onReply(/^GET /, ({ status }) => (status === 403 ? { status: 200 } : {})),
    ),
  ),
  'other-sites-receive-a-text': of27(
    ['http/cross-site'],
    onReply(/./, ({ status }) => (status === 403 ? { body: 'Forbidden' } : {})),
  ),
}
