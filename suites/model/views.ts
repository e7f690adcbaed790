// How a server presents the state of the model: an account with the names of its runs and files, and the differences by
// deployment.

import type { Deployment } from '../../spec/language.ts'
import type { Session } from '../judge/client.ts'
import { viewPath } from '../generate/form.ts'
import { listOf } from '../judge/hosted/jobs.ts'
import type { Message } from '../judge/judge.ts'
import { fetchFile } from '../judge/hosted/links.ts'
import type { AccountModel } from './model.ts'
import type { Subject } from '../judge/subject.ts'
import type { Reply } from '../judge/reply.ts'
import type { Outcome } from './deployments.ts'
import { expect } from '../judge/expect.ts'

/** An account as its client knows it. Runs and files have names in the model, and names from the server. */
export type AccountClient = {
  readonly subject: Subject
  readonly sessions: Map<string, Session>
  /** The id of the run with this name; the name itself without one. */
  readonly idOf: (name: string) => string
  readonly nameOf: (id: string) => string
  /** From now on this id belongs to this run. Fails if it belongs to another. */
  readonly name: (id: string, name: string) => void
  readonly fileOf: (name: string) => string
  readonly nameFile: (filename: string, name: string) => void
}

/** Pairs of names; on local both are the same. */
function createNames(deployment: Deployment) {
  const given = new Map<string, string>()
  const own = new Map<string, string>()
  return {
    givenOf: (name: string) => given.get(name) ?? name,
    nameOf: (one: string) => own.get(one) ?? one,
    pair: (one: string, name: string): void => {
      expect([own.get(one) ?? name, given.get(name) ?? one]).toEqual([name, one])
      expect(one === name).toBe(deployment === 'local')
      given.set(name, one)
      own.set(one, name)
    },
  }
}

export function createAccountClient(subject: Subject): AccountClient {
  const runs = createNames(subject.deployment)
  const files = createNames(subject.deployment)
  return {
    subject,
    sessions: new Map(),
    idOf: runs.givenOf,
    nameOf: runs.nameOf,
    name: runs.pair,
    fileOf: files.givenOf,
    nameFile: files.pair,
  }
}

export type Responses = {
  /** The entries of the history, in order. */
  readonly entries: (body: any) => readonly (readonly [id: string, entry: any])[]
  /** Compares the jobs with the model. */
  readonly jobs: (model: AccountModel, own: AccountClient) => Promise<void>
  /** Checks the answer to a change of the queue. */
  readonly removed: (
    reply: Reply,
    result: { readonly deleted: readonly string[]; readonly cleared: boolean },
  ) => void
  /** Checks the first messages of a client; `ids` are the runs of which it must be notified. */
  readonly hello: (messages: readonly Message[], client: string, ids: readonly string[]) => void
  /** The content of a file; undefined if it does not exist. */
  readonly content: (subject: Subject, filename: string) => Promise<string | undefined>
}

const words: Readonly<Record<Outcome | 'running' | 'pending', string>> = {
  pending: 'pending',
  running: 'in_progress',
  success: 'completed',
  error: 'failed',
  interrupted: 'cancelled',
  removed: 'cancelled',
}

const view = (filename: string): string => viewPath({ filename, type: 'input' })

export const responsesOn: Readonly<Record<Deployment, Responses>> = {
  local: {
    entries: (body) => Object.entries(body),
    jobs: async () => {},
    removed: ({ status, text }) => expect({ status, text }).toEqual({ status: 200, text: '' }),
    hello: ([first, ...more], client, ids) => {
      expect(first?.data['sid']).toBe(client)
      expect(more).toEqual(ids.map(() => ({ type: 'executing', data: { node: '1' } })))
    },
    content: async ({ get }, filename) => {
      const { status, text } = await get(view(filename))
      if (status === 200) return text
      expect({ status, text }).toEqual({ status: 404, text: '' })
      return undefined
    },
  },
  hosted: {
    entries: ({ history }) => history.map((entry: any) => [entry.prompt_id, entry]),
    jobs: async (model, { subject, nameOf }) => {
      const { jobs } = await listOf(subject)
      expect(jobs.map(({ id, status }: any) => [nameOf(id), status])).toEqual(
        model.jobs().map(([name, state]) => [name, words[state]]),
      )
    },
    removed: ({ status, json }, result) =>
      expect({ status, json: json() }).toEqual({ status: 200, json: result }),
    hello: ([first, ...more], client, ids) => {
      expect(first?.data['sid']).not.toBe(client)
      expect(more).toEqual(
        ids.map((prompt_id) => ({ type: 'executing', data: { node: '1', prompt_id } })),
      )
    },
    content: async (subject, filename) => {
      const { status } = await subject.get(view(filename))
      return status === 404 ? undefined : (await fetchFile(subject, filename)).toString()
    },
  },
}
