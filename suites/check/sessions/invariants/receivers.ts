// Invariants of who receives what.

import type { Message } from '../../../judge/judge.ts'
import {
  audienceOf,
  between,
  isAbout,
  messagesOn,
  nameOf,
  outcomeOf,
  type SessionLog,
  type SocketLog,
  terminals,
} from '../log.ts'
import { equal, type Judge, text } from './judge.ts'

/** What everyone receives of a run without a client. */
const ofNobody: ReadonlySet<string> = new Set([
  'progress_state',
  'progress',
  'execution_interrupted',
])

/** On local the messages of a run go to its client alone; those of a run without one are known. */
export const onlyOwnClient: Judge = ({ runs, sockets }) =>
  runs.flatMap((run) =>
    sockets.flatMap((socket) => {
      if (run.prompt_id === '' || socket.client === run.client) return []
      const foreign = messagesOn(socket).filter(isAbout(run))
      const wrong =
        run.client === null ? foreign.filter(({ type }) => !ofNobody.has(type)) : foreign
      return wrong
        .slice(0, 1)
        .map(
          ({ type }) =>
            `${nameOf(run)} of client ${run.client}: client ${socket.client} received its ${type}.`,
        )
    }),
  )

/** A run without a client sends its progress to everyone. */
export const nobodysProgress: Judge = ({ runs, sockets }) =>
  runs.flatMap((run) => {
    if (run.client !== null || run.over === undefined) return []
    return sockets
      .filter(
        ({ opened, closed, replaced }) =>
          opened < run.submitted &&
          Math.min(closed ?? Infinity, replaced ?? Infinity) > (run.over ?? 0),
      )
      .filter(
        (socket) =>
          !messagesOn(socket)
            .filter(isAbout(run))
            .some(({ type }) => type === 'progress_state'),
      )
      .map(
        ({ client }) =>
          `${nameOf(run)} without a client: client ${client} received no progress_state.`,
      )
  })

/** On hosted all sockets of an account receive the same messages of a run. */
export const allReceive: Judge = (log) =>
  log.runs.flatMap((run) => {
    if (run.prompt_id === '' || outcomeOf(log, run) === 'any') return []
    const [first, ...others] = audienceOf(log, run).map((socket) => ({
      client: socket.client,
      texts: messagesOn(socket)
        .filter(isAbout(run))
        .map((message) => JSON.stringify(message)),
    }))
    return others.flatMap(({ client, texts }) =>
      equal(`${nameOf(run)}: the messages of client ${client}`, texts, first?.texts),
    )
  })

const statusesOf = (messages: readonly Message[]): readonly number[] =>
  messages.flatMap(({ type, data }) =>
    type === 'status' && !('sid' in data)
      ? [(data['status'] as any)?.exec_info?.queue_remaining as number]
      : [],
  )

/** All sockets that are open at a time receive the same statuses. */
export const statusToAll: Judge = (log) => {
  if (log.isShared) return []
  const last = log.steps.length + 1
  const open = log.sockets.filter(
    ({ closed, replaced }) => closed === undefined && replaced === undefined,
  )
  const [longest, ...others] = open.toSorted((left, right) => left.opened - right.opened)
  return others.flatMap((socket) =>
    equal(
      `the statuses of client ${socket.client} since step ${socket.opened + 1}`,
      statusesOf(between(socket, socket.opened + 1, last)),
      statusesOf(between(longest as SocketLog, socket.opened + 1, last)),
    ),
  )
}

/** A run sends a status when it is queued, when it starts and when it is over, and meanwhile counts itself. */
export const statusOfRuns: Judge = (log) =>
  log.runs.flatMap((run) => {
    const [socket] = audienceOf(log, run)
    const ends = run.over
    if (
      socket === undefined ||
      ends === undefined ||
      !['success', 'error'].includes(outcomeOf(log, run))
    )
      return []
    const all = between(socket, run.submitted, ends + 1)
    const start = all.findIndex((one) => one.type === 'execution_start' && isAbout(run)(one))
    const end = all.findLastIndex(
      (one) => isAbout(run)(one) && /^execution_(success|error)$/.test(one.type),
    )
    if (start < 0 || end < 0) return []
    const whole = statusesOf(all)
    const during = statusesOf(all.slice(start, end))
    return [
      whole.length < 3
        ? [`${nameOf(run)}: only ${whole.length} statuses came between its submit and its end.`]
        : [],
      during.some((count) => count < 1)
        ? [`${nameOf(run)}: a status while it ran counts ${text(during)} runs.`]
        : [],
      statusesOf(all.slice(0, start)).length < 1
        ? [`${nameOf(run)}: no status came when it was queued.`]
        : [],
    ].flat()
  })

