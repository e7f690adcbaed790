// What a hosted account has beside its runs and files, as cases use it: saved workflows and published ones.

import { savedWorkflow } from '../../../spec/accounts/saved-workflows.ts'
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
export async function workflowsOf(subject: Subject) {
  await needs(subject, '/workflows')
  const { post, request } = subject
  return {
    path: (id: string, more = ''): string => `/workflows/${id}${more}`,
    /** Saves a workflow, which has to succeed. */
    save: async (name: string, more: object = {}): Promise<any> => {
      const body = { name: subject.unique(name), workflow_json: { name }, ...more }
      return fitting(savedWorkflow, await post('/workflows', body), 201)
    },
    patch: (path: string, value: unknown): Promise<Reply> =>
      request('PATCH', path, JSON.stringify(value), { 'Content-Type': 'application/json' }),
  }
}
