// Which rules are behind the answers of the Router (see spec/answers.ts).

import type { RuleId } from '../rules.ts'
import type { RouterEndpointName } from '../server/endpoints.ts'
import type { routerRefusals } from './errors.ts'

type Ids = readonly RuleId[]

export const routerAnswers: Readonly<Record<RouterEndpointName, Ids>> = {
  routerModels: ['router/list', 'router/list-pages', 'router/list-limit'],
  routerModel: ['router/detail'],
  routerDocument: ['router/document', 'router/document-tag', 'router/document-cache'],
  routerRun: [
    'router-runs/output',
    'router-runs/strict',
    'router-runs/result-headers',
    'router-runs/replay',
  ],
  routerEstimate: ['router-runs/estimate'],
  routerSubmit: ['router-queue/submit', 'router-queue/addresses', 'router-queue/key'],
  routerStatus: ['router-queue/states', 'router-queue/position', 'router-queue/pace'],
  routerResult: ['router-queue/result', 'router-queue/not-ready'],
  routerCancel: [
    'router-queue/cancel-queued',
    'router-queue/cancel-running',
    'router-queue/cancel-over',
  ],
}

export const refusalsOfRouter: Readonly<Record<keyof typeof routerRefusals, Ids>> = {
  unauthorized: ['router/key-refusal', 'router/header-key-first'],
  forbidden: ['router/free-tier'],
  modelNotFound: ['router/unknown-model', 'router/suggestions', 'router/unknown-path'],
  modelRetired: ['scenario/model-retired'],
  methodNotAllowed: ['router/unknown-path'],
  badCursor: ['router/list-cursor'],
  invalidInput: ['router-runs/bad-body', 'router-runs/key-form', 'router-runs/provider'],
  tooLarge: ['router-runs/body-limit'],
  notAnObject: ['router-runs/bad-body'],
  insufficientCredits: ['router-runs/no-credits'],
  tooManyCalls: ['router-runs/concurrency'],
  keyInFlight: ['router-runs/key-in-flight'],
  keyUnusable: ['router-runs/key-of-another', 'router-runs/links-replay', 'router-runs/key-kept'],
  deadlineExceeded: ['router-runs/deadline'],
  bytesNotQueued: ['router-queue/bytes'],
  backlogFull: ['router-queue/backlog'],
  requestNotFound: ['router-queue/unknown'],
  requestGone: ['router-queue/retention'],
  cancelled: ['router-queue/cancel-queued', 'router-queue/cancel-running'],
  queueTimeout: ['router-queue/timeout'],
}
