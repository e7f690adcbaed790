// Writes PROTOCOL.md from the spec. Pure: the same spec yields the same text.

import { described, generations } from '../../spec/generations.ts'
import { endpoints, profiles } from '../../spec/index.ts'
import { paidPaths, partnerKeys, publicPaths } from '../../spec/server/access.ts'
import { commonHostedReplies, commonReplies } from '../../spec/server/http.ts'
import { jobStatuses, jobTransitions, rawStates } from '../../spec/server/jobs.ts'
import type { Endpoint } from '../../spec/language.ts'
import { pathOn } from '../generate/replies-on.ts'
import { code, holdingText, link, section, table } from './markdown.ts'
import { differencesPart } from './differences.ts'
import { errorsPart } from './errors.ts'
import { gatewayPart } from './gateway.ts'
import { framesPart, messagesPart } from './messages.ts'
import { decisionsPart, limitsPart, quirksPart, rulesPart, statementsPart } from './rules.ts'
import { replyCell, shapeCell, shapeLine, shapeOf, shapes } from './shapes.ts'

function deploymentsPart(): string {
  const { local, hosted } = profiles
  const renamed = Object.values(endpoints).filter((one: Endpoint) => one.hostedPath !== undefined)
  return section(
    'Deployments',
    'One server in two forms. Paths in this document are in local form unless stated otherwise.',
    table(
      ['', 'Local', 'Hosted'],
      [
        ['Scheme', local.scheme, hosted.scheme],
        ['Port', String(local.port), 'that of the scheme'],
        ['Prefix', `none; ${code(local.alias)} works too`, code(hosted.prefix)],
        ['Socket', code(local.socket), code(hosted.socket)],
        ['Credential', local.credential, hosted.credential],
        ['A viewed file', local.view, hosted.view],
      ],
    ),
    `Local servers have changed since the description: their generations are ${generations.join(', ')}, each named by ` +
      'the first version that is known to be of it. What holds "since" or "before" one is marked; everything else holds ' +
      `in all of them. A server is of the generation ${described} unless \`--like\` names one of another.`,
    'The hosted server renames these paths:',
    table(
      ['Local', 'Hosted'],
      renamed.map((one: Endpoint) => [code(one.path), code(hosted.prefix + one.hostedPath)]),
    ),
    `There GET of ${renamed.map(({ path }) => code(hosted.prefix + path)).join(', ')} returns 404.`,
    `Without a key the hosted server serves only ${publicPaths.map(code).join(', ')}; ` +
      'outside its prefix it serves only the socket, which requires a key too. A paid tier is required for ' +
      `${paidPaths.map(code).join(', ')}. The key for partner nodes is in \`extra_data\` as ` +
      `${partnerKeys.map(code).join(' or ')}.`,
  )
}

function endpointPart(name: string, endpoint: Endpoint): string {
  const { method, path, on, does, query, form, replies, hostedReplies } = endpoint
  const { body, hostedBody, bodyIsOptional } = endpoint
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
    ...(hostedBody === undefined ? [] : [`Body on the hosted server: ${shapeCell(hostedBody)}.`]),
  ]
  return [
    `### <a id="endpoint-${name}"></a>${name}`,
    `${code(`${method} ${path}`)} (${holdingText(endpoint)}): ${does} ${request.join(' ')}`.trim(),
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
  const localPath = ({ path, since }: Endpoint) =>
    since === undefined ? code(path) : `${code(path)} since ${since}`
  const hostedPath = (one: Endpoint) =>
    one.on.includes('hosted') ? code(pathOn('hosted', one)) : '–'
  return section(
    'Endpoints',
    'A summary of all endpoints, then each with its request and replies. "empty" is a reply without a body. ' +
      `On a local server every endpoint can also return ${statusList(commonReplies.always)}, and ` +
      `${statusList(commonReplies.withBody)} if it accepts a body: see the errors. On the hosted server every endpoint can also return ` +
      `${statusList(commonHostedReplies.withKey)} without a key, ${statusList(commonHostedReplies.paid)} to a ` +
      `free account on paid paths, and ${statusList(commonHostedReplies.withBody)} if it accepts a body.`,
    table(
      ['Endpoint', 'Method', 'Local', 'Hosted', 'What it does'],
      all.map(([name, one]) => [
        link(name, `endpoint-${name}`),
        one.method,
        one.on.includes('local') ? localPath(one) : '–',
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
    'The bodies by name, in TypeScript notation. Objects can contain further members.',
    table(
      ['Shape', 'Type'],
      shapes.map(([name, schema]) => [
        `<a id="shape-${name}"></a>${code(name)}`,
        shapeLine(schema),
      ]),
    ),
  )
}

function jobsPart(): string {
  const rawOf = (word: string) =>
    Object.entries(rawStates).flatMap(([raw, stands]) => (stands === word ? code(raw) : []))
  return section(
    'Jobs',
    'On the hosted server a run is a job. Its state is one of these words, and changes only as the second column says. ' +
      'With the quirk `hosted.status-raw-states` the job status contains an internal state instead.',
    table(
      ['Word', 'Next states', 'Internal states'],
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
    gatewayPart(),
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
    'This file describes the ComfyUI HTTP and WebSocket API of a workflow server, as clients see it on the ' +
      'wire, and the webhook gateway, as senders see it. It is generated from the other files of this ' +
      'folder: change those, then run `npx vitest run suites/house/docs.test.ts -u`.',
    '"The description" in this file is the specification from which this server was built: a text about the ' +
      'workflow server in both deployments and about the gateway. The end of this file lists ' +
      `${link('its statements', 'statements')}, fact by fact. By default the server does what the description ` +
      'states. Where the description leaves something open, the server follows real servers, and each rule ' +
      'names the server at which it was observed. Where both leave it open, we decided.',
    titles.map((title) => `- ${link(title, title.toLowerCase().replaceAll(' ', '-'))}`).join('\n'),
    ...parts,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n')
}
