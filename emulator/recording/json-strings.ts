// Reads and changes the strings of a JSON text and leaves everything else as it is, byte for byte. Also takes a text that
// is cut off, or that only contains JSON.

/** What happens to a string. `name` is that of the member whose value it is; undefined for a name and in a list. */
export type ChangeString = (value: string, name: string | undefined) => string

/**
 * The text with its strings changed.
 * @param hides whether a value that is not a string is replaced whole, under this name.
 * @param first the name of a string that is the whole text.
 */
export function changeStrings(
  text: string,
  change: ChangeString,
  hides: (name: string) => boolean = () => false,
  first?: string,
): string {
  const parts: string[] = []
  let copied = 0
  const put = (start: number, end: number, value: string): void => {
    parts.push(text.slice(copied, start), value)
    copied = end
  }
  let name: string | undefined = first
  /** Where the value of that name begins. */
  let valueAt = first === undefined ? -1 : spaceEnd(text, 0)
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', Math.max(at, copied))) {
    const end = endOfString(text, at)
    const spelled = text.slice(at, end)
    const colon = spaceEnd(text, end)
    const isName = text[colon] === ':' && at !== valueAt
    const value = decoded(spelled)
    const changed = change(value, at === valueAt ? name : undefined)
    if (changed !== value) put(at, end, encoded(changed, spelled))
    at = end
    if (!isName) continue
    name = value
    valueAt = spaceEnd(text, colon + 1)
    const other = text[valueAt]
    if (other === undefined || other === '"' || !hides(value)) continue
    const valueEnd = endOfValue(text, valueAt)
    const whole = text.slice(valueAt, valueEnd)
    const replaced = /^(?:null|true|false|)$/.test(whole) ? whole : change(whole, name)
    if (replaced !== whole) put(valueAt, valueEnd, JSON.stringify(replaced))
    at = Math.max(at, valueEnd)
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied)
}

/** Calls with each string of a text. */
export const eachString = (
  text: string,
  visit: (value: string, name: string | undefined) => void,
): void =>
  void changeStrings(text, (value, name) => {
    visit(value, name)
    return value
  })

const space = /\s*/y

function spaceEnd(text: string, at: number): number {
  space.lastIndex = at
  space.test(text)
  return space.lastIndex
}

/** The end of the string that begins with the quote at this position; the end of the text if it is cut off. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return text.length
}

/** The end of a number, word, list or object. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const letter = text[at] as string
    if (letter === '"') at = endOfString(text, at) - 1
    else if (letter === '{' || letter === '[') depth++
    else if (letter === '}' || letter === ']' || letter === ',') {
      if (depth === 0) return at
      if (letter !== ',' && --depth === 0) return at + 1
    } else if (depth === 0 && /\s/.test(letter)) return at
  }
  return text.length
}

const parsed = (spelled: string): string | undefined => {
  try {
    return JSON.parse(spelled) as string
  } catch {
    return undefined
  }
}

/** The value of a spelled string; one that is not valid JSON stands for its letters. */
function decoded(spelled: string): string {
  const letters = spelled.slice(1, spelled.length > 1 && spelled.endsWith('"') ? -1 : undefined)
  return spelled.includes('\\') ? (parsed(spelled) ?? letters) : letters
}

/** Spells a value as another one was spelled. */
function encoded(value: string, like: string): string {
  if (parsed(like) === undefined)
    return `"${value}${like.length > 1 && like.endsWith('"') ? '"' : ''}`
  const text = JSON.stringify(value)
  if (!like.includes('\\u')) return text
  return text.replace(
    /[^\0-~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
