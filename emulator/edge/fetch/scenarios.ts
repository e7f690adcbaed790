// The scenarios of an emulator without a disk: their content, and no files.

import { usageError } from '../../options/usage.ts'
import type { ScenarioReader } from '../server-handle.ts'

/** Throws a usage error for a scenario that is a file or a name. */
export function requireContent(given: unknown): void {
  const named = [given].flat().find((one) => typeof one === 'string')
  if (named !== undefined)
    throw usageError(
      `The scenario ${named} is a file, and there is no disk here. Pass its content.`,
    )
}

export const rejectFiles: ScenarioReader = async (given) => {
  requireContent(given)
  return []
}
