// Recordings of a server while faults are played, and what a client sees of its answers.

import { type IncomingMessage, request as send } from 'node:http'
import { type Emulator, startEmulator } from 'flowdouble'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { newFiles } from '../files.ts'
import { forTest } from '../for-test.ts'
import { recorded, type RecordResult } from './recording.ts'

/** The file of a scenario. */
export const scenarioFile = (scenario: object): string =>
  newFiles({ 'faults.json': JSON.stringify({ version: 1, ...scenario }) }).path('faults.json')

/** A recording of a server while these faults are played. */
export const faulty = (
  url: string,
  faults: readonly Fault[],
  session: (url: string) => Promise<void>,
  ...flags: readonly string[]
): Promise<RecordResult> => recorded(url, session, '--scenario', scenarioFile({ faults }), ...flags)

/** A world with an instant clock, until the test is over. */
export const quietWorld = (faults: readonly Fault[] = [], seed = '7'): Promise<Emulator> =>
  forTest(startEmulator({ clock: 'instant', seed, scenario: { version: 1, faults: [...faults] } }))

/** What a client sees of a request: the status and the body, as far as it comes. */
export const asked = (url: string, method = 'GET'): Promise<string> =>
  new Promise((resolve) => {
    let body = Buffer.alloc(0)
    let status = 'none'
    const call = send(url, { method, agent: false }, (response: IncomingMessage) => {
      status = `${response.statusCode} ${response.headers['retry-after'] ?? ''}`
      response.on('data', (chunk: Buffer) => (body = Buffer.concat([body, chunk])))
      response.on('error', (error) => resolve(`${status} ${body.toString()} ${error.message}`))
      response.on('end', () => resolve(`${status} ${body.toString()}`))
    })
    call.on('error', (error: NodeJS.ErrnoException) => resolve(`${status} ${error.code}`))
    call.end()
  })