/** A status never counts fewer than our waiting runs, and none when all is over. */
export const statusAtRest: Judge = (log) => {
  if (log.isShared) return []
  return log.sockets.flatMap((socket) => {
    if (socket.closed !== undefined || socket.replaced !== undefined) return []
    const counts = statusesOf(messagesOn(socket))
    return [
      equal(
        `the last status of client ${socket.client}, when all runs are over`,
        counts.at(-1) ?? 0,
        0,
      ),
      alone(log, socket),
    ].flat()
  })
}

/** A run that is alone counts 1 until it is over, and then 0. */
const alone = (log: SessionLog, socket: SocketLog): readonly string[] =>
  log.runs.flatMap((run) => {
    const { submitted, over } = run
    const isAlone =
      log.steps[submitted + 1]?.do === 'rest' &&
      over === submitted + 1 &&
      socket.opened < submitted &&
      log.runs.every(
        (one) =>
          one === run ||
          one.prompt_id === '' ||
          one.submitted > submitted ||
          (one.over ?? Infinity) < submitted,
      )
    if (!isAlone || outcomeOf(log, run) !== 'success') return []
    const counts = statusesOf(between(socket, submitted, over + 1))
    return equal(
      `${nameOf(run)}, which ran alone: its statuses at client ${socket.client}`,
      [...new Set(counts)],
      [1, 0],
    )
  })

/** The highest count while runs wait behind a slow one is that of all of them. */
export const statusCountsAll: Judge = (log) =>
  log.runs.flatMap((run) => {
    const { interrupted, submitted, over } = run
    const [socket] = audienceOf(log, run)
    if (log.isShared || socket === undefined || interrupted === undefined || over === undefined)
      return []
    if (outcomeOf(log, run) !== 'interrupted') return []
    const open = log.runs.filter(
      (one) => one.prompt_id !== '' && one.submitted >= submitted && one.submitted < interrupted,
    )
    const counts = statusesOf(between(socket, submitted, over + 1))
    return equal(`${nameOf(run)}: the highest status`, Math.max(0, ...counts), open.length)
  })

/** The first message on a socket is the status with its sid; on local that is the id of the client. */
export const beginsWithSid: Judge = ({ sockets, deployment }) =>
  sockets.flatMap((socket) => {
    const [first] = messagesOn(socket)
    const sid = first?.data['sid']
    return first?.type === 'status' &&
      (deployment === 'hosted' ? typeof sid === 'string' : sid === socket.clientId)
      ? []
      : [`The first message of client ${socket.client} (${socket.clientId}) is ${text(first)}.`]
  })

/** An older socket of a client receives nothing once a newer one is open. */
export const olderIsSilent: Judge = (log) =>
  log.sockets.flatMap((socket) => {
    if (socket.replaced === undefined) return []
    const late = between(socket, socket.replaced + 1, log.steps.length + 1)
    return late.length === 0
      ? []
      : [`The older socket of client ${socket.client} received ${text(late[0])}.`]
  })

/** A client that connects again receives its further runs on the newest socket. */
export const newestReceives: Judge = (log) =>
  log.sockets
    .filter(({ client, opened }) =>
      log.sockets.some((one) => one.client === client && one.opened < opened),
    )
    .flatMap((socket) =>
      log.runs
        .filter((run) => run.client === socket.client && audienceOf(log, run).includes(socket))
        .filter((run) => outcomeOf(log, run) === 'success')
        .filter(
          (run) =>
            !messagesOn(socket).some(
              (one) => one.type === 'execution_success' && isAbout(run)(one),
            ),
        )
        .map(
          (run) =>
            `${nameOf(run)}: client ${socket.client}, which had connected again, did not receive its end.`,
        ),
    )

/** A client that connects during its run receives executing with the current node. */
export const reconnectIsTold: Judge = (log) =>
  log.runs.flatMap((run) => {
    if (run.work !== 'slow') return []
    return (
      log.sockets
        .filter(
          ({ client, opened }) =>
            client === run.client && opened > run.submitted && opened < (run.interrupted ?? 0),
        )
        // It was still at work if this socket received its interruption.
        .filter((socket) =>
          messagesOn(socket).some((one) => one.type === terminals.interrupted && isAbout(run)(one)),
        )
        .filter((socket) => {
          const [, second] = messagesOn(socket)
          return second?.type !== 'executing' || typeof second.data['node'] !== 'string'
        })
        .map(
          (socket) =>
            `${nameOf(run)}: client ${socket.client}, which connected while it ran, received ${text(messagesOn(socket)[1])} instead of executing.`,
        )
    )
  })
