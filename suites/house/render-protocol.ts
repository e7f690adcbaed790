// Writes PROTOCOL.md out of the spec. Pure: the same spec gives the same text.

import { endpoints, errors, goneOnHosted, profiles } from '../../spec/index.ts'
import { paidPaths, partnerKeys, publicPaths } from '../../spec/access.ts'
import { commonHostedReplies, commonReplies } from '../../spec/http.ts'
import { jobStatuses, jobTransitions, rawStates } from '../../spec/jobs.ts'
import type { Endpoint, Refusal, ReplyBody } from '../../spec/language.ts'
import { pathOn } from '../replies-on.ts'
import { code, link, onText, section, table } from './markdown.ts'
import { differencesPart } from './render-differences.ts'
import { limitsPart } from './render-limits.ts'
import { framesPart, messagesPart } from './render-messages.ts'
import { decisionsPart, quirksPart, rulesPart, statementsPart } from './render-rules.ts'
import { shapeCell, shapeLine, shapeOf, shapes } from './shapes.ts'

function replyCell(body: ReplyBody | undefined): string {
  if (body === undefined) return '–'
  return typeof body === 'string' ? body : shapeCell(body)
}

function deploymentsPart(): string {
  const { local, hosted } = profiles
  const renamed = Object.values(endpoints).filter((one: Endpoint) => one.hostedPath !== undefined)
  return section(
    'Deployments',
    'One server in two forms. Paths in this document are in local form where nothing else is said.',
    table(
      ['', 'Local', 'Hosted'],
      [
        ['Scheme', local.scheme, hosted.scheme],
        ['Port', String(local.port), 'that of the scheme'],
        ['Prefix', `none; ${code(local.twin)} works too`, code(hosted.prefix)],
        ['Socket', code(local.socket), code(hosted.socket)],
        ['Credential', local.credential, hosted.credential],
        ['A viewed file', local.view, hosted.view],
      ],
    ),
    'On hosted these paths have another name:',
    table(
      ['Local', 'Hosted'],
      renamed.map((one: Endpoint) => [code(one.path), code(hosted.prefix + one.hostedPath)]),
    ),
    `GET of ${goneOnHosted.map((path) => code(hosted.prefix + path)).join(', ')} answers 404 there.`,
    `Without a key hosted serves ${publicPaths.map(code).join(', ')} only, and what has no prefix. A paid tier is needed for ` +
      `${paidPaths.map(code).join(', ')}. The key for partner nodes stands in \`extra_data\` as ` +
      `${partnerKeys.map(code).join(' or ')}.`,
  )
}

function endpointPart(name: string, endpoint: Endpoint): string {
  const { method, path, on, does, query, body, bodyIsOptional, form, replies, hostedReplies } =
    endpoint
  const hosted = on.includes('hosted') ? (hostedReplies ?? replies) : {}
  const local: Endpoint['replies'] = on.includes('local') ? replies : {}
  const statuses = [...new Set([...Object.keys(local), ...Object.keys(hosted)])].toSorted()
  const asked = Object.entries(query ?? {}).map(([key, schema]) =>
    code(`${key}: ${shapeOf(schema)}`),
  )
  const request = [
    ...(asked.length > 0 ? [`Query: ${asked.join(', ')}.`] : []),
    ...(form !== undefined ? [`Body: a multipart form, ${shapeCell(form)}.`] : []),
    ...(body === 'bytes' ? ['Body: the bytes of the file.'] : []),
    ...(typeof body === 'object'
      ? [`Body${bodyIsOptional ? ', optional' : ''}: ${shapeCell(body)}.`]
      : []),
  ]
  return [
    `### <a id="endpoint-${name}"></a>${name}`,
    `${code(`${method} ${path}`)} (${onText(on)}): ${does} ${request.join(' ')}`.trim(),
    table(
      ['Status', 'Local', 'Hosted'],
      statuses.map((status) => [
        status,
        replyCell(local[Number(status)]),
        replyCell(hosted[Number(status)]),
      ]),
    ),
  ].join('\n\n')
}

const statusList = (replies: Endpoint['replies']) => Object.keys(replies).join(', ')

