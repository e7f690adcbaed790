// What is probably a mistake in a scenario, although a server can use it: faults of paths that no server has, and links of
// an expansion that leave it.

import type { Endpoint } from '../../spec/language.ts'
import { isFile } from '../../spec/scenario/nodes.ts'
import { endpoints } from '../../spec/server/endpoints.ts'
import { pathsOn } from '../http/routes.ts'
import { nearest } from '../lib/nearest.ts'
import { matchesPath, segments } from '../lib/path-pattern.ts'
import { defaultAccounts } from './accounts.ts'
import { isPlainObject, type Violation } from './json-schema.ts'
import type { ScenarioInput } from './scenario.ts'
import type { ServerOptions } from './server-options.ts'
import { leadsInto, outputItems } from './scenario-parts.ts'

/** The warnings for a valid scenario. */
export function scenarioWarnings({
  world = {},
  faults = [],
  answers = [],
  nodes = [],
}: ScenarioInput): readonly Violation[] {
  const waits = nodes.flatMap(({ waitsFor }) => waitsFor ?? [])
  const answered = [...answers, ...waits].map(({ path }) => path.replaceAll(/\*+/g, '{any}'))
  const served = [...serverPaths, ...linkPaths(world), ...answered]
  return [
    ...outputItems(nodes).flatMap(([path, item]) => misspelt(path, item)),
    ...nodes.flatMap(({ expands }, at) =>
      outerLinks(expands?.graph, ['nodes', at, 'expands', 'graph']),
    ),
    ...faults.flatMap(({ when: { path } }, at) =>
      path === undefined || isServed(served, path)
        ? []
        : { path: ['faults', at, 'when', 'path'], problem: unserved(served, path) },
    ),
  ]
}

/** The members of an item that is sent as it is, although they look like the content of a file. */
const misspelt = (path: Violation['path'], item: unknown): readonly Violation[] =>
  !isPlainObject(item) || isFile(item) || 'json' in item
    ? []
    : Object.keys(item).flatMap((name) => {
        const meant = nearest(name, ['from', 'text', 'base64', 'own'])
        const problem = `is sent as it is, without a file; did you mean ${meant}?`
        return meant === undefined ? [] : { path: [...path, name], problem }
      })

/** All paths of local and hosted servers, with parameters such as `{prompt_id}`. */
const serverPaths: readonly string[] = Object.values<Endpoint>(endpoints).flatMap((endpoint) =>
  (['local', 'hosted'] as const).flatMap((place) =>
    endpoint.on.includes(place) ? pathsOn(place, endpoint) : [],
  ),
)

/** The paths of signed links: each begins with an account. */
function linkPaths(world: object): readonly string[] {
  const { accounts = defaultAccounts } = world as Partial<Pick<ServerOptions, 'accounts'>>
  return accounts.map(({ user }) => `/${user}/{file}`)
}

const isServed = (served: readonly string[], pattern: string): boolean =>
  served.some((path) => matchesPath(pattern, filled(path, pattern)))

/** A path whose parameters are what a pattern has at their place. */
function filled(path: string, pattern: string): string {
  const given = segments(pattern.replaceAll('*', 'x'))
  const parts = segments(path)
  return parts
    .map((part, at) => {
      if (!part.startsWith('{')) return part
      // The last parameter may contain slashes: faults see decoded paths.
      const own = at === parts.length - 1 ? given.slice(at).join('/') : given[at]
      return own || 'x'
    })
    .join('/')
}

function unserved(served: readonly string[], pattern: string): string {
  const meant = nearest(pattern, served)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return `matches no path of a server${hint}`
}

/** The inputs in an expansion that are links to nodes outside it. */
const outerLinks = (graph: object = {}, path: Violation['path']): readonly Violation[] =>
  Object.entries(graph).flatMap(([id, node]: [string, unknown]) => {
    const inputs = isPlainObject(node) ? node['inputs'] : undefined
    return Object.entries(isPlainObject(inputs) ? inputs : {}).flatMap(([name, value]) =>
      leadsInto(graph as Readonly<Record<string, unknown>>, value)
        ? []
        : {
            path: [...path, id, 'inputs', name],
            problem: 'is a link to a node that the graph lacks',
          },
    )
  })
