// What the process takes, for its metrics.

import type { ProcessFacts } from '../../../gateway/metrics.ts'

export function processFacts(): ProcessFacts {
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    heapBytes: heapUsed,
    startedSeconds: Date.now() / 1000 - process.uptime(),
  }
}