function endpointsPart(): string {
  const all: [string, Endpoint][] = Object.entries(endpoints)
  const hostedPath = (one: Endpoint) =>
    one.on.includes('hosted') ? code(pathOn('hosted', one)) : '–'
  return section(
    'Endpoints',
    'All endpoints in short, then each with its request and replies. "empty" is a reply without a body. ' +
      `On local each answers ${statusList(commonReplies.always)} too, and ${statusList(commonReplies.withBody)} ` +
      'where it takes a body: see the errors. On hosted each answers ' +
      `${statusList(commonHostedReplies.withKey)} without a key, ${statusList(commonHostedReplies.paid)} to a ` +
      `free account on paid paths, and ${statusList(commonHostedReplies.withBody)} where it takes a body.`,
    table(
      ['Endpoint', 'Method', 'Local', 'Hosted', 'What it does'],
      all.map(([name, one]) => [
        link(name, `endpoint-${name}`),
        one.method,
        one.on.includes('local') ? code(one.path) : '–',
        hostedPath(one),
        one.does,
      ]),
    ),
    ...all.map(([name, one]) => endpointPart(name, one)),
  )
}

function shapesPart(): string {
  return section(
    'Shapes',
    'The bodies by name, in the notation of types. Objects may carry more members than are told here.',
    table(
      ['Shape', 'What it is'],
      shapes.map(([name, schema]) => [
        `<a id="shape-${name}"></a>${code(name)}`,
        shapeLine(schema),
      ]),
    ),
  )
}

function bodyText({ body, headers, reason }: Refusal): string {
  const text =
    body === 'empty'
      ? 'empty'
      : code('text' in body ? JSON.stringify(body.text) : JSON.stringify(body.json))
  const extra = Object.entries(headers ?? {}).map(([name, value]) => code(`${name}: ${value}`))
  const phrase = reason === undefined ? [] : [`reason phrase ${code(reason)}`]
  return [text, ...phrase, ...extra].join(', ')
}

const refusalTable = (anchor: string, refusals: Readonly<Record<string, Refusal>>) =>
  table(
    ['Refusal', 'Status', 'When', 'Body and headers'],
    Object.entries(refusals).map(([name, one]) => [
      `<a id="${anchor}-${name}"></a>${name}`,
      String(one.status),
      one.when,
      bodyText(one),
    ]),
  )

const wordTable = (head: string, words: Readonly<Record<string, string>>) =>
  table(
    [head, 'Meaning'],
    Object.entries(words).map(([word, meaning]) => [code(word), meaning]),
  )

function errorsPart(): string {
  const { refusals, hostedRefusals, linkRefusals, promptErrors, nodeErrors } = errors
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
    refusalTable('plan-refusal', errors.planRefusals),
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

function jobsPart(): string {
  const rawOf = (word: string) =>
    Object.entries(rawStates).flatMap(([raw, stands]) => (stands === word ? code(raw) : []))
  return section(
    'Jobs',
    'On hosted a run is a job. Its state is one of these words, and each leads to those beside it, or to none. ' +
      'With the quirk `hosted.status-raw-states` the job status tells an internal state instead.',
    table(
      ['Word', 'Leads to', 'Internal states'],
      jobStatuses.map((word) => {
        const leadsTo = jobTransitions[word].map(code).join(', ')
        return [code(word), leadsTo || '–', rawOf(word).join(', ')]
      }),
    ),
  )
}

/** The whole document. */
export function renderProtocol(): string {
  const parts = [
    deploymentsPart(),
    endpointsPart(),
    shapesPart(),
    messagesPart(),
    framesPart(),
    jobsPart(),
    errorsPart(),
    limitsPart(),
    rulesPart(),
    decisionsPart(),
    differencesPart(),
    quirksPart(),
    statementsPart(),
  ]
  const titles = parts.map((part) => /^## (.*)$/m.exec(part)?.[1] ?? '')
  return [
    '# The protocol of the workflow server',
    'What clients of a workflow server (the API that ComfyUI speaks) meet on the wire. This file is ' +
      'made from the other files of this folder: change those, then run ' +
      '`npx vitest run suites/house/docs.test.ts -u`.',
    titles.map((title) => `- ${link(title, title.toLowerCase().replaceAll(' ', '-'))}`).join('\n'),
    ...parts,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n')
}
