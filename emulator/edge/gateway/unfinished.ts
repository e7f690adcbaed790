// The bodies of which a part has come: the memory that they hold together, and how long each of them may take.

import type { BodyResult } from '../node/bodies.ts'
import type { Bounds } from './bounds.ts'

/** The bound that a body has met. */
export type BodyBound = NonNullable<BodyResult['bound']>

/** A body that is being received. */
export type Unfinished = {
  /** Notes that more of it has come, so that it holds this many bytes of memory. */
  readonly holds: (bytes: number) => void
  readonly end: () => void
}

export type UnfinishedBodies = {
  /** Begins a body. Calls back, at most once and never before it returns, if the body has to go. */
  readonly begin: (refuse: (bound: BodyBound) => void) => Unfinished
  readonly stop: () => void
}

type Body = {
  bytes: number
  readonly startedMs: number
  progressMs: number
  readonly refuse: (bound: BodyBound) => void
}

/** How often to look for slow bodies, as a part of the pause that they may make. */
const LOOKS = 8

/** @param nowMs a monotonic clock. */
export function createUnfinishedBodies(
  { unfinishedBytes, bodyPauseMs, bodyMs }: Bounds,
  nowMs: () => number,
): UnfinishedBodies {
  /** In the order of their latest progress: the first one stalls longest. */
  const bodies = new Set<Body>()
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  const remove = (body: Body): void => {
    if (bodies.delete(body)) bytes -= body.bytes
  }
  const refuse = (body: Body, bound: BodyBound): void => {
    remove(body)
    body.refuse(bound)
  }
  const look = (): void => {
    timer = undefined
    const now = nowMs()
    for (const body of bodies) {
      const isSlow = now - body.progressMs >= bodyPauseMs || now - body.startedMs >= bodyMs
      if (isSlow) refuse(body, 'slow-body')
    }
    arm()
  }
  /** One timer for all: most bodies have ended long before it fires. */
  const arm = (): void => {
    if (timer === undefined && bodies.size > 0)
      timer = setTimeout(look, Math.ceil(Math.min(bodyPauseMs, bodyMs) / LOOKS)).unref()
  }
  /** A fast sender is not held up by those that stall, however many they are. */
  const makeRoom = (): void => {
    for (const body of bodies) {
      if (bytes <= unfinishedBytes) return
      refuse(body, 'unfinished-bodies')
    }
  }
  return {
    begin: (refused) => {
      const startedMs = nowMs()
      const body: Body = { bytes: 0, startedMs, progressMs: startedMs, refuse: refused }
      bodies.add(body)
      arm()
      return {
        holds: (held) => {
          if (!bodies.delete(body)) return
          bodies.add(body)
          body.progressMs = nowMs()
          bytes += held - body.bytes
          body.bytes = held
          if (bytes > unfinishedBytes) makeRoom()
        },
        end: () => remove(body),
      }
    },
    stop: () => clearTimeout(timer),
  }
}
