// The reports of one check: on the terminal, and in the files that were asked for.

import { resolve } from 'node:path'
import type { CheckOptions } from '../../../spec/check.ts'
import { replaceFile } from '../replace-file.ts'
import { consoleReport, type Terminal } from './console.ts'
import { htmlText } from './html.ts'
import { junitText } from './junit.ts'
import { markdownText } from './markdown.ts'
import { ndjsonReport } from './ndjson.ts'
import { type Report, wholeReport } from './report.ts'

/** What the command needs from its process. */
export type CheckIo = {
  readonly stdout: Terminal
  readonly stderr: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Aborted when the user stops the command. */
  readonly signal?: AbortSignal
  /** The time as text. */
  readonly now: () => string
  readonly exists: (file: string) => boolean
}

/** All reports of a check as one. */
export function reportsFor(options: CheckOptions, { stdout, env, cwd }: CheckIo): Report {
  const toFile = (file: string) => ({
    write: (text: string) => replaceFile(resolve(cwd, file), text),
  })
  const { junit, html, markdown, isJson } = options
  const reports: readonly Report[] = [
    isJson ? ndjsonReport(stdout) : consoleReport(stdout, env),
    ...(junit === undefined ? [] : [wholeReport(junitText, toFile(junit))]),
    ...(markdown === undefined ? [] : [wholeReport(markdownText, toFile(markdown))]),
    ...(html === undefined ? [] : [wholeReport((events) => htmlText([events]), toFile(html))]),
  ]
  return {
    take: (event) => reports.forEach((report) => report.take(event)),
    end: async () => {
      for (const report of reports) await report.end()
    },
  }
}
