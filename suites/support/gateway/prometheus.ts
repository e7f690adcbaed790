// Reads the text format of Prometheus strictly, by its description, as a program that scrapes does.

export type Family = {
  readonly type: string
  readonly help: string
  /** The values by name and labels, as they are written. */
  readonly samples: ReadonlyMap<string, number>
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/y
const numberText = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]Inf|NaN)$/i

/** The metrics of a text, by name. Throws an error that names the line for one that is not valid. */
export function readMetrics(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end.')
  const families = new Map<string, { help: string; type: string; samples: Map<string, number> }>()
  let last = ''
  for (const [at, line] of text.slice(0, -1).split('\n').entries()) {
    const fail = (why: string): Error => new Error(`Line ${at + 1} ${why}: ${line}`)
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      if (!metricName.test(name)) throw fail('names no metric')
      if (families.has(name)) throw fail('describes a metric again')
      families.set(name, { help: rest, type: '', samples: new Map() })
      last = name
    } else if (keyword === 'TYPE') {
      const family = families.get(name)
      if (family === undefined || name !== last) throw fail('is not behind the help of its metric')
      if (!['counter', 'gauge', 'histogram'].includes(rest)) throw fail('has an unknown type')
      family.type = rest
    } else {
      const family = families.get(last)
      const [, sample = '', labels = '', value = ''] = sampleLine.exec(line) ?? []
      if (family === undefined || !numberText.test(value)) throw fail('is not a sample')
      const suffixes = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
      if (!suffixes.some((suffix) => sample === last + suffix)) throw fail('is of another metric')
      const key = `${sample}{${readLabels(labels, fail)}}`
      if (family.samples.has(key)) throw fail('is there twice')
      family.samples.set(key, Number(value.replace('Inf', 'Infinity')))
    }
  }
  for (const [name, family] of families) requireSound(name, family)
  return families
}

/** Labels as they are written, without those that are empty: they count as absent. */
function readLabels(text: string, fail: (why: string) => Error): string {
  const pairs: string[] = []
  labelPair.lastIndex = 0
  while (labelPair.lastIndex < text.length) {
    const [, name, value] = labelPair.exec(text) ?? []
    if (name === undefined) throw fail('has labels that cannot be read')
    if (value !== '') pairs.push(`${name}="${value}"`)
  }
  return pairs.join(',')
}

/** Throws for a histogram whose numbers do not fit each other, and for a name against the conventions. */
function requireSound(name: string, { type, help, samples }: Family): void {
  if (help === '' || type === '') throw new Error(`${name} has no help or no type.`)
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is a ${type}.`)
  if (type !== 'histogram') return
  const buckets = [...samples].filter(([key]) => key.startsWith(`${name}_bucket`))
  const bounds = buckets.map(([key]) =>
    Number(/le="(.*?)"/.exec(key)?.[1]?.replace('Inf', 'Infinity')),
  )
  const counts = buckets.map(([, count]) => count)
  const grows = (all: readonly number[]): boolean =>
    all.every((one, at) => one >= (all[at - 1] ?? 0))
  const isWhole = bounds.at(-1) === Infinity && counts.at(-1) === samples.get(`${name}_count{}`)
  if (!grows(bounds) || !grows(counts) || !isWhole || !samples.has(`${name}_sum{}`))
    throw new Error(`The buckets of ${name} do not fit.`)
}
