// The tasks of a hosted account as cases follow them: begun by a request, and over when their last message says so.

import { newTask, task } from '../../../spec/assets/tasks.ts'
import type { Session } from '../client.ts'
import type { Message } from '../judge.ts'
import type { Reply } from '../reply.ts'
import type { Subject } from '../subject.ts'
import type { Library } from './assets.ts'
import { fitting } from './jobs.ts'

/** A URL of a model that no other case names. */
export const urlOf = ({ unique }: Pick<Subject, 'unique'>, name: string): string =>
  `https://models.example/${encodeURIComponent(unique(name).replaceAll('/', '-'))}`

/** The id of the task that a reply names. */
export const taskIn = (reply: Reply): string => fitting(newTask, reply, 202).task_id

export const readTask = async ({ ask }: Library, id: string): Promise<any> =>
  fitting(task, await ask('GET', `/tasks/${id}`))

/** The messages about a task so far. */
export const messagesOf = (session: Session, id: string): readonly Message[] =>
  session.messages().filter(({ data }) => data['task_id'] === id)

/** Waits for the last message about a task, and returns what the task is then. */
export async function ended(
  subject: Subject,
  library: Library,
  session: Session,
  id: string,
): Promise<any> {
  await subject.reach(
    session,
    ({ data: { task_id, status } }) =>
      task_id === id && (status === 'completed' || status === 'failed'),
  )
  return readTask(library, id)
}
