// Writes the chapter of PROTOCOL.md about errors: refusals, words of failed submits, words of failed runs.

import { errors } from '../../spec/index.ts'
import type { Refusal } from '../../spec/language.ts'
import { code, link, section, table } from './markdown.ts'

function bodyText({ body, headers, reason }: Refusal): string {
  const text =
    body === 'empty'
      ? 'empty'
      : code('text' in body ? JSON.stringify(body.text) : JSON.stringify(body.json))
  const extra = Object.entries(headers ?? {}).map(([name, value]) => code(`${name}: ${value}`))
  const phrase = reason === undefined ? [] : [`reason phrase ${code(reason)}`]
  return [text, ...phrase, ...extra].join(', ')
}

/** Refusals, or other answers, in a table: each has an anchor that begins with this word. */
export const refusalTable = (
  anchor: string,
  refusals: Readonly<Record<string, Refusal>>,
  head = 'Refusal',
) =>
  table(
    [head, 'Status', 'When', 'Body and headers'],
    Object.entries(refusals).map(([name, one]) => [
      `<a id="${anchor}-${name}"></a>${name}`,
      String(one.status),
      one.when,
      bodyText(one),
    ]),
  )

/** Words with their meaning. */
export const wordTable = (head: string, words: Readonly<Record<string, string>>) =>
  table(
    [head, 'Meaning'],
    Object.entries(words).map(([word, meaning]) => [code(word), meaning]),
  )

export function errorsPart(): string {
  const { refusals, hostedRefusals, linkRefusals, planRefusals, promptErrors, nodeErrors } = errors
  return section(
    'Errors',
    'A word in braces stands for a value that the server fills in. The local server has no common ' +
      'form of refusals:',
    refusalTable('refusal', refusals),
    'Refusals of the hosted server are JSON, but for those of user data:',
    refusalTable('hosted-refusal', hostedRefusals),
    'The host of the signed links answers in the words of an object storage:',
    refusalTable('link-refusal', linkRefusals),
    'A hosted submit can also be refused by the plan or the queue of the account:',
    refusalTable('plan-refusal', planRefusals),
    `A refused submit (${link('submitRefusal', 'shape-submitRefusal')}) has one of these in \`error\`:`,
    table(
      ['Type', 'When', 'Message', 'Details'],
      Object.values(promptErrors).map(({ type, when, message, details }) => [
        code(type),
        when,
        message,
        details,
      ]),
    ),
    'And these in `node_errors`, under the node at fault:',
    table(
      ['Type', 'When', 'Message', 'Details', 'In extra_info'],
      Object.entries(nodeErrors).map(([type, { when, message, details, extra }]) => [
        code(type),
        when,
        message,
        details,
        extra.map(code).join(', '),
      ]),
    ),
    'The `exception_type` of a failed run on hosted:',
    wordTable('Type', errors.exceptionTypes),
    'And on local, where it is the name of a Python class; those in use here:',
    wordTable('Type', errors.localExceptionTypes),
  )
}
