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

export type Node =
  | { readonly kind: 'literal'; readonly code: number; readonly flags: Flags }
  | { readonly kind: 'any'; readonly flags: Flags }
  | { readonly kind: 'set'; readonly set: CharacterSet; readonly flags: Flags }
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
      readonly width: number
    }
  | { readonly kind: 'atomic'; readonly body: Node }
  | { readonly kind: 'condition'; readonly index: number; readonly yes: Node; readonly no: Node }
  | {
      readonly kind: 'repeat'
      readonly body: Node
      readonly least: number
      readonly most: number
      readonly manner: 'greedy' | 'lazy' | 'possessive'
    }

/** A parsed expression: its tree, how many groups it has, and their names. */
export type Pattern = {
  readonly body: Node
  readonly groups: number
  readonly names: ReadonlyMap<string, number>
}

/** The least and the greatest number of characters that a part can match. */
export function widthOf(
  node: Node,
  groups: ReadonlyMap<number, readonly [number, number]>,
): readonly [number, number] {
  switch (node.kind) {
    case 'literal':
    case 'any':
    case 'set':
      return [1, 1]
    case 'at':
    case 'look':
      return [0, 0]
    case 'sequence':
      return node.parts.reduce<readonly [number, number]>(
        ([least, most], part) => {
          const [low, high] = widthOf(part, groups)
          return [least + low, most + high]
        },
        [0, 0],
      )
    case 'choice': {
      const widths = node.options.map((option) => widthOf(option, groups))
      return [Math.min(...widths.map(([low]) => low)), Math.max(...widths.map(([, high]) => high))]
    }
    case 'group':
    case 'atomic':
      return widthOf(node.body, groups)
    case 'reference':
      return groups.get(node.index) ?? [0, Infinity]
    case 'condition': {
      const [yes, no] = [widthOf(node.yes, groups), widthOf(node.no, groups)]
      return [Math.min(yes[0], no[0]), Math.max(yes[1], no[1])]
    }
    case 'repeat': {
      const [low, high] = widthOf(node.body, groups)
      return [low * node.least, high === 0 ? 0 : high * node.most]
    }
  }
}
