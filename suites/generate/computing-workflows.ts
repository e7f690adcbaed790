// Workflows of nodes that compute without a model, decided by lists of numbers: the same numbers make the same workflow, and a
// part of the lists makes a smaller one.

import { type Graph, type Node, node } from './graphs.ts'
import { type InputForm, type Kind, type NodeForm, nodeForms } from './computing-nodes.ts'

/** The numbers that decide one node: its type, then its inputs. */
export type Choices = readonly number[]

/** How many numbers decide a node, and how many nodes there are. */
export const CHOICES = 14
export const MOST_NODES = 12

type Link = readonly [id: string, slot: number]

/** What only these inputs take from a link: others are too small to be anything. */
const MOST_LINKED = 4

type Workflow = {
  readonly graph: Record<string, Node>
  readonly links: { readonly kind: Kind; readonly link: Link }[]
  readonly used: Set<string>
}

const isSocket = (form: InputForm): form is Extract<InputForm, { socket: Kind }> => 'socket' in form

/**
 * The workflow of some choices, with nodes that show what it makes.
 * @param prefix of the names of saved files.
 * @param has whether the server has a node type.
 */
export function workflowOf(
  steps: readonly Choices[],
  prefix: string,
  has: (class_type: string) => boolean = () => true,
): Graph {
  const workflow: Workflow = { graph: {}, links: [], used: new Set() }
  for (const choices of steps) addNode(workflow, choices, has)
  return { ...workflow.graph, ...showing(workflow, steps, prefix) }
}

function addNode(workflow: Workflow, choices: Choices, has: (class_type: string) => boolean): void {
  const { graph, links } = workflow
  const kinds = new Set(links.map(({ kind }) => kind))
  const isPossible = ({ class_type, inputs, most = Infinity }: NodeForm): boolean =>
    has(class_type) &&
    Object.values(graph).filter((one) => one.class_type === class_type).length < most &&
    Object.values(inputs).every(
      (form) => !isSocket(form) || form.isOptional === true || kinds.has(form.socket),
    )
  const possible = nodeForms.filter(isPossible)
  const form = possible[(choices[0] ?? 0) % possible.length]
  if (form === undefined) return
  const id = `${Object.keys(graph).length + 1}`
  const values = Object.entries(form.inputs).flatMap(([name, input], at) => {
    const value = valueOf(workflow, input, choices[at + 1] ?? 0)
    return value === undefined ? [] : [[name, value] as const]
  })
  graph[id] = node(form.class_type, Object.fromEntries(values))
  form.outputs.forEach((kind, slot) => links.push({ kind, link: [id, slot] }))
}

/** The value of an input; undefined for one that is left out. */
function valueOf({ links, used }: Workflow, form: InputForm, choice: number): unknown {
  const kind = isSocket(form) ? form.socket : form.link
  const given = links.filter((one) => one.kind === kind).map(({ link }) => link)
  // The latest come first: workflows are long rather than wide.
  const take = (at: number): Link => {
    const link = given[given.length - 1 - (at % given.length)] as Link
    used.add(String(link))
    return link
  }
  if (isSocket(form)) {
    if (given.length === 0 || (form.isOptional === true && choice % 2 === 0)) return undefined
    return take(Math.floor(choice / 2))
  }
  const isLinked = kind !== undefined && given.length > 0 && choice % MOST_LINKED === 1
  if (isLinked) return take(Math.floor(choice / MOST_LINKED))
  return form.oneOf[Math.floor(choice / MOST_LINKED) % form.oneOf.length]
}

/** Nodes that show what no other node takes, and now and then something that cannot be shown. */
function showing({ links, used }: Workflow, steps: readonly Choices[], prefix: string): Graph {
  const shown = links
    .filter(({ link }) => !used.has(String(link)))
    .map(({ kind, link }, at) => [`show ${link.join(' ')}`, nodeFor(kind, link, `${prefix}${at}`)])
  const isUnfit = (steps[0]?.at(-1) ?? 0) % 20 === 7
  const unfit = isUnfit ? { unfit: node('PreviewImage', { images: 5 }) } : {}
  return { ...Object.fromEntries(shown), ...unfit }
}

function nodeFor(kind: Kind, link: Link, filename_prefix: string): Node {
  switch (kind) {
    case 'image':
      return Number(link[0]) % 3 === 0
        ? node('PreviewImage', { images: link })
        : node('SaveImage', {
            images: link,
            filename_prefix: `${filename_prefix}_%width%x%height%_%batch_num%`,
          })
    case 'mask':
      return node('MaskPreview', { mask: link })
    case 'latent':
      return node('SaveLatent', { samples: link, filename_prefix })
    default:
      return node('PreviewAny', { source: link })
  }
}
