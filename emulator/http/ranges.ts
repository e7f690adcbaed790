// Parses Range headers.

/** The part that a Range header requests: its start and its exclusive end. Null if the file has no such part. */
export function partOf(range: string, size: number): readonly [start: number, end: number] | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range) ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size)
  return start < end ? [start, end] : null
}
