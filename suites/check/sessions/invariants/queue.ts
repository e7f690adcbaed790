// Invariants of submits and of the queue.

import { violations } from '../../../judge/judge.ts'
import { submitReply, submitRefusal } from '../../../../spec/server/workflows.ts'
import { arrayOf, listings, nameOf, outcomeOf, type RunLog, type SessionLog } from '../log.ts'
import { itemFaults } from './history.ts'
import { equal, type Judge, text } from './judge.ts'

/** The valid graphs are accepted, the others rejected, each with the errors of its invalid nodes. */
export const repliesFit: Judge = ({ runs }) =>
  runs.flatMap((run) => {
    const { reply, planned } = run
    if (planned.hasOtherTargets) return []
    const isValid = planned.targets.length > 0
    const { node_errors } = (reply.reply ?? {}) as any
    return [
      equal(`${nameOf(run)}: the status of the submit`, reply.status, isValid ? 200 : 400),
      reply.status === 200 || reply.status === 400
        ? violations(reply.status === 200 ? submitReply : submitRefusal, reply.reply).map(
            (fault) => `${nameOf(run)}: the reply to the submit: ${fault}`,
          )
        : [],
      run.work === 'unknown'
        ? []
        : equal(
            `${nameOf(run)}: the nodes in node_errors`,
            Object.keys(node_errors ?? {}),
            planned.invalid ?? [],
          ),
    ].flat()
  })

/** Each run has a different id. */
export const idsDiffer: Judge = ({ runs }) => {
  const ids = runs.flatMap(({ prompt_id }) => (prompt_id === '' ? [] : [prompt_id]))
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at)
  return [
    twice.map((id) => `Two runs have the id ${id}.`),
    ids
      .filter((id) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
      .map((id) => `The id ${text(id)} is not a UUID.`),
  ].flat()
}

/** The number grows with each submit. */
export const numbersGrow: Judge = ({ runs }) => {
  const numbers = runs.flatMap(
    ({ reply }) => ((reply.reply as any)?.number as number | undefined) ?? [],
  )
  const isGrowing = numbers.every(
    (number, at) => Number.isInteger(number) && number > (numbers[at - 1] ?? -Infinity),
  )
  return isGrowing ? [] : [`The numbers of the runs are ${text(numbers)}.`]
}

const ownIn = (
  log: SessionLog,
  items: readonly any[],
): readonly (readonly [run: RunLog, item: any])[] =>
  items.flatMap((item) => {
    const run = log.runs.find(({ prompt_id }) => prompt_id !== '' && prompt_id === item?.[1])
    return run === undefined ? [] : [[run, item] as const]
  })

/** What is listed is as it was submitted. */
export const itemsFit: Judge = (log) =>
  listings(log).flatMap(({ step, running, pending }) =>
    ownIn(log, [...running, ...pending]).flatMap(([run, item]) =>
      itemFaults(`${nameOf(run)} in the queue (step ${step})`, run, item),
    ),
  )

/** A listing shows each run once, no run that is over, and the waiting ones while one is at work. */
export const listsTheOpen: Judge = (log) =>
  listings(log).flatMap(({ step, running, pending }) => {
    const own = ownIn(log, [...running, ...pending]).map(([run]) => run)
    const late = own.filter(({ over }) => over !== undefined && over < step)
    const working = ownIn(log, running).map(([run]) => run)
    const blocker = working.find(({ work }) => work === 'slow')
    const waiting =
      blocker === undefined || log.deployment === 'hosted'
        ? []
        : log.runs.filter(
            (run) =>
              run.prompt_id !== '' &&
              run.submitted > blocker.submitted &&
              run.submitted < step &&
              (run.deleted ?? Infinity) > step,
          )
    const listed = new Set(ownIn(log, pending).map(([run]) => run))
    return [
      late.map((run) => `${nameOf(run)} is over, and the queue still lists it (step ${step}).`),
      new Set(own).size < own.length ? [`The queue lists a run twice (step ${step}).`] : [],
      waiting
        .filter((run) => !listed.has(run))
        .map((run) => `${nameOf(run)} waits, and the queue does not list it (step ${step}).`),
    ].flat()
  })

/** A run that is at work is listed as running. */
export const listsTheRunning: Judge = (log) =>
  listings(log).flatMap(({ step, running }) => {
    const begun = log.steps.slice(0, step).findLast((one) => one.do === 'begin')
    const run = log.runs.find(
      (one) =>
        begun?.do === 'begin' && one.run === begun.run && one.over !== undefined && one.over > step,
    )
    if (run === undefined || (run.interrupted ?? 0) < step || outcomeOf(log, run) !== 'interrupted')
      return []
    return running.some(([, id]) => id === run.prompt_id)
      ? []
      : [`${nameOf(run)} is at work, and the queue does not list it as running (step ${step}).`]
  })

/** Waiting runs are listed by number. */
export const listedByNumber: Judge = (log) =>
  listings(log).flatMap(({ step, pending }) => {
    const numbers = ownIn(log, pending).map(([, item]) => item[0] as number)
    return equal(
      `the numbers of our waiting runs (step ${step})`,
      numbers,
      numbers.toSorted((left, right) => left - right),
    )
  })

/** Deleted runs are not listed any more; the others still are. */
export const deletedAreGone: Judge = (log) =>
  listings(log).flatMap(({ step, pending }) =>
    ownIn(log, pending)
      .filter(([run]) => run.deleted !== undefined && run.deleted < step)
      .map(([run]) => `${nameOf(run)} was deleted, and the queue still lists it (step ${step}).`),
  )

/** Runs are executed in the order of their numbers: those that were submitted together end in that order. */
export const runInOrder: Judge = (log) => {
  const times = log.runs.flatMap((run) => {
    const start = arrayOf(run.entry?.status?.messages)[0]?.[1]?.timestamp as number | undefined
    return start === undefined ? [] : [start]
  })
  const isSorted = times.every((time, at) => time >= (times[at - 1] ?? 0))
  return isSorted ? [] : [`The runs, in the order of their submits, started at ${text(times)}.`]
}

/** A change of the queue is answered as the spec says. */
export const changesAreAnswered: Judge = ({ exchanges }) =>
  exchanges
    .filter(({ method, path }) => method === 'POST' && (path === '/queue' || path === '/interrupt'))
    .flatMap(({ path, status, step }) =>
      equal(`the status of POST ${path} (step ${step})`, status, 200),
    )
