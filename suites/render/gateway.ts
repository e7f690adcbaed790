// Writes the chapter of PROTOCOL.md about the webhook gateway: paths, checks, signatures, templates, targets, settings.

import {
  agentVariables,
  deliveryModes,
  type Sender,
  senders,
  targets,
} from '../../spec/gateway/deliveries.ts'
import { metrics } from '../../spec/gateway/metrics.ts'
import { type Metric, processMetrics } from '../../spec/metrics.ts'
import { gatewayAddress, gatewayEndpoints, gatewayRefusals, outcomes } from '../../spec/index.ts'
import type { Endpoint } from '../../spec/language.ts'
import { ownSchemeSchema, type Place, type Scheme, schemes } from '../../spec/gateway/signatures.ts'
import {
  configDirectory,
  configFiles,
  type GatewaySetting,
  gatewaySettings,
  settingSources,
  webhookCommands,
} from '../../spec/gateway/subscriptions.ts'
import { defaultText, specialKeys, wordTexts } from '../../spec/gateway/templates.ts'
import {
  checks,
  deliveryIdHeaders,
  eventHeaders,
  eventMembers,
} from '../../spec/gateway/webhooks.ts'
import { code, section, table } from './markdown.ts'
import { refusalTable, wordTable } from './errors.ts'
import { replyCell } from './shapes.ts'

const list = (texts: readonly string[]) => texts.map(code).join(', ')

const endpointTable = table(
  ['Endpoint', 'Request', 'What it does', 'Replies'],
  Object.entries<Endpoint>(gatewayEndpoints).map(([name, { method, path, does, replies }]) => [
    `<a id="endpoint-${name}"></a>${name}`,
    code(`${method} ${path}`),
    does,
    Object.entries(replies)
      .map(([status, body]) => `${status}: ${replyCell(body)}`)
      .join(', '),
  ]),
)

const checkTable = table(
  ['', 'Check', 'Possible replies'],
  checks.map((check, at) => [
    String(at + 1),
    check.step,
    'answers' in check ? check.answers.join(', ') : '–',
  ]),
)

const placeText = (place: Place | undefined): string => {
  if (place === undefined) return '–'
  if ('header' in place) return code(place.header)
  return 'item' in place ? `item ${code(place.item)}` : `payload ${code(place.member)}`
}

const valueText = ({ algorithm, encoding, prefix, separator }: Scheme): string => {
  const what = algorithm === 'none' ? 'the secret' : `HMAC-${algorithm.toUpperCase()}`
  const written = encoding === 'text' ? what : `${what} in ${encoding}`
  const between = separator === ' ' ? 'spaces' : code(separator ?? '')
  const many = separator === undefined ? '' : `, several separated by ${between}`
  return (prefix === '' ? written : `${code(prefix)} and ${written}`) + many
}

const schemeTable = table(
  ['', 'Scheme', 'Header', 'Chosen by', 'Signed', 'Value', 'Key', 'Time', 'Id', 'Event'],
  Object.entries<Scheme>(schemes).map(([name, scheme], at) => [
    String(at + 1),
    name,
    code(scheme.header),
    list(scheme.selectedBy) || 'its name alone',
    scheme.signs === '' ? 'nothing' : code(scheme.signs),
    valueText(scheme),
    scheme.key === 'base64' ? 'base64 after `whsec_`' : 'the secret',
    scheme.time === undefined ? '–' : `${placeText(scheme.time)}, ${scheme.window_seconds} s`,
    placeText(scheme.id),
    placeText(scheme.event),
  ]),
)

const orDash = (text: string | undefined) => (text === undefined ? '–' : code(text))

const ownSchemeTable = table(
  ['Member', 'Value', 'Meaning'],
  Object.entries(ownSchemeSchema.properties).map(([name, member]) => [
    code(name),
    'enum' in member ? list(member.enum) : 'type' in member ? member.type : 'a place',
    member.description,
  ]),
)

