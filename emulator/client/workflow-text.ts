// The workflow in a text: alone, or in the body of a request.

import { parseLenient, readJsonText } from '../lib/json-text.ts'
import { isOfEditor } from './editor-format.ts'
import { failure } from './failure.ts'
import { type Fields, fieldsOf, objectText } from './json.ts'

/** `text` is the JSON of the graph as written. */
export type WorkflowText = { readonly text: string; readonly graph: Fields }

/** The workflow in a text, and what to call it in errors. Throws a `usage` failure for any other text. */
export function workflowIn(name: string, whole: string): WorkflowText {
  const value = fieldsOf(parse(name, whole))
  if (value === undefined) {
    throw failure('usage', `${name} is not a workflow: it must contain an object of nodes.`)
  }
  const { text, graph } = unwrapped(whole, value)
  refuseOtherFormats(name, graph)
  return { text, graph }
}

function parse(path: string, text: string): unknown {
  const json = readJsonText(text, parseLenient)
  if ('wrong' in json) throw failure('usage', `${path} ${json.wrong}.`)
  return json.value
}

function refuseOtherFormats(path: string, graph: Fields): void {
  if (isOfEditor(graph)) {
    throw failure(
      'usage',
      `${path} is in the format of the editor. Export it in API format: in the editor choose ` +
        'Workflow > Export (API). Older versions: "Save (API Format)", after dev mode is ' +
        'switched on in the settings.',
    )
  }
}

/** The keys under which request bodies contain a workflow: of these servers, and of workers that run one. */
const wrappers = [['prompt'], ['workflow'], ['input', 'workflow'], ['input', 'prompt']] as const

/** The workflow in the body of a request, or the whole file if it is not one. */
function unwrapped(text: string, value: Fields): WorkflowText {
  for (const keys of wrappers) {
    let graph: Fields | undefined = value
    // A node can have one of these names as its id.
    for (const key of keys) {
      graph = fieldsOf(graph?.[key])
      if (graph !== undefined && 'class_type' in graph) graph = undefined
    }
    const inner = graph && objectText(text, keys)
    if (graph !== undefined && inner !== undefined) return { text: inner, graph }
  }
  return { text, graph: value }
}
