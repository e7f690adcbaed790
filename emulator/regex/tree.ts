// The parts of a regular expression.

/** A set of characters: single ones, ranges, and named classes. */
export type CharacterSet = {
  readonly isNegated: boolean
  readonly ranges: readonly (readonly [first: number, last: number])[]
  readonly classes: readonly CharacterClass[]
}

/** Digits, letters of words, blanks; capitals are all others. */
export type CharacterClass = 'd' | 'D' | 'w' | 'W' | 's' | 'S'

export type Flags = {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
  readonly a: boolean
}

/** What matches one character. */
export type Single =
  | { readonly kind: 'literal'; readonly code: number; readonly flags: Flags }
  | { readonly kind: 'any'; readonly flags: Flags }
  | { readonly kind: 'set'; readonly set: CharacterSet; readonly flags: Flags }

export type Manner = 'greedy' | 'lazy' | 'possessive'

export type Node =
  | Single
  | {
      readonly kind: 'at'
      readonly where: 'A' | 'Z' | 'b' | 'B' | '^' | '$'
      readonly flags: Flags
    }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  | { readonly kind: 'group'; readonly index: number; readonly body: Node }
  | { readonly kind: 'reference'; readonly index: number; readonly flags: Flags }
  | {
      readonly kind: 'look'
      readonly isBehind: boolean
      readonly isNegated: boolean
      readonly body: Node
    }
  | { readonly kind: 'atomic'; readonly body: Node }
  | { readonly kind: 'condition'; readonly index: number; readonly yes: Node; readonly no: Node }
  | {
      readonly kind: 'repeat'
      readonly body: Node
      readonly least: number
      readonly most: number
      readonly manner: Manner
    }

/** A parsed expression: its tree, how many groups it has with their widths, and their names. */
export type Tree = {
  readonly body: Node
  readonly groups: number
  readonly widths: Widths
  readonly names: ReadonlyMap<string, number>
}

export type Widths = ReadonlyMap<number, Width>
/** The least and the greatest number of characters that a part can match. */
export type Width = readonly [least: number, most: number]

const NOTHING: Width = [0, 0]
/** Python counts to here, and treats more as unlimited. */
const MOST_WIDTH = 2 ** 32 - 1

const sumOf = (widths: readonly Width[]): Width =>
  widths.reduce<Width>(([least, most], [low, high]) => [least + low, most + high], NOTHING)

const rangeOf = (widths: readonly Width[]): Width => [
  Math.min(...widths.map(([low]) => low)),
  Math.max(...widths.map(([, high]) => high)),
]

/** The widths of what has parts: each group asks for those of all groups in it. */
const known = new WeakMap<Node, Width>()

export function widthOf(node: Node, groups: Widths): Width {
  const found = known.get(node)
  if (found !== undefined) return found
  const [least, most] = ownWidth(node, groups)
  const width: Width = [Math.min(least, MOST_WIDTH - 1), Math.min(most, MOST_WIDTH)]
  if (node.kind === 'sequence' || node.kind === 'choice') known.set(node, width)
  return width
}

function ownWidth(node: Node, groups: Widths): Width {
  switch (node.kind) {
    case 'literal':
    case 'any':
    case 'set':
      return [1, 1]
    case 'at':
    case 'look':
      return NOTHING
    case 'sequence':
      return sumOf(node.parts.map((part) => widthOf(part, groups)))
    case 'choice':
      return rangeOf(node.options.map((option) => widthOf(option, groups)))
    case 'group':
    case 'atomic':
      return widthOf(node.body, groups)
    case 'reference':
      return groups.get(node.index) ?? NOTHING
    case 'condition':
      return rangeOf([widthOf(node.yes, groups), widthOf(node.no, groups)])
    case 'repeat': {
      const [low, high] = widthOf(node.body, groups)
      return [low * node.least, high === 0 ? 0 : high * node.most]
    }
  }
}