const settingTable = table(
  ['Setting', 'In config.yaml', 'Variable', 'Flag of `gateway run`', 'Default'],
  Object.entries<GatewaySetting>(gatewaySettings).map(([name, one]) => [
    name,
    code(one.key),
    orDash(one.variable),
    orDash(one.flag),
    one.default === null ? 'none' : String(one.default),
  ]),
)

const senderTable = table(
  ['Target', 'Call', 'Body', 'Longest text', 'Credential'],
  Object.entries<Sender>(senders).map(([target, one]) => [
    target,
    code(`${one.method} ${one.baseUrl}${one.path}`),
    code(JSON.stringify({ ...one.body, ...one.threadBody })),
    String(one.longestText),
    code(one.tokenVariable),
  ]),
)

const metricTable = table(
  ['Metric', 'Type', 'Labels', 'What it is'],
  Object.values<Metric>({ ...metrics, ...processMetrics }).map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.length === 0 ? '–' : list(labels),
    help,
  ]),
)

const commandTable = table(
  ['Command', 'Other names', 'Options'],
  Object.entries(webhookCommands).map(([name, { aliases, takesName, options }]) => [
    code(`webhook ${name}${takesName ? ' <name>' : ''}`),
    aliases.length > 0 ? list(aliases) : '–',
    options.length > 0 ? list(options) : '–',
  ]),
)

export function gatewayPart(): string {
  const { scheme, host, port } = gatewayAddress
  return section(
    'The webhook gateway',
    `A separate server, by default at ${code(`${scheme}://${host}:${port}`)}: it receives events that ` +
      'other services post to named routes, and turns them into agent runs or messages.',
    endpointTable,
    'A post to a route passes these checks in this order; the first one that fails determines the reply.',
    checkTable,
    'Replies to processed posts; a word in braces stands for a value.',
    refusalTable('gateway-outcome', outcomes, 'Outcome'),
    'Replies to rejected posts:',
    refusalTable('gateway-refusal', gatewayRefusals),
    'A route that names no scheme accepts the first one whose header is present:',
    schemeTable,
    `The setting ${code(gatewaySettings.schemes.key)} of config.yaml declares further schemes by name, for routes that ` +
      'name them. A place is `{header: NAME}`, `{item: NAME}` of the signature header, or `{member: PATH}` of the payload.',
    ownSchemeTable,
    `The event type is in ${list(eventHeaders)}, else where the scheme says, else in ${list(eventMembers)} of the ` +
      `payload. The delivery id is where the scheme says, else in ${list(deliveryIdHeaders)}.`,
    'References in a template have these meanings; all others name a member of the payload:',
    wordTable('Reference', specialKeys),
    `JSON literals are rendered as ${list(Object.values(wordTexts))}. Without a template the text is:`,
    defaultText
      .split('\n')
      .map((line) => line && `    ${line}`)
      .join('\n'),
    `The targets are ${list(targets)}. Their deliveries go to:`,
    wordTable('Mode', deliveryModes),
    'The senders, with one call for each part of a text; members for a thread are sent only if there is a thread:',
    senderTable,
    'Credentials are in these variables or in `platforms.<target>.token` of config.yaml, such as ' +
      '`platforms.github_comment.token`; ' +
      'next to it `base_url` sets another address, and `home_channel` is the chat of routes that name none.',
    'A command that is the agent receives these variables:',
    wordTable('Variable', agentVariables),
    `The configuration directory is that of ${code(configDirectory.flag)}, of ${code(configDirectory.variable)}, or ` +
      `${code(`~/${configDirectory.folder}`)}; it contains ${list(Object.values(configFiles).map(({ name }) => name))}. ` +
      `The sources of a setting, in order of precedence: ${settingSources.join(', ')}.`,
    settingTable,
    'The commands; each also accepts `--config-dir` and `--json`:',
    commandTable,
    'Metrics of `GET /metrics`; those that begin with `process` or `nodejs` are of the whole process:',
    metricTable,
  )
}
