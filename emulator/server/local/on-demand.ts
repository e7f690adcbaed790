// What most requests do not need loads with the first one that does, so that a server starts fast: submitting and
// executing workflows, and the paths of assets. `provide-on-demand.ts` provides it when it loads.

import { assetEndpoints } from '../../../spec/server/endpoints.ts'
import type { Worker } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import type { Handler } from './handler.ts'

type AssetEndpoint = keyof typeof assetEndpoints

type OnDemand = {
  readonly submit: Handler
  readonly advance: (world: World, worker: Worker) => void
  readonly assetHandlers: Readonly<Record<AssetEndpoint, Handler>>
}

let loaded: OnDemand | undefined

/** Provides these parts. */
export const provide = (parts: OnDemand): void => {
  loaded = parts
}

function parts(): OnDemand {
  if (loaded === undefined) throw new Error('A run starts before provide-on-demand.ts is loaded.')
  return loaded
}

/** Whether a request can need these parts, or pictures. */
export const isOnDemand = (method: string, target: string): boolean =>
  method === 'POST' || /\/(?:(?:pre)?view|assets|tags)/.test(target)

/** Answers a submit. Throws if these parts are not loaded, like the functions below. */
export const submit: Handler = (world, request) => parts().submit(world, request)

/** Continues the work of a worker. */
export const advance: OnDemand['advance'] = (world, worker) => parts().advance(world, worker)

/** Answers a request to the path of an asset. */
export const assetHandlers = Object.fromEntries(
  Object.keys(assetEndpoints).map((name): [string, Handler] => [
    name,
    (world, request) => parts().assetHandlers[name as AssetEndpoint](world, request),
  ]),
) as OnDemand['assetHandlers']
