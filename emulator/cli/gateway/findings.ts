// What the doctor finds, one finding for each thing that is wrong, or for a check where all is well.

import type { DoctorCheck, findingStatuses } from '../../../spec/gateway/doctor.ts'
import type { Fault } from '../../gateway/route-checks.ts'

/** What a check has found. `why` and `mend` are null if nothing has to be done. */
export type Finding = {
  readonly check: DoctorCheck
  readonly status: (typeof findingStatuses)[number]
  /** A sentence without its full stop. */
  readonly what: string
  readonly why: string | null
  readonly mend: string | null
}

export const ok = (check: DoctorCheck, what: string): Finding => ({
  check,
  status: 'ok',
  what,
  why: null,
  mend: null,
})
/** @param mend how to have it examined, if there is a way. */
export const skipped = (check: DoctorCheck, what: string, mend: string | null = null): Finding => ({
  check,
  status: 'skipped',
  what,
  why: null,
  mend,
})
export const problem = (check: DoctorCheck, { what, why, mend }: Fault): Finding => ({
  check,
  status: 'problem',
  what,
  why,
  mend,
})
export const note = (check: DoctorCheck, fault: Fault): Finding => ({
  ...problem(check, fault),
  status: 'note',
})

/** The problems of a check, or that all is well. */
export const problemsOr = (
  check: DoctorCheck,
  faults: readonly Fault[],
  what: string,
): readonly Finding[] =>
  faults.length === 0 ? [ok(check, what)] : faults.map((fault) => problem(check, fault))
