// The rules about one member of a reply or a message, which are behind it besides those of the whole.

import type { Ids } from '../../../spec/answers.ts'

/** By the beginning of the name of a member, which begins with the endpoint or the type of the message. */
const table: Readonly<Record<string, Ids>> = {
  'localJobs.jobs.priority': ['local-jobs/listing-fields'],
  'localJobs.jobs.outputs_count': ['local-jobs/outputs-count'],
  'localJob.priority': ['local-jobs/listing-fields'],
  'v2Submit.queue_position': ['v2-jobs/position'],
  'v2Job.queue_position': ['v2-jobs/position'],
  'v2Job.outputs': ['v2-jobs/outputs'],
  'v2Job.urls': ['v2-jobs/links'],
  'v2Submit.urls': ['v2-jobs/links'],
  'notification.prompt_id': ['messages/hosted-names-run'],
  'executing.prompt_id': ['messages/hosted-names-run'],
  'progress.prompt_id': ['messages/hosted-names-run'],
  'uploadAsset.user_metadata': ['assets/upload-fields'],
  'execution_error.executed': ['messages/error-details'],
  'execution_error.current_inputs': ['messages/error-inputs'],
  'execution_error.exception_type': ['runs/local-exception-names', 'runs/exception-words'],
}

export const memberRules = (name: string): Ids =>
  Object.entries(table).flatMap(([start, ids]) => (name.startsWith(start) ? ids : []))
