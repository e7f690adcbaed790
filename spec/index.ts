// The protocol as a whole: all areas together.

export { controlEndpoints } from './control.ts'
export { areas, type RuleId, rules } from './rules.ts'
export { localDifferences } from './truth/differences/local.ts'
export { hostedDifferences } from './truth/differences/hosted.ts'
export { gatewayDifferences, gatewaySilences } from './truth/differences/gateway.ts'
export { silences } from './truth/differences/silent.ts'
export { endpoints, type EndpointName } from './server/endpoints.ts'
export * as errors from './server/errors.ts'
export { profiles } from './server/deployments.ts'
export { frames } from './server/frames.ts'
export { limits } from './limits.ts'
export { messages, receivers } from './server/messages.ts'
export { order } from './server/order.ts'
export { quirks } from './truth/quirks.ts'
export { statements, type StatementId } from './truth/statements.ts'
export {
  endpoints as gatewayEndpoints,
  gatewayAddress,
  gatewayRefusals,
  outcomes,
} from './gateway/webhooks.ts'
