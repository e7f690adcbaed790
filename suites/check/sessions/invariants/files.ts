// Invariants of the files that runs and uploads make.

import { nameOf, outcomeOf, type RunLog, type SessionLog } from '../log.ts'
import { equal, type Judge } from './judge.ts'

/** How a PNG file begins: its signature, and the length and name of its first chunk. */
const pngHead = '89504e470d0a1a0a0000000d49484452'
/** The size of the pictures that sessions make. */
const size = [64, 48]

/** Each file of a run can be read, and is a picture of the size that its graph asked for. */
export const filesAreReadable: Judge = ({ files }) =>
  files
    .filter(({ run }) => run !== undefined)
    .flatMap(({ name, status, contentType, bytes }) => {
      const buffer = Buffer.from(bytes)
      const isPng = buffer.subarray(0, 16).toString('hex') === pngHead
      return [
        equal(`the status of the output ${name}`, status, 200),
        status === 200 ? equal(`the type of the output ${name}`, contentType, 'image/png') : [],
        isPng
          ? equal(`the size of ${name}`, [buffer.readUInt32BE(16), buffer.readUInt32BE(20)], size)
          : [`The output ${name} is not a PNG file.`],
      ].flat()
    })

/** The files of a run are as many as its graph makes, in the folder of its output nodes. */
export const filesAreComplete: Judge = (log) =>
  log.runs.flatMap((run) => {
    if (outcomeOf(log, run) !== 'success' || run.over === undefined) return []
    return Object.values(run.planned.files ?? {}).flatMap(({ count, type }) => {
      const own = log.files.filter((file) => file.run === run.run)
      return [
        equal(`${nameOf(run)}: the number of its files`, own.length, count),
        own.flatMap((file) => equal(`${nameOf(run)}: the folder of ${file.name}`, file.type, type)),
      ].flat()
    })
  })

const namesOf = (log: SessionLog, run: RunLog): readonly string[] =>
  log.files.filter((file) => file.run === run.run).map(({ type, name }) => `${type} ${name}`)

/** Graphs that differ make files of different names. */
export const namesDiffer: Judge = (log) => {
  const saved = log.runs.filter(({ work }) => work === 'picture' || work === 'preview')
  return saved.flatMap((run, at) =>
    saved
      .slice(0, at)
      .filter(({ work, variant }) => work !== run.work || variant !== run.variant)
      .flatMap((before) => namesOf(log, before).filter((name) => namesOf(log, run).includes(name)))
      .map((name) => `${nameOf(run)} has the file ${name} of an earlier run.`),
  )
}

/** An upload is read as it was sent. */
export const uploadsReturn: Judge = ({ files }) =>
  files.flatMap(({ sent, status, bytes, name }) => {
    if (sent === undefined) return []
    const isSame = status === 200 && Buffer.compare(Buffer.from(bytes), Buffer.from(sent)) === 0
    return isSame
      ? []
      : [
          `The upload ${name} of ${sent.length} bytes is read as ${bytes.length} bytes with status ${status}.`,
        ]
  })
