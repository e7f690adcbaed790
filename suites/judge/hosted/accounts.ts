// What a hosted account has beside its runs and files, as cases use it: saved workflows and published ones.

import { savedWorkflow } from '../../../spec/accounts/saved-workflows.ts'
import { proves, type ServerRuleId } from '../proves.ts'
import type { Reply } from '../reply.ts'
import { missing } from '../skip.ts'
import type { Subject } from '../subject.ts'
import { fitting } from './jobs.ts'

/** Ends the case on a hosted server that does not serve a path which it should list. */
export const needs = async (subject: Subject, path: string): Promise<void> => {
  const status = await subject.once(
    `status of ${path}`,
    async () => (await subject.get(path)).status,
  )
  if (status === 404) throw missing(`The server does not have ${path}.`)
}

/** Requests about saved workflows, each with the name that a case chooses made unique. */
export type Saved = {
  readonly path: (id: string, more?: string) => string
  /** Saves a workflow, which has to succeed. */
  readonly save: (name: string, more?: object) => Promise<any>
  readonly patch: (path: string, value: unknown) => Promise<Reply>
}

export async function workflowsOf(subject: Subject): Promise<Saved> {
  await needs(subject, '/workflows')
  const { post, request } = subject
  return {
    path: (id, more = '') => `/workflows/${id}${more}`,
    save: async (name, more = {}) => {
      const body = { name: subject.unique(name), workflow_json: { name }, ...more }
      return fitting(savedWorkflow, await post('/workflows', body), 201)
    },
    patch: (path, value) =>
      request('PATCH', path, JSON.stringify(value), { 'Content-Type': 'application/json' }),
  }
}

/** Declares a case about saved workflows, which removes those of its names from a server elsewhere. */
export const provesSaved = (
  ids: ServerRuleId | readonly ServerRuleId[],
  body: (subject: Subject, saved: Saved) => Promise<void>,
): void =>
  proves(ids, async (subject) => {
    const saved = await workflowsOf(subject)
    try {
      await body(subject, saved)
    } finally {
      if (!subject.isOwn) await removeAll(subject)
    }
  })

async function removeAll({ get, request, unique }: Subject): Promise<void> {
  const { data } = (await get(`/workflows?limit=100&name=${encodeURIComponent(unique(''))}`)).json()
  for (const { id } of data) await request('DELETE', `/workflows/${id}`)
}
