// Makes texts of a target safe to print. A judged server can be hostile: what it sends must not move a cursor, hide or reorder
// other text, or break the form of a report.

/** Control characters except line end and tab, invisible and reordering ones, lone surrogates, and what XML forbids. */
export const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffe\uffff]/gu

/** A text with every character that is not visible written as an escape, such as `\u{1b}`. Keeps line ends and tabs. */
export const visible = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(hidden, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)

/** A visible text in one line. */
export const oneLine = (text: string): string => visible(text).replace(/\s+/g, ' ').trim()

/** At most `most` characters of a text, and how many are missing. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text
  const start = text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
  return `${start}… (${text.length - start.length} more characters)`
}

/** A count with its noun: `1 rule`, `2 rules`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`

/** A duration as people read it. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = Math.round(ms / 100) / 10
  return seconds < 60
    ? `${seconds} s`
    : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
}
