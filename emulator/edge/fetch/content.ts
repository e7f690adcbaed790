// The options of worlds without a disk: scenarios, workflows and node types are content.

import { described } from '../../../spec/generations.ts'
import { generationLike } from '../../../spec/truth/servers.ts'
import { sourceIn, withInferred, type WorkflowSource } from '../../infer/for-workflows.ts'
import { completeOptions } from '../../options/complete.ts'
import type { ServerOptions, ServerOptionsInput } from '../../options/server-options.ts'
import { usageError } from '../../options/usage.ts'
import type { TypeTexts } from '../../server/state/nodes.ts'
import { type CatalogSources, readCatalog } from '../catalog.ts'

/** The texts of the built-in node types; those of later generations are loaded where a world needs them. */
export type BuiltInTypes = Pick<CatalogSources, 'builtIn'> & {
  readonly later: () => Promise<string>
}

/** The catalogue of a world with these options. */
export async function catalogOf(
  options: ServerOptions,
  { builtIn, later: load }: BuiltInTypes,
): Promise<() => TypeTexts> {
  const isFirst = generationLike(options.like) === described
  const later = isFirst ? '' : await load()
  return readCatalog(options, { builtIn, later: () => later, readFile })
}

/** Complete options, with what the workflows of `for` need. */
export async function completeContent(
  given: ServerOptionsInput,
  types: BuiltInTypes,
): Promise<ServerOptions> {
  const { for: _, values: __, ...rest } = given
  const options = completeOptions(given)
  if (options.for.length === 0) return options
  const workflows = options.for.map(contentSource)
  const catalogue = (await catalogOf(options, types))()
  return completeOptions(withInferred(rest, options, { workflows, catalogue }).options)
}

/** A workflow of the option `for`. */
function contentSource(source: string | object, at: number): WorkflowSource {
  if (typeof source === 'string')
    throw usageError(
      `The workflow ${source} is a file, and there is no disk here. Pass its content.`,
    )
  return sourceIn(source, at)
}

function readFile(path: string): string {
  throw new Error(`${path} is a file, and there is no disk here. Pass the node types themselves`)
}
