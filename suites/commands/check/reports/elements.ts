// Reads XML, and HTML that closes all of its elements: small, and strict about what a report must never write.

export type Element = {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** The text inside it, with that of the elements in it. */
  text: string
}

const tag = /<(\/?)([a-z][\w-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>/giy
const attribute = /([\w:-]+)(?:="([^"]*)")?/g
const text = /[^<>]+/y
const rawText = /[\s\S]*?(?=<\/(?:style|script)>)/y
const comment = /<!--[^<>]*-->/y
const head = /^<(?:\?xml version="1\.0" encoding="UTF-8"\?|!doctype html)>\s*/

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
}

/** A text with its entities resolved; one that is not known is an error. */
const resolved = (source: string): string =>
  source.replace(/&(?:([\w#]+);)?/g, (whole, name: string | undefined) => {
    const found = entities[name ?? '']
    if (found === undefined) throw new Error(`Not an entity of a report: ${whole}`)
    return found
  })

/** The elements of a document in order. Throws where it is not well-formed. */
export function elementsOf(document: string): readonly Element[] {
  const elements: Element[] = []
  const open: Element[] = []
  let at = head.exec(document)?.[0].length ?? 0
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(document)
    at += found?.[0].length ?? 0
    return found
  }
  while (at < document.length) {
    next(comment)
    const isRaw = ['style', 'script'].includes(open.at(-1)?.name ?? '')
    const [inside = ''] = next(isRaw ? rawText : text) ?? []
    for (const one of open) one.text += isRaw ? inside : resolved(inside)
    if (at === document.length) break
    const [, isEnd, name = '', attributes = '', isEmpty] = next(tag) ?? []
    if (name === '') throw new Error(`Not a tag: ${document.slice(at, at + 80)}`)
    if (isEnd) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes another element.`)
      continue
    }
    const pairs = [...attributes.matchAll(attribute)]
    const own = pairs.map(([, key = '', value = '']) => [key, resolved(value)])
    const element = { name, attributes: Object.fromEntries(own), text: '' }
    elements.push(element)
    if (!isEmpty) open.push(element)
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)?.name}> is not closed.`)
  return elements
}
