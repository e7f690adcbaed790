// What a world starts with: files, finished runs, and runs of other clients.

import { type Rules, type Schema, chosen, rulesOf } from '../language.ts'
import type { Static } from '../static.ts'
import { scenarioFile } from './nodes.ts'
import { delay } from './values.ts'
import { anyObject, closed, list, name, optional, options, text } from '../schema.ts'

const user = { ...name, description: 'only for this account (hosted)' } as const
/** A workflow in API format, or a file with one, relative to the scenario. */
export const scenarioWorkflow = {
  type: ['object', 'string'],
  minLength: 1,
  description: 'a workflow in API format, or a file with one',
} as const satisfies Schema

/** What runs that are over and runs of other clients have in common. */
const submitted = {
  workflow: scenarioWorkflow,
  prompt_id: name,
  client_id: name,
  user,
} as const satisfies Record<string, Schema>
const times = { type: 'integer', minimum: 1, maximum: 10_000, default: 1 } as const

export const start = options({
  files: list({
    type: 'object',
    additionalProperties: false,
    required: ['path'],
    properties: {
      ...scenarioFile.properties,
      placeholder: {
        type: 'string',
        pattern: '^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$',
        description:
          'a picture of this size, such as 768x512, or a sample of another format that the name says',
      },
      path: { ...name, description: 'folder and name, such as input/photo.png' },
      user,
    },
  }),
  models: {
    type: 'object',
    additionalProperties: list(name),
    description:
      'more model files by their folder, such as loras, which the combos of loaders list',
  },
  values: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      additionalProperties: list({ type: ['string', 'number', 'boolean'], minLength: 1 }),
    },
    description:
      'more options of combos by node type and input, such as KSampler: { sampler_name: [my_sampler] }',
  },
  history: {
    ...list(
      options({
        ...submitted,
        outcome: { enum: ['success', 'error', 'interrupted'], default: 'success' },
        exception_type: name,
        exception_message: text,
        times,
      }),
    ),
    description:
      'runs that are over, oldest first; by default of a small workflow; on hosted each account has those without a user',
  },
  queue: {
    ...list(
      options({
        ...submitted,
        durationMs: { ...delay, description: 'how long it runs' },
        neverEnds: { const: true },
        times,
      }),
    ),
    description:
      'runs of other clients; the first ones run, the others wait; on hosted each account has those without a user',
  },
  cached: { ...list(scenarioWorkflow), description: 'workflows whose results are in the cache' },
  subgraphs: {
    ...list(
      closed({
        name,
        source: optional({ enum: ['templates', 'custom_node'], default: 'templates' }),
        node_pack: optional({ ...name, default: 'comfyui' }),
        data: { type: 'object', description: 'the subgraph, as a front end stores it' },
      }),
    ),
    description: 'what GET /global_subgraphs lists (local, since 0.27)',
  },
  statistics: {
    type: 'object',
    additionalProperties: false,
    properties: {
      system: { type: 'object', description: 'members in place of the usual ones' },
      devices: list(anyObject),
    },
    description: 'what GET /system_stats returns: versions and devices',
  },
})

export type Start = Static<typeof start>

export const rules = {
  ...chosen.both({
    'scenario/start-files':
      'A server has the files of its scenario from the start, under the names in it.',
    'scenario/start-placeholder':
      'A placeholder is a picture of its size, or a sample of the format that its name says.',
    'scenario/start-models':
      'The models of a scenario are in their folders, and all loaders of a folder list them.',
    'scenario/start-values':
      'The values of a scenario are options of the combos that they name, after all others.',
    'scenario/for-workflows':
      'A server for workflows has the node types, models and input files that they need, and runs them.',
    'scenario/for-strict':
      'A server for workflows refuses other types, models and files, and values that do not fit.',
    'scenario/for-values':
      'A server for workflows with `values` accepts the values that their known nodes have.',
    'scenario/for-outputs':
      'Output nodes of well-known packs report their files under the keys of their pack.',
    'scenario/start-history':
      'Runs in the history of a scenario are over at the start, with their outputs and files.',
    'scenario/start-outcome':
      'A run in the history of a scenario has ended as its outcome says, with its exception.',
    'scenario/start-before':
      'Runs in the history of a scenario ran before the start, a minute apart, the last one last.',
    'scenario/start-queue':
      'Of the runs in the queue of a scenario, the first ones run at the start; the others wait.',
    'scenario/start-duration':
      'A run in the queue of a scenario takes its duration from its start on, or never ends.',
    'scenario/start-cached':
      'The results of the cached workflows of a scenario are in the cache; no record lists their runs.',
    'scenario/start-statistics':
      'The statistics of a scenario replace members of the usual ones, and its devices all of them.',
  }),
  ...chosen.local({
    'scenario/video-loaded':
      'VHS_LoadVideo returns the frames of its file that its settings choose, and their number.',
    'scenario/video-combine':
      'VHS_VideoCombine saves its pictures as a video of its frame rate and format, the first as PNG.',
    'scenario/video-combine-sound':
      'VHS_VideoCombine with audio saves the video again with a silent track, and lists that file.',
  }),
  ...rulesOf({ basis: 'chosen', since: '0.27' }).local({
    'scenario/start-subgraphs': 'The subgraphs of a scenario are those of the server.',
  }),
  ...chosen.both({
    'scenario/start-numbers':
      'Runs of the start do not count: the first run of a client is number 1, with its usual id.',
  }),
  ...chosen.hosted({
    'scenario/start-account':
      'Files and runs of a scenario that name a user exist for that account, others for each.',
  }),
  ...chosen.both({
    'scenario/merged':
      'Several scenarios are one: their lists are joined in order, and later options override.',
  }),
} as const satisfies Rules
