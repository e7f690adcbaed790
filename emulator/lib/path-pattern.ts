// Path patterns: `*` stands for one segment or a part of one, `**` for any number of segments.

/** Whether a path matches a pattern. Both may have the prefix /api. */
export const matchesPath = (pattern: string, path: string): boolean =>
  matchesStars(segments(pattern), segments(path), '**', matchesSegment)

/** The segments of a path without the prefix /api. */
export const segments = (path: string): readonly string[] =>
  path.replace(/^\/api(?=\/|$)/, '').split('/')

const matchesSegment = (pattern: string, segment: string): boolean =>
  pattern === segment ||
  (pattern === '*'
    ? segment !== ''
    : matchesStars(Array.from(pattern), Array.from(segment), '*', (a, b) => a === b))

/**
 * Whether items match a pattern in which the star stands for any number of them. Goes back to the last star alone, so
 * that no pattern takes longer than its length times that of the items.
 */
function matchesStars(
  pattern: readonly string[],
  items: readonly string[],
  star: string,
  matches: (pattern: string, item: string) => boolean,
): boolean {
  let at = 0
  let item = 0
  let lastStar = -1
  let firstAfterStar = 0
  while (item < items.length) {
    const part = pattern[at]
    if (part === star) {
      lastStar = at++
      firstAfterStar = item
    } else if (part !== undefined && matches(part, items[item] as string)) {
      at++
      item++
    } else if (lastStar >= 0) {
      at = lastStar + 1
      item = ++firstAfterStar
    } else return false
  }
  return pattern.slice(at).every((part) => part === star)
}
