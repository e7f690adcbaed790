// A workflow file in API format: read, checked, and sent as written, so that 64-bit seeds
// and `1.0` survive.

import { existsSync, readdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { failure, reasonOf } from './failure.ts'
import { fieldsOf, textValues } from './json.ts'
import type { TextValue } from './json.ts'
import { type WorkflowText, workflowIn } from './workflow-text.ts'
import { readNamedFile } from '../config/named-files.ts'
import { packageFile, packageFolder } from '../config/package-files.ts'

/** A workflow, and the absolute folder for its local files. */
export type Workflow = WorkflowText & { readonly folder: string }

/** A text input of a node, and the position of its literal in the workflow's text. */
export type TextInput = TextValue & {
  readonly node: string
  readonly input: string
  readonly classType: string
}

const examples = 'recordings/workflows'

/** The path of a workflow: a file, or an example of the package by its name, such as `text-to-image`. */
export function workflowPath(cwd: string, name: string): string {
  const file = resolve(cwd, name)
  const isExample = (): boolean => packageFolder(examples).includes(`${name}.json`)
  return /^[\w-]+$/.test(name) && !existsSync(file) && isExample()
    ? packageFile(`${examples}/${name}.json`)
    : file
}

/** The names of the examples of the package. */
export const workflowNames = (): readonly string[] =>
  readdirSync(packageFile('recordings/workflows'))
    .flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? [])
    .toSorted()

/** Reads and checks a workflow file. Throws a `usage` failure that says what to do instead. */
export async function readWorkflow(path: string): Promise<Workflow> {
  return { ...workflowIn(path, decode(path, read(path))), folder: dirname(resolve(path)) }
}

function read(path: string): Uint8Array {
  try {
    return readNamedFile(path)
  } catch (error) {
    throw failure('usage', `Cannot read the workflow ${path}: ${reasonOf(error)}.`)
  }
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw failure('usage', `${path} is not valid UTF-8: save it again as UTF-8.`)
  }
}

/** The text inputs of all nodes, in the order of the file. */
export function textInputs(workflow: Workflow): TextInput[] {
  return textValues(workflow.text).flatMap((found) => {
    const [node, inputs, input] = found.path
    if (found.path.length !== 3 || inputs !== 'inputs') return []
    if (typeof node !== 'string' || typeof input !== 'string') return []
    return [{ ...found, node, input, classType: classTypeOf(workflow, node) }]
  })
}

/** The workflow's text with some literals replaced; everything else stays byte for byte. */
export function replaceTexts(
  text: string,
  changes: readonly { readonly start: number; readonly end: number; readonly value: string }[],
): string {
  const fromTheEnd = [...changes].sort((a, b) => b.start - a.start)
  return fromTheEnd.reduce(
    (result, { start, end, value }) =>
      result.slice(0, start) + JSON.stringify(value) + result.slice(end),
    text,
  )
}

/** The body of a submit, with `text` inserted unchanged. */
export function submitBody(body: {
  readonly text: string
  readonly clientId: string
  readonly partnerKey?: string | undefined
}): string {
  const members = [`"prompt": ${body.text}`, `"client_id": ${JSON.stringify(body.clientId)}`]
  if (body.partnerKey !== undefined) {
    members.push(`"extra_data": {"api_key_partner_org": ${JSON.stringify(body.partnerKey)}}`)
  }
  return `{${members.join(', ')}}`
}

/** The type of a node; empty without one. */
function classTypeOf(workflow: Workflow, node: string): string {
  const classType = fieldsOf(workflow.graph[node])?.['class_type']
  return typeof classType === 'string' ? classType : ''
}

/** The display name of a node: its title, else its type, else its id. */
export function titleOf(workflow: Workflow, node: string): string {
  const title = fieldsOf(fieldsOf(workflow.graph[node])?.['_meta'])?.['title']
  if (typeof title === 'string' && title !== '') return title
  return classTypeOf(workflow, node) || node
}
