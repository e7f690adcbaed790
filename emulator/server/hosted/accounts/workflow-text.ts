// Saved workflows as clients see them.

import type { savedWorkflow } from '../../../../spec/accounts/saved-workflows.ts'
import type { Static } from '../../../../spec/static.ts'
import type { SavedWorkflow, WorkflowVersion } from '../../state/accounts.ts'
import type { HostedWorld } from '../../state/world.ts'
import { isoTime, userIdOf } from './account-state.ts'

export const latestOf = ({ versions }: SavedWorkflow): WorkflowVersion =>
  versions.at(-1) as WorkflowVersion

/** A workflow without its content. Members without a value are absent. */
export const describeWorkflow = (
  world: HostedWorld,
  { id, name, description, view, forkedFrom, updatedMs, versions }: SavedWorkflow,
): Static<typeof savedWorkflow> =>
  ({
    id,
    name: name ?? undefined,
    description: description ?? undefined,
    default_view: view ?? undefined,
    forked_from:
      forkedFrom === null
        ? undefined
        : {
            workflow_id: forkedFrom.workflow ?? undefined,
            workflow_version_id: forkedFrom.version ?? undefined,
          },
    latest_version: versions.length,
    created_by: userIdOf(world),
    created_at: isoTime(world, versions[0]?.createdMs ?? 0),
    updated_at: isoTime(world, updatedMs),
  }) as Static<typeof savedWorkflow>
