// How cases read the history of a hosted server.

import { hostedHistory, hostedHistoryById } from '../../../spec/server/history.ts'
import type { Subject } from '../subject.ts'
import { fitting } from './jobs.ts'

/** The entries that the history lists, newest first. */
export const historyOf = async ({ get }: Subject, query = ''): Promise<any[]> =>
  fitting(hostedHistory, await get(`/history${query}`)).history
/** Their ids. */
export const idsOf = async (subject: Subject, query = ''): Promise<string[]> =>
  (await historyOf(subject, query)).map(({ prompt_id }) => prompt_id)
/** The entry of a run. */
export const entryOf = async ({ get }: Subject, id: string) =>
  fitting(hostedHistoryById, await get(`/history/${id}`))[id]
