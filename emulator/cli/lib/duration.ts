// Lengths of time in flags, such as 30m, 24h and 7d.

const unitsMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Milliseconds of a length of time; undefined for text in another form, or without a length. */
export function readDuration(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text.trim()) ?? []
  const ms = Number(count) * (unitsMs[unit] ?? 0)
  return ms > 0 ? ms : undefined
}
