// What has begun and not ended when a proxy stops: reports of exchanges and sockets, and work that it waits for.

import type { ProxyParts } from './exchanges.ts'

export type UnderWay = Pick<ProxyParts, 'untilStopped' | 'waitFor'> & {
  /** Reports what had not ended; resolves when all work has. */
  readonly stop: () => Promise<unknown>
}

export function createUnderWay(): UnderWay {
  const reports = new Set<() => void>()
  const works = new Set<Promise<void>>()
  return {
    untilStopped: (report) => {
      reports.add(report)
      return () => void reports.delete(report)
    },
    waitFor: (work) => {
      works.add(work)
      void work.then(() => works.delete(work))
    },
    stop: () => {
      for (const report of reports) report()
      return Promise.all(works)
    },
  }
}
