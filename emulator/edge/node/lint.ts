// What a server would refuse in a workflow, said without one: its validation runs on the workflow, and every unknown type is
// named, not the first alone.

import type { Json } from '../../lib/json.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { inferWorld } from '../../infer/infer.ts'
import { nodesOf } from '../../infer/nodes.ts'
import { completeOptions, worldOptions } from '../../options/complete.ts'
import { readScenarios, type Scenario } from '../../options/scenario.ts'
import type { ServerOptionsInput } from '../../options/server-options.ts'
import { catalogueOf } from '../../server/nodes/catalog.ts'
import { createServer } from '../../server/server.ts'
import { step } from '../../server/step.ts'
import { knownTypes, readCatalog } from '../catalog.ts'
import type { WorkflowSource } from '../../infer/for-workflows.ts'
import type { ServerTypes } from '../../infer/server-types.ts'
import { nodeTypeFiles } from './node-types.ts'

/** Something that a server refuses. */
export type WorkflowProblem = {
  readonly file: string
  /** The node, and its type and input where these are to blame. */
  readonly node: string | null
  readonly class_type: string | null
  readonly input: string | null
  /** The type of the error, as the server names it. */
  readonly type: string
  readonly says: string
}

/** Finds what servers with these options refuse in a workflow; empty if they run it. */
export type Linter = (workflow: WorkflowSource) => readonly WorkflowProblem[]

/**
 * @param from the node types of a server, in place of those of the options.
 */
export async function createLinter(given: ServerOptionsInput, from?: ServerTypes): Promise<Linter> {
  const options = completeOptions({ port: 0, ...given, unknownNodes: 'accept' })
  const catalog = from === undefined ? readCatalog(options, nodeTypeFiles) : () => from.texts
  const typeOf = catalogueOf(catalog())
  const names = knownTypes(catalog)
  // Validation is among the parts that a server loads when the first submit comes.
  await import('../../server/local/provide-on-demand.ts')
  return (workflow) => {
    const nodes = nodesOf(workflow)
    const at = (node: string | null, input: string | null, type: string, says: string) => ({
      file: workflow.name,
      node,
      class_type: nodes.find(({ id }) => id === node)?.class_type ?? null,
      input,
      type,
      says,
    })
    const unknown = nodes.flatMap(({ id, class_type }): readonly WorkflowProblem[] =>
      typeOf(class_type) === undefined
        ? [
            at(
              id,
              null,
              'missing_node_type',
              `${class_type} is not a node type.${didYouMean(class_type, names)}`,
            ),
          ]
        : [],
    )
    // Input files are uploaded before a submit: that they are missing here is not a problem of the workflow.
    const { start } = inferWorld([workflow], typeOf, {
      values: false,
      checksNewCombos: false,
    }).scenario
    const { files = [], values = {} } = start ?? {}
    const needed = readScenarios({ version: 1, start: { files, values } }) as Scenario
    const server = createServer(worldOptions({ ...options, scenario: needed }, catalog, 0, null))
    const { error, nodeErrors } = refusalOf(server, workflow.text)
    const wrong = nodeErrors.flatMap(([id, entry]) =>
      entry.errors.map(({ type, message, details, extra_info = {} }) => {
        const { input_name: input = null, received_value: value } = extra_info
        const declared = typeOf(entry.class_type)?.inputs.find(({ name }) => name === input)?.type
        const choices = Array.isArray(declared) ? declared.filter(isText) : []
        const hint = typeof value === 'string' ? didYouMean(value, choices) : ''
        return at(id, input, type, `${message}: ${details}.${hint}`)
      }),
    )
    if (unknown.length + wrong.length > 0 || error === null) return [...unknown, ...wrong]
    return [at(null, null, error.type, `${error.message}${error.details && `: ${error.details}`}`)]
  }
}

const isText = (value: Json): value is string => typeof value === 'string'

type PromptError = { readonly type: string; readonly message: string; readonly details: string }

type NodeError = PromptError & {
  readonly extra_info?: { readonly input_name?: string; readonly received_value?: unknown }
}

type Answer = {
  readonly error?: PromptError
  readonly node_errors?: Readonly<
    Record<string, { readonly class_type: string; readonly errors: readonly NodeError[] }>
  >
}

/** What the server answers to a submit of a workflow. */
function refusalOf(server: ReturnType<typeof createServer>, text: string) {
  const body = new TextEncoder().encode(`{"prompt": ${text}}`)
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', target: '/prompt', headers, body, request: 1 } as const
  const effects = step(server, { kind: 'request', atMs: 0, ...request })
  const reply = effects.find((one) => one.kind === 'reply')
  const answer = JSON.parse(typeof reply?.body === 'string' ? reply.body : '{}') as Answer
  return {
    error: answer.error ?? (reply?.status === 200 ? null : broken),
    nodeErrors: Object.entries(answer.node_errors ?? {}),
  }
}

const broken: PromptError = {
  type: 'invalid_prompt',
  message: 'The server fails on this workflow',
  details: 'its form is not that of a graph of nodes',
}
