// The instructions of the Containerfile, and a container engine that can build it here.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './packed.ts'

const text = readFileSync(join(root, 'emulator/Containerfile'), 'utf8')

/** Each instruction with its argument. */
const instructions = text
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', '')
  .trim()
  .split('\n')
  .map((line) => /^([A-Z]+) (.+)$/.exec(line)?.slice(1) as [string, string])

export function argumentOf(name: string): string {
  const found = instructions.find(([instruction]) => instruction === name)
  if (found === undefined) throw new Error(`The Containerfile has no ${name}.`)
  return found[1]
}

/** What runs in the container by default, and the variables that it gets. */
export const entrypoint = JSON.parse(argumentOf('ENTRYPOINT')) as readonly string[]
export const command = JSON.parse(argumentOf('CMD')) as readonly string[]
export const variables = Object.fromEntries(
  argumentOf('ENV')
    .split(' ')
    .map((one) => one.split('=') as [string, string]),
)
export const healthCheck = JSON.parse(
  argumentOf('HEALTHCHECK').replace(/^.* CMD /, ''),
) as readonly string[]

/** The first engine that has the base image, or can pull it; undefined without one. */
export const engine = ['docker', 'podman'].find((name) => {
  try {
    execFileSync(name, ['image', 'inspect', argumentOf('FROM')], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})
