// Turns the tree of a regular expression into a list of steps.

import { type Manner, type Node, type Single, type Tree, widthOf } from './tree.ts'
import { raise } from '../lib/raised.ts'

/** One step. `to` and `after` are places of other steps; without one, the next step follows. */
export type Step =
  | Single
  | Extract<Node, { kind: 'at' | 'reference' }>
  | { readonly kind: 'mark'; readonly mark: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'branch'; readonly to: number[] }
  /** Repeats one character. */
  | {
      readonly kind: 'run'
      readonly one: Single
      readonly least: number
      readonly most: number
      readonly manner: Manner
    }
  /** Starts to count a repetition, and goes to where it is decided whether it goes on. */
  | { readonly kind: 'enter'; readonly counter: number; to: number }
  | {
      readonly kind: 'until'
      readonly counter: number
      readonly body: number
      readonly least: number
      readonly most: number
      readonly isLazy: boolean
    }
  /** The steps that follow up to `done` are matched for themselves. */
  | { readonly kind: 'possessive'; readonly least: number; readonly most: number; after: number }
  | { readonly kind: 'atomic'; after: number }
  | { readonly kind: 'look'; readonly isNegated: boolean; readonly back: number; after: number }
  | { readonly kind: 'condition'; readonly index: number; to: number }
  | { readonly kind: 'done' }

/** A compiled expression: its steps, and how many groups it has, with names, and counters. */
export type Pattern = {
  readonly steps: readonly Step[]
  readonly tree: Tree
  readonly groups: number
  readonly counters: number
}

/** A group without a number or flags is what is in it. */
function unwrapped(node: Node): Node {
  let inner = node
  while (inner.kind === 'sequence' && inner.parts.length === 1) inner = inner.parts[0] as Node
  return inner
}

const isSingle = (node: Node): node is Single =>
  node.kind === 'literal' || node.kind === 'any' || node.kind === 'set'

class Compiler {
  readonly steps: Step[] = []
  readonly tree: Tree
  counters = 0
  constructor(tree: Tree) {
    this.tree = tree
  }

  add<Kind extends Step>(step: Kind): Kind {
    this.steps.push(step)
    return step
  }

  compile(node: Node): void {
    const { steps } = this
    switch (node.kind) {
      case 'sequence':
        for (const part of node.parts) this.compile(part)
        return
      case 'choice':
        return this.choice(node.options)
      case 'group':
        this.add({ kind: 'mark', mark: 2 * node.index })
        this.compile(node.body)
        this.add({ kind: 'mark', mark: 2 * node.index + 1 })
        return
      case 'look':
        return this.alone(node.body, {
          kind: 'look',
          isNegated: node.isNegated,
          back: node.isBehind ? this.fixedWidth(node.body) : 0,
          after: 0,
        })
      case 'atomic':
        return this.alone(node.body, { kind: 'atomic', after: 0 })
      case 'condition': {
        const condition = this.add({ kind: 'condition', index: node.index, to: 0 })
        this.compile(node.yes)
        const jump = this.add({ kind: 'jump', to: 0 })
        condition.to = steps.length
        this.compile(node.no)
        jump.to = steps.length
        return
      }
      case 'repeat':
        return this.repeat(node)
      default:
        this.add(node)
    }
  }

  choice(options: readonly Node[]): void {
    const branch = this.add({ kind: 'branch', to: [] as number[] })
    const jumps = options.map((option) => {
      branch.to.push(this.steps.length)
      this.compile(option)
      return this.add({ kind: 'jump', to: 0 })
    })
    for (const jump of jumps) jump.to = this.steps.length
  }

  /** Steps that are matched for themselves. */
  alone(body: Node, step: Extract<Step, { after: number }>): void {
    this.add(step)
    this.compile(body)
    this.add({ kind: 'done' })
    step.after = this.steps.length
  }

  repeat({ body, least, most, manner }: Extract<Node, { kind: 'repeat' }>): void {
    const one = unwrapped(body)
    if (isSingle(one)) this.add({ kind: 'run', one, least, most, manner })
    else if (manner === 'possessive')
      this.alone(body, { kind: 'possessive', least, most, after: 0 })
    else {
      const counter = this.counters++
      const start = this.steps.length + 1
      const enter = this.add({ kind: 'enter', counter, to: 0 })
      this.compile(body)
      const isLazy = manner === 'lazy'
      enter.to = this.steps.length
      this.add({ kind: 'until', counter, body: start, least, most, isLazy })
    }
  }

  fixedWidth(body: Node): number {
    const [least, most] = widthOf(body, this.tree.widths)
    if (least === most) return least
    return raise('re.error', 'look-behind requires fixed-width pattern')
  }
}

/** Compiles a parsed expression. Throws Raised. */
export function compile(tree: Tree): Pattern {
  const compiler = new Compiler(tree)
  compiler.compile(tree.body)
  compiler.add({ kind: 'done' })
  return { steps: compiler.steps, tree, groups: tree.groups, counters: compiler.counters }
}
