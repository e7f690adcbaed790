// The metrics of several workers as one text: each sample has the number of its worker as a label [shared/workers-metrics].

/** The metrics of a worker as text; empty if it does not listen. */
type WorkerMetrics = { readonly worker: number; readonly text: string }

/** Each metric once, with the samples of all workers in their order. */
export function merged(all: readonly WorkerMetrics[]): string {
  /** The comments and the samples of each metric, by its name. */
  const metrics = new Map<string, { readonly comments: Set<string>; readonly samples: string[] }>()
  for (const { worker, text } of all) {
    let name = ''
    for (const line of text.split('\n')) {
      const [, described] = /^# \w+ (\S+)/.exec(line) ?? []
      name = described ?? name
      if (line === '') continue
      const metric = metrics.get(name) ?? { comments: new Set(), samples: [] }
      metrics.set(name, metric)
      if (described === undefined) metric.samples.push(labelled(line, worker))
      else metric.comments.add(line)
    }
  }
  const lines: string[] = []
  for (const { comments, samples } of metrics.values()) lines.push(...comments, ...samples)
  return lines.map((line) => `${line}\n`).join('')
}

/** A sample with the number of its worker. */
const labelled = (sample: string, worker: number): string =>
  sample.replace(/^([^\s{]+)(?:\{(.*)\})? /, (_, name: string, labels = '') => {
    const own = `worker="${worker}"`
    return `${name}{${labels === '' ? own : `${own},${labels}`}} `
  })
