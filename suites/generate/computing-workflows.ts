// Workflows of nodes that compute without a model, decided by lists of numbers: the same numbers make the same workflow, and a
// part of the lists makes a smaller one.

import { type Graph, type Node, node } from './graphs.ts'
import { type InputForm, type Kind, type NodeForm, nodeForms } from './computing-nodes.ts'

/** The numbers that decide one node: its type, then its inputs. */
export type Choices = readonly number[]

/** How many numbers decide a node, and how many nodes there are. */
export const CHOICES = 14
export const MOST_NODES = 10

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
  has: Has = () => true,
): Graph {
  const workflow: Workflow = { graph: {}, links: [], used: new Set() }
  for (const choices of steps) addNode(workflow, choices, has)
  return { ...workflow.graph, ...showing(workflow, steps, prefix) }
}

/** What makes a first value for a socket. */
const sources: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  image: ['EmptyImage', 'ImageCompositeMasked'],
  mask: ['EmptyImage', 'ImageCompositeMasked', 'ImageToMask'],
  latent: ['EmptyLatentImage'],
}

type Has = (class_type: string) => boolean

/** Adds the node that the first number chooses, or the next in the list that the workflow and the server can have. */
function addNode(workflow: Workflow, choices: Choices, has: Has): void {
  const { graph } = workflow
  const count = (class_type: string): number =>
    Object.values(graph).filter((one) => one.class_type === class_type).length
  const isPossible = ({ class_type, most = Infinity, ...form }: NodeForm): boolean =>
    has(class_type) &&
    count(class_type) < most &&
    needsOf(form).every((kind) => sources[kind]?.every(has))
  const first = (choices[0] ?? 0) % nodeForms.length
  const form = [...nodeForms.slice(first), ...nodeForms.slice(0, first)].find(isPossible)
  if (form !== undefined) addForm(workflow, form, choices)
}

/** The sockets of a node that need a link. */
const needsOf = ({ inputs }: Pick<NodeForm, 'inputs'>): readonly Kind[] =>
  Object.values(inputs).flatMap((form) =>
    isSocket(form) && form.isOptional !== true ? form.socket : [],
  )

function add(
  { graph, links }: Workflow,
  { class_type, inputs }: Node,
  kinds: readonly Kind[],
): Link {
  const id = `${Object.keys(graph).length + 1}`
  graph[id] = node(class_type, inputs)
  kinds.forEach((kind, slot) => links.push({ kind, link: [id, slot] }))
  return [id, 0]
}

/** Two pictures of one size, one of which looks different from each side: what moves pixels shows. */
function addPictures(workflow: Workflow, choices: Choices): void {
  const of = (at: number, ...values: readonly number[]): number =>
    values[(choices[at] ?? 0) % values.length] ?? 0
  const size = { width: of(1, 5, 4, 3), height: of(2, 3, 4, 5), batch_size: of(3, 1, 2, 3) }
  const plain = (color: number, more = {}): Node => node('EmptyImage', { ...size, ...more, color })
  const colors = [0x336699, 0xa07f81, 0xff2010] as const
  const below = add(workflow, plain(of(4, ...colors)), [])
  const spot = { width: of(5, 2, 1), height: 1, batch_size: 1 }
  const above = add(workflow, plain(of(6, 0xfff001, 0x0100fe), spot), [])
  add(workflow, plain(of(7, 0x7f8081, 0x10c0f0)), ['image'])
  const laid = { destination: below, source: above, x: 1, y: of(8, 0, 1), resize_source: false }
  add(workflow, node('ImageCompositeMasked', laid), ['image'])
}

/** Adds what feeds the first socket of a kind. */
function addSource(workflow: Workflow, kind: Kind, choices: Choices): void {
  const { links, used } = workflow
  const image = (): Link | undefined => links.findLast((one) => one.kind === 'image')?.link
  if (kind !== 'latent' && image() === undefined) addPictures(workflow, choices)
  const form = nodeForms.find(({ class_type }) => class_type === 'EmptyLatentImage')
  if (kind === 'latent' && form !== undefined) addForm(workflow, form, choices)
  if (kind !== 'mask') return
  const link = image() as Link
  used.add(String(link))
  const channel = ['red', 'green', 'blue'][(choices[9] ?? 0) % 3]
  add(workflow, node('ImageToMask', { image: link, channel }), ['mask'])
}

function addForm(workflow: Workflow, form: NodeForm, choices: Choices): void {
  for (const kind of needsOf(form))
    if (!workflow.links.some((one) => one.kind === kind))
      addSource(workflow, kind, choices.toReversed())
  const values = Object.entries(form.inputs).flatMap(([name, input], at) => {
    const value = valueOf(workflow, input, choices[at + 1] ?? 0)
    return value === undefined ? [] : [[name, value] as const]
  })
  add(workflow, node(form.class_type, Object.fromEntries(values)), form.outputs)
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
