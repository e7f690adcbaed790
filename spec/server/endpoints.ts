// Which endpoints a server has: the part of the spec that routing needs.

import { described, type Generation, holdsIn } from '../generations.ts'
import type { Deployment, Endpoint } from '../language.ts'
import {
  assetEndpoints,
  endpoints,
  managerEndpoints,
  oauthEndpoints,
  partnerEndpoints,
  routerEndpoints,
  v2Endpoints,
} from './all-endpoints.ts'

export {
  assetEndpoints,
  endpoints,
  managerEndpoints,
  oauthEndpoints,
  partnerEndpoints,
  routerEndpoints,
  v2Endpoints,
}
export type RouterEndpointName = keyof typeof routerEndpoints
export type PartnerEndpointName = keyof typeof partnerEndpoints
export type OauthEndpointName = keyof typeof oauthEndpoints
export type V2EndpointName = keyof typeof v2Endpoints
/** The names of the endpoints of the hosted API itself. */
export type V1EndpointName = Exclude<
  EndpointOn<'hosted'>,
  V2EndpointName | RouterEndpointName | PartnerEndpointName | OauthEndpointName
>
export type EndpointName = keyof typeof endpoints

/** Names of the endpoints that a deployment has. */
export type EndpointOn<D extends Deployment> = {
  [Name in EndpointName]: D extends (typeof endpoints)[Name]['on'][number] ? Name : never
}[EndpointName]

/** Names of the endpoints that only later generations of local servers have. */
export type LaterName = {
  [Name in EndpointName]: (typeof endpoints)[Name] extends { readonly since: Generation }
    ? Name
    : never
}[EndpointName]

/** The endpoints of a deployment by name; of a local server those that its generation has. */
export const endpointsOn = (
  deployment: Deployment,
  generation: Generation = described,
): readonly (readonly [EndpointName, Endpoint])[] =>
  (Object.entries(endpoints) as [EndpointName, Endpoint][]).filter(
    ([, one]) => one.on.includes(deployment) && holdsIn(generation, one),
  )
