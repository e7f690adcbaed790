// What a receiver does by itself: answers of the scripted agent, further attempts, and the end of patience.

import { popHeap, pushHeap } from '../lib/heap.ts'
import { type Due, nextSerial, type Receiver } from './state.ts'

const isTimeOut = (due: Due): boolean => due.kind.endsWith('-time-out')

/** Time-outs come first among what is due at one moment, so that whoever must not jump to them sees them. */
function isBefore(a: Due, b: Due): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs
  if (isTimeOut(a) !== isTimeOut(b)) return isTimeOut(a)
  return a.serial < b.serial
}

type Planned = Due extends infer D ? (D extends Due ? Omit<D, 'atMs' | 'serial'> : never) : never

/** Plans something for so many milliseconds from now. */
export function plan(receiver: Receiver, afterMs: number, what: Planned): void {
  const due = { ...what, atMs: receiver.nowMs + afterMs, serial: nextSerial(receiver) }
  pushHeap(receiver.dues, due, isBefore)
}

/** Whether something is still to be done. Nobody waits for what is over. */
const isAlive = ({ running, attempts }: Receiver, due: Due): boolean =>
  'run' in due ? running.has(due.run) : attempts.has(due.attempt)

/** What is due next; undefined where nothing is. */
export function nextDue(receiver: Receiver): Due | undefined {
  const { dues } = receiver
  while (dues[0] !== undefined && !isAlive(receiver, dues[0])) popHeap(dues, isBefore)
  return dues[0]
}

/** Whether the receiver does nothing before it gives up an agent or a sender that is at work. */
export function isPatient(receiver: Receiver): boolean {
  const due = nextDue(receiver)
  return due !== undefined && isTimeOut(due)
}

/** Takes what is due next if it is until then. */
export function takeDue(receiver: Receiver, untilMs: number): Due | undefined {
  const due = nextDue(receiver)
  if (due === undefined || due.atMs > untilMs) return undefined
  popHeap(receiver.dues, isBefore)
  return due
}
