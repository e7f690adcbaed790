// What is wrong with a scenario on a certain server: accounts and node types that the server does not have.

import type { Fault } from '../../spec/scenario/faults.ts'
import type { NodeRule } from '../../spec/scenario/nodes.ts'
import { nearest } from '../lib/nearest.ts'
import { isPlainObject, type Violation, violationText } from './json-schema.ts'
import type { Scenario } from './scenario.ts'
import { usageError } from './usage.ts'

type Path = Violation['path']
type Named = readonly [path: Path, name: string | undefined]

/** Throws a usage error for the first of these problems, if there is any. */
export function requireNone([first]: readonly Violation[], where: string): void {
  if (first === undefined) return
  const text = violationText(first, 'the scenario')
  throw usageError(`${where} cannot be used: ${text}${text.endsWith('?') ? '' : '.'}`)
}

/** The rules, faults, files and runs that name an unknown account, and so never apply. */
export function userViolations(
  { start, runs, nodes, answers, messages, models, faults }: Scenario,
  users: readonly string[],
): readonly Violation[] {
  const { files = [], history = [], queue = [] } = start
  const named: readonly Named[] = [
    ...usersOf(['start', 'files'], files),
    ...usersOf(['start', 'history'], history),
    ...usersOf(['start', 'queue'], queue),
    ...usersOf(['runs'], runs),
    ...usersOf(['nodes'], nodes),
    ...usersOf(['answers'], answers),
    ...usersOf(['messages'], messages),
    ...usersOf(['models'], models),
    ...faults.map(({ when }: Fault, at): Named => [['faults', at, 'when', 'user'], when.user]),
  ]
  return named.flatMap(([path, user]) => {
    if (user === undefined || users.includes(user)) return []
    const meant = nearest(user, users)
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`
    const known = `accounts are ${users.join(', ')} (the option accounts adds more)`
    return { path, problem: `is not an account: ${known}${hint}` }
  })
}

const usersOf = (path: Path, list: readonly { readonly user?: string }[]): readonly Named[] =>
  list.map(({ user }, at) => [[...path, at, 'user'], user])

/** The rules and expansions that name an unknown node type. `known` is called only if any names one. */
export function typeViolations(
  { runs, nodes }: Pick<Scenario, 'runs' | 'nodes'>,
  known: () => readonly string[],
): readonly Violation[] {
  const named: readonly Named[] = [
    ...runs.map(({ workflow }, at): Named => [['runs', at, 'workflow'], workflow]),
    ...nodes.map(({ class_type }, at): Named => [['nodes', at, 'class_type'], class_type]),
    ...nodes.map(({ as }, at): Named => [['nodes', at, 'as'], as]),
    ...nodes.flatMap(({ expands }, at) => typesIn(expands, ['nodes', at, 'expands', 'graph'])),
  ]
  if (named.every(([, name]) => name === undefined)) return []
  const types = known()
  return named.flatMap(([path, name]) => {
    if (name === undefined || types.includes(name)) return []
    const meant = nearest(name, types)
    const hint =
      meant === undefined
        ? 'declare it under types, or accept it with the option unknownNodes: accept'
        : `did you mean ${meant}?`
    return { path, problem: `names the unknown node type "${name}"; ${hint}` }
  })
}

const typesIn = (expands: NodeRule['expands'], path: Path): readonly Named[] =>
  Object.entries(expands?.graph ?? {}).map(([id, node]): Named => {
    const type: unknown = isPlainObject(node) ? node['class_type'] : undefined
    return [[...path, id, 'class_type'], typeof type === 'string' ? type : undefined]
  })
