// The reports of one check, or of checks that are over: on the terminal, and in the files that were asked for.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Location, Run } from 'sarif'
import type { Recording } from '../../../dist/emulator/internal.js'
import {
  checkExitCodes,
  type CheckOptions,
  type ReportFiles,
  type ReportOptions,
} from '../../../spec/check.ts'
import { replaceFile } from '../output/replace-file.ts'
import { oneLine } from '../output/text.ts'
import { wrongUse } from '../usage.ts'
import type { CheckEvent } from '../events.ts'
import { type Annotation, annotationsOf } from './annotations.ts'
import { consoleReport, type Terminal } from './console.ts'
import { htmlText } from './html.ts'
import { junitText } from './junit.ts'
import { markdownText } from './markdown.ts'
import { ndjsonReport, readCheck } from './ndjson.ts'
import { resultsText } from './results.ts'
import { sarifRuns } from './sarif.ts'
import { type Render, type Report, type Sink, wholeReport } from './report.ts'

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
  /** A question about the nearest of known names, with a space before it; empty if none is close. */
  readonly didYouMean: (name: string, known: Iterable<string>) => string
  /** The text of a recording. */
  readonly writeHar: (recording: Recording) => string
} & Writers

/** The writers of formats that other commands write, too. */
type Writers = {
  readonly annotationText: (annotation: Annotation) => string
  readonly sarifText: (runs: Run[]) => string
  readonly sarifPlace: (file: string, line?: number) => Location
}

type ReportIo = Pick<CheckIo, 'stdout' | 'stderr' | 'env' | 'cwd' | keyof Writers>

/** How the reports in files are rendered. */
const rendersWith = ({
  sarifText,
  sarifPlace,
}: Writers): Readonly<Record<keyof ReportFiles, Render>> => ({
  junit: junitText,
  markdown: markdownText,
  html: htmlText,
  results: resultsText,
  sarif: (streams) => sarifText(sarifRuns(streams, sarifPlace)),
})

/** The reports in files that were asked for, each with its sink. */
function filesFor(files: ReportFiles, io: ReportIo): readonly { render: Render; sink: Sink }[] {
  const renders = rendersWith(io)
  return (Object.keys(renders) as readonly (keyof ReportFiles)[]).flatMap((name) => {
    const file = files[name]
    if (file === undefined) return []
    const sink = { write: (text: string) => replaceFile('the report', resolve(io.cwd, file), text) }
    return [{ render: renders[name], sink }]
  })
}

/** All reports of a check as one. */
export function reportsFor(
  options: ReportFiles & Pick<CheckOptions, 'isJson' | 'hasAnnotations'>,
  io: ReportIo,
): Report {
  const { stdout, stderr, env } = io
  const annotated: Render = (streams) =>
    streams.flatMap(annotationsOf).map(io.annotationText).join('')
  const reports: readonly Report[] = [
    options.isJson ? ndjsonReport(stdout) : consoleReport(stdout, env),
    // GitHub reads both streams.
    ...(options.hasAnnotations ? [wholeReport(annotated, options.isJson ? stderr : stdout)] : []),
    ...filesFor(options, io).map(({ render, sink }) => wholeReport(render, sink)),
  ]
  return {
    take: (event) => reports.forEach((report) => report.take(event)),
    end: async () => {
      for (const report of reports) await report.end()
    },
  }
}

/**
 * The command `check report`: writes reports on checks that are over, on the terminal one after the other, in files side by
 * side. Throws an error with the code USAGE for a file that cannot be used.
 */
export async function runReport(
  { files, ...reports }: ReportOptions,
  io: ReportIo,
): Promise<number> {
  const { stdout, env, cwd } = io
  const streams = files.map((file) => checkIn(cwd, file))
  for (const events of streams) {
    const report = consoleReport(stdout, env)
    for (const event of events) report.take(event)
    await report.end()
  }
  for (const { render, sink } of filesFor(reports, io)) sink.write(render(streams))
  return checkExitCodes.asExpected
}

/** The events in a file. */
function checkIn(cwd: string, file: string): readonly CheckEvent[] {
  let text: string
  try {
    text = readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw wrongUse(`Cannot read ${oneLine(file)}: ${(error as Error).message}.`)
  }
  try {
    return readCheck(text, oneLine(file))
  } catch (error) {
    throw wrongUse((error as Error).message)
  }
}
