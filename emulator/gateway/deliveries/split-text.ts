// Splits a text into parts that a platform takes: at ends of lines or words, each with its code fences whole.

/** A code fence that is open: the lines that close it, and that open it again with its language. */
type Fence = { readonly close: string; readonly open: string }

/** Longer lines are text, so that a fence that is closed and opened again leaves room in each part. */
const MAX_FENCE_LINE = 100
const MAX_FENCE = 8
const MAX_LANGUAGE = 40
/** The room that the end of a fence takes, with its line end. */
const CLOSE_ROOM = MAX_FENCE + 1

const fenceLine = /^ {0,3}(`{3,}|~{3,})[^\S\n]*(.*)$/s

/** The line of a fence in parts: its marks, and what follows them; undefined for any other line. */
function readFence(line: string): { readonly marks: string; readonly info: string } | undefined {
  if (line.length > MAX_FENCE_LINE) return undefined
  const [, marks = '', info = ''] = fenceLine.exec(line) ?? []
  return marks === '' || marks.length > MAX_FENCE ? undefined : { marks, info: info.trim() }
}

/** The fence that is open after a line, given the one before it. */
function afterLine(line: string, fence: Fence | null): Fence | null {
  const found = readFence(line)
  if (found === undefined) return fence
  const { marks, info } = found
  if (fence === null) {
    // Marks in the same line make code of a line, not a fence.
    if (marks.startsWith('`') && info.includes('`')) return null
    const [language = ''] = info.split(/\s/)
    return { close: marks, open: marks + (language.length > MAX_LANGUAGE ? '' : language) }
  }
  const closes = info === '' && marks.startsWith(fence.close)
  return closes ? null : fence
}

const afterLines = (text: string, fence: Fence | null): Fence | null =>
  text.split('\n').reduce((open: Fence | null, line) => afterLine(line, open), fence)

/** Whether a cut inside a line leaves neither side to be read as a fence. */
function isSafe(text: string, at: number): boolean {
  if (isHighSurrogate(text.charCodeAt(at - 1))) return false
  const left = text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trimEnd()
  return !readFence(left) && !readFence(firstLine(text.slice(at).trimStart()))
}

/** The first line of a text, or the part of it that shows that it is too long for a fence. */
const firstLine = (text: string): string =>
  text.slice(0, MAX_FENCE_LINE + 1).split('\n', 1)[0] as string

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00

/** Where to cut a text that has more characters than there is room: after a line if possible, else after a word. */
function cutAt(text: string, room: number): number {
  const least = Math.ceil(room / 2)
  const line = text.lastIndexOf('\n', room)
  if (line >= least) return line
  for (let at = room; at >= least; at--)
    if (/\s/.test(text.charAt(at)) && isSafe(text, at)) return at
  for (let at = room; at >= least; at--) if (isSafe(text, at)) return at
  return room
}

/** A part without its fences, the text after it, and the fence that is open in between. */
type Cut = { readonly piece: string; readonly rest: string; readonly fence: Fence | null }

function cut(text: string, fence: Fence | null, room: number): Cut {
  const at = cutAt(text, room)
  const piece = text.slice(0, at).trimEnd()
  const open = afterLines(piece, fence)
  // A fence that would hold nothing in this part begins in the next one.
  const line = piece.lastIndexOf('\n')
  const isEmpty = open !== null && line > 0 && afterLines(piece.slice(0, line), fence) === null
  return isEmpty ? { ...splitAt(text, line), fence: null } : { ...splitAt(text, at), fence: open }
}

/** Blank lines, and blanks inside a line, get lost where a text is cut. */
const splitAt = (text: string, at: number): Pick<Cut, 'piece' | 'rest'> => ({
  piece: text.slice(0, at).trimEnd(),
  rest: withoutBlankLines(
    text.charAt(at) === '\n' ? text.slice(at + 1) : text.slice(at).replace(/^[^\S\n]+/, ''),
  ),
})

const withoutBlankLines = (text: string): string => text.replace(/^(?:[^\S\n]*\n)+/, '')

/** The rest of a text, whose fence the part before it has closed: it need not be opened for its end alone. */
function afterClosing(rest: string, fence: Fence | null): Pick<Cut, 'rest' | 'fence'> {
  const line = firstLine(rest)
  if (fence === null || afterLine(line, fence) !== null) return { rest, fence }
  return { rest: withoutBlankLines(rest.slice(line.length + 1)), fence: null }
}

/** The parts of a text, each with at most this many UTF-16 units, of which there are a few hundred at least. */
export function splitText(text: string, most: number): readonly string[] {
  const parts: string[] = []
  let rest = text
  let fence: Fence | null = null
  for (;;) {
    const head = fence === null ? '' : `${fence.open}\n`
    if (head.length + rest.length <= most) {
      if (rest.trim() !== '') parts.push(head + rest)
      return parts.length === 0 ? [text.slice(0, most)] : parts
    }
    const found = cut(rest, fence, most - head.length - CLOSE_ROOM)
    const end = found.fence === null ? '' : `\n${found.fence.close}`
    if (found.piece !== '') parts.push(head + found.piece + end)
    ;({ rest, fence } = afterClosing(found.rest, found.fence))
  }
}
