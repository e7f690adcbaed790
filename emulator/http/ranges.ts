// Parses Range headers.

/** The part that a Range header requests: its start and its exclusive end. Null if the file has no such part. */
export function partOf(range: string, size: number): readonly [start: number, end: number] | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range) ?? []
  if (first === '' && last === '') return null
  // Python counts the last 0 bytes from the start: they are all.
  const start =
    first !== '' ? Number(first) : Number(last) === 0 ? 0 : Math.max(0, size - Number(last))
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size)
  return start < end ? [start, end] : null
}
