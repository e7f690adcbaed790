// The files that the suites generate: what they are made of, and their texts. CONTRIBUTING.md has the same list.

import packageJson from '../../../package.json' with { type: 'json' }
import { documentName } from '../../../spec/generations.ts'
import { baselineSchema } from '../../../spec/baseline.ts'
import { recordingSchema } from '../../../spec/recording.ts'
import { configSchema, scenarioDocument } from '../../../dist/emulator/internal.js'
import { consoleText, sample } from '../../commands/check/reports/streams.ts'
import { markdownText } from '../../check/reports/markdown.ts'
import { readLines } from '../../nodes/lines.ts'
import { select } from '../../nodes/select.ts'
import { make } from '../../recorded/make-session.ts'
import { sessions } from '../../recorded/sessions.ts'
import { live, liveGateway, liveHosted } from '../../recorded/transcripts.ts'
import { renderLlms, renderSkill, skillFile } from '../../render/assistants.ts'
import { renderAsyncapi } from '../../render/asyncapi.ts'
import { renderControl } from '../../render/control.ts'
import { documentText, type Part } from '../../render/documents.ts'
import { gatewayConfigSchema } from '../../render/gateway-config.ts'
import { everywhere, renderOpenapi } from '../../render/openapi.ts'
import { renderProtocol } from '../../render/protocol.ts'
import { renderSchemathesis } from '../../render/schemathesis.ts'

type Text = () => string | Promise<string>

export type Generated = {
  /** Their paths below the root, with `*` for what differs. */
  readonly files: string
  /** What they are made of. */
  readonly from: string
  /** The text of each, by what stands for the `*`; by an empty name for a single file. */
  readonly texts: Readonly<Record<string, Text>>
}

const schemaText = (schema: unknown) => (): string => documentText(schema as Part)
const transcript = (lines: () => Promise<readonly string[]>) => async (): Promise<string> =>
  `${(await lines()).join('\n')}\n`

const versionModule = (): string =>
  '// The version of the package, generated from package.json, so that a browser and a single file know it too.\n\n' +
  `export const version = '${packageJson.version}'\n`

export const generated: readonly Generated[] = [
  {
    files: 'spec/PROTOCOL.md',
    from: 'all of `spec/`',
    texts: { '': renderProtocol },
  },
  {
    files: 'spec/openapi.*.json',
    from: 'endpoints and schemas of `spec/`',
    texts: Object.fromEntries([
      ...everywhere.map((where) => [documentName(where), () => documentText(renderOpenapi(where))]),
      ['control', () => documentText(renderControl())],
    ]) as Readonly<Record<string, Text>>,
  },
  {
    files: 'emulator/lib/version.ts',
    from: 'the version in `package.json`',
    texts: { '': versionModule },
  },
  {
    files: 'llms.txt',
    from: 'the README, the help of the command, and `spec/`',
    texts: { '': renderLlms },
  },
  {
    files: skillFile,
    from: 'the help of the command, and `spec/`',
    texts: { '': renderSkill },
  },
  {
    files: 'spec/asyncapi.json',
    from: 'messages and frames of `spec/`',
    texts: { '': () => documentText(renderAsyncapi()) },
  },
  {
    files: 'schemathesis.toml',
    from: 'marks of the OpenAPI documents',
    texts: { '': renderSchemathesis },
  },
  {
    files: 'spec/*.schema.json',
    from: 'options, scenarios, baselines and recordings as they are checked',
    texts: {
      config: schemaText({
        ...(configSchema() as object),
        $defs: { gateway: gatewayConfigSchema() },
      }),
      scenario: schemaText(scenarioDocument()),
      baseline: schemaText(baselineSchema),
      recording: schemaText(recordingSchema),
    },
  },
  {
    files: 'recordings/transcripts/*.txt',
    from: 'sessions of `suites/recorded/transcripts.ts`',
    texts: {
      local: transcript(async () => (await live('a')).lines),
      hosted: transcript(() => liveHosted('a')),
      gateway: transcript(() => liveGateway('a')),
    },
  },
  {
    files: 'recordings/sessions/*.har',
    from: 'sessions of `suites/recorded/sessions.ts`',
    texts: Object.fromEntries(sessions.map((one) => [one.name, () => make(one)])),
  },
  {
    files: 'suites/nodes/selected.json',
    from: 'a selection of `recordings/nodes/`',
    texts: {
      '': () =>
        `[\n${select(readLines())
          .map((one) => JSON.stringify(one))
          .join(',\n')}\n]\n`,
    },
  },
  {
    files: 'suites/commands/check/reports/golden/*.txt',
    from: 'reports of `suites/commands/check/reports/streams.ts`',
    texts: { console: () => consoleText(sample), summary: () => markdownText([sample]) },
  },
]
