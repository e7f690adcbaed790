// Writes the chapter of PROTOCOL.md about errors: refusals, errors of rejected submits, errors of failed runs.

import {
  errors,
  oauthRefusals,
  partnerRefusals,
  routerRefusals,
  v2Refusals,
} from '../../spec/index.ts'
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

/** Refusals, or other replies, in a table: the anchor of each begins with this word. */
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
  const {
    refusals,
    assetRefusals,
    hostedAssetRefusals,
    hostedRefusals,
    linkRefusals,
    planRefusals,
  } = errors
  const { promptErrors, nodeErrors } = errors
  return section(
    'Errors',
    'A word in braces stands for a value that the server fills in. Errors of the local server have no common ' +
      'format:',
    refusalTable('refusal', refusals),
    'The paths of assets have one, and `details` for some errors:',
    refusalTable('asset-refusal', assetRefusals),
    'Errors of the hosted server are JSON, except those of user data:',
    refusalTable('hosted-refusal', hostedRefusals),
    'Those of its assets and tasks are too:',
    refusalTable('hosted-asset-refusal', hostedAssetRefusals),
    'Errors of the hosted API v2, below /api/v2, are JSON with an object `error`:',
    refusalTable('v2-refusal', v2Refusals),
    'Errors of the Router, below /v2/models, name their bucket:',
    refusalTable('router-refusal', routerRefusals),
    'Errors of the proxy to partners are JSON with a word and a sentence:',
    refusalTable('partner-refusal', partnerRefusals),
    'Errors of OAuth, below /oauth, are those of its standard:',
    refusalTable('oauth-refusal', oauthRefusals),
    'The host of the signed links replies in the format of an object storage:',
    refusalTable('link-refusal', linkRefusals),
    'The plan or queue of the account can also reject a hosted submit:',
    refusalTable('plan-refusal', planRefusals),
    `A rejected submit (${link('submitRefusal', 'shape-submitRefusal')}) has one of these in \`error\`:`,
    table(
      ['Type', 'When', 'Message', 'Details'],
      Object.values(promptErrors).map(({ type, when, message, details }) => [
        code(type),
        when,
        message,
        details,
      ]),
    ),
    'And these in `node_errors`, under the invalid node:',
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
    'The `exception_type` of a failed run on the hosted server:',
    wordTable('Type', errors.exceptionTypes),
    'On a local server it is the name of a Python class; this server uses these:',
    wordTable('Type', errors.localExceptionTypes),
  )
}
