// The list of saved workflows [saved-workflows/list*]: filters, sorts and cuts a page.

import {
  type savedWorkflows as savedWorkflowsSchema,
  workflowOrders,
  workflowPages,
  workflowViews,
} from '../../../../spec/accounts/saved-workflows.ts'
import type { Static } from '../../../../spec/static.ts'
import { badRequest, json, type Reply } from '../../../http/replies.ts'
import { parameter, type Request, wholeNumber } from '../../../http/requests.ts'
import type { SavedWorkflow } from '../../state/accounts.ts'
import type { HostedWorld } from '../../state/world.ts'
import { accountStateOf } from './account-state.ts'
import { describeWorkflow } from './workflow-text.ts'

type ListQuery = {
  readonly limit: number
  readonly offset: number
  /** In lower case; empty for any. */
  readonly name: string
  readonly view: string | undefined
  readonly sort: (typeof workflowOrders)[number]
  readonly isAscending: boolean
}

const { most, usual } = workflowPages

/** The query, or the name of the parameter with an invalid value. */
function readQuery(query: string): ListQuery | string {
  const limit = wholeNumber(parameter(query, 'limit') ?? `${usual}`, 1, most)
  if (limit === undefined) return 'limit'
  const offset = wholeNumber(parameter(query, 'offset') ?? '0', 0, Number.MAX_SAFE_INTEGER)
  if (offset === undefined) return 'offset'
  const view = parameter(query, 'default_view')
  if (view !== undefined && !workflowViews.some((word) => word === view)) return 'default_view'
  const named = parameter(query, 'sort') ?? 'create_time'
  const sort = workflowOrders.find((word) => word === named)
  if (sort === undefined) return 'sort'
  const order = parameter(query, 'order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') return 'order'
  const name = (parameter(query, 'name') ?? '').toLowerCase()
  return { limit, offset, name, view, sort, isAscending: order === 'asc' }
}

const createdMs = ({ versions }: SavedWorkflow): number => versions[0]?.createdMs ?? 0

/** How two workflows are sorted; 0 leaves them in the order in which they were saved. */
const orders: Readonly<
  Record<ListQuery['sort'], (one: SavedWorkflow, other: SavedWorkflow) => number>
> = {
  create_time: (one, other) => createdMs(one) - createdMs(other),
  update_time: (one, other) => one.updatedMs - other.updatedMs,
  name: (one, other) => compareTexts(one.name ?? '', other.name ?? ''),
}

const compareTexts = (one: string, other: string): number =>
  one === other ? 0 : one < other ? -1 : 1

export function savedWorkflows(world: HostedWorld, { query }: Request): Reply {
  const wanted = readQuery(query)
  if (typeof wanted === 'string')
    return badRequest(`The parameter ${wanted} cannot have that value.`)
  const { limit, offset, name, view, sort, isAscending } = wanted
  const found = [...accountStateOf(world).workflows.values()]
    .filter((one) => (one.name ?? '').toLowerCase().includes(name))
    .filter((one) => view === undefined || one.view === view)
    .sort(orders[sort])
  if (!isAscending) found.reverse()
  const page = found.slice(offset, offset + limit)
  const total = found.length
  const reply: Static<typeof savedWorkflowsSchema> = {
    data: page.map((one) => describeWorkflow(world, one)),
    pagination: { offset, limit, total, has_more: offset + page.length < total },
  }
  return json(JSON.stringify(reply))
}
