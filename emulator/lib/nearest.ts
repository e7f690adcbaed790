// Finds the known name closest to a mistyped one, for error messages.

/** Ignores case and separators: people write `max_upload_size` for `maxUploadSize`. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_. ]/g, '')

/** The known name closest to another one; undefined if none is close enough. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const asked = plain(name)
  if (asked === '') return undefined
  let best: string | undefined
  // Longer names allow more typing errors.
  let bestDistance = Math.min(4, Math.floor(asked.length / 3)) + 1
  for (const candidate of known) {
    const text = plain(candidate)
    // The last part of a dotted name, such as that of a quirk, matches the whole name.
    const last = plain(candidate.slice(candidate.search(/[^./]*$/)))
    // So does the start of a name, if no whole name matches: the shortest name that starts so.
    const isBeginning = asked.length > 2 && text.startsWith(asked)
    const apart = isBeginning
      ? 0.5 + (text.length - asked.length) / 1000
      : Math.min(distance(asked, text), distance(asked, last))
    if (apart < bestDistance) [best, bestDistance] = [candidate, apart]
  }
  return best
}

/** A question to append to an error message, with a leading space; empty if no name is close. */
export function didYouMean(name: string, known: Iterable<string>, before = ''): string {
  const meant = nearest(name, known)
  return meant === undefined ? '' : ` Did you mean ${before}${meant}?`
}

/** How many characters must be added, removed, replaced, or swapped with a neighbour. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const replaced = (row[j - 1] ?? 0) + (isSame ? 0 : 1)
      let least = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      next.push(least)
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
