// Submitting a workflow: the graph, the payload, the reply, and the errors of validation.

import {
  both,
  type Endpoints,
  type Rules,
  type Schema,
  chosen,
  stated,
  observedIn,
  observedAt,
  rulesOf,
} from '../language.ts'
import { hostedError, planRefusal } from './errors.ts'
import {
  anyObject,
  anyOf,
  boolean,
  integer,
  list,
  nothing,
  number,
  object,
  partial,
  record,
  text,
  textOrNull,
  volatile,
} from '../schema.ts'
import { post } from '../endpoint.ts'

/** A workflow in API format: nodes by id. The server keeps further keys of nodes, such as `_meta`. */
export const graph = record(object({ class_type: text, inputs: anyObject }))

/** An input value that uses the output of another node: its id and the index of the output. */
export const link = {
  type: 'array',
  prefixItems: [text, integer],
  minItems: 2,
  maxItems: 2,
} as const satisfies Schema

export const submitPayload = {
  type: 'object',
  properties: {
    prompt: graph,
    client_id: text,
    prompt_id: text,
    number: number,
    front: boolean,
    extra_data: partial({
      client_id: text,
      extra_pnginfo: anyObject,
      api_key_partner_org: text,
      api_key_comfy_org: text,
      auth_token_comfy_org: text,
    }),
    /** The id of the saved workflow; the hosted server returns it with the job. */
    workflow_id: text,
    workflow_version_id: text,
    partial_execution_targets: anyOf(list(text), nothing),
  },
  required: ['prompt'],
  examples: [
    {
      prompt: {
        '1': { class_type: 'LoadImage', inputs: { image: 'example.png' } },
        '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
      },
    },
  ],
} as const satisfies Schema

export const nodeErrorsOfNode = object({
  errors: {
    type: 'array',
    minItems: 1,
    items: object({ type: text, message: text, details: text, extra_info: anyObject }),
  },
  dependent_outputs: list(text),
  /** Null if the node has none. */
  class_type: textOrNull,
})

export const nodeErrorsById = record(nodeErrorsOfNode)

export const submitReply = object({
  prompt_id: volatile(text),
  number: volatile(number),
  node_errors: nodeErrorsById,
})

export const submitRefusal = object({
  error: object({ type: text, message: text, details: text, extra_info: anyObject }),
  node_errors: nodeErrorsById,
})

export const endpoints = {
  submit: post('/prompt', both, {
    does: 'Queues a workflow for execution.',
    body: submitPayload,
    replies: { 200: submitReply, 400: submitRefusal, 413: 'text', 500: 'text' },
    hostedReplies: {
      200: submitReply,
      400: anyOf(submitRefusal, hostedError),
      402: planRefusal,
      429: planRefusal,
    },
    // Node types, inputs and links decide.
    rejectsValid: both,
    acceptsInvalid: both,
  }),
} as const satisfies Endpoints

const observed = observedIn('POST /prompt')

export const rules = {
  ...stated.both({
    'workflows/submit-queues': 'A valid workflow returns 200 and becomes a run. [A1 A70]',
    'workflows/reply':
      'The reply holds a text prompt_id, an integer number and an empty node_errors. [A34 A35 A36]',
  }),
  ...observed.both({
    'workflows/answers-first':
      'The server sends the reply to a submit before the first message of its run.',
  }),
  ...stated.both({
    'workflows/graph-by-id':
      'A workflow holds nodes by id, each with a class_type and inputs. [A23 A24 A25 A26]',
    'workflows/linked-inputs':
      'An input is a literal, or a link: an array of a node id and an output index. [A27 A28]',
    'workflows/extra-data-kept':
      'The run keeps the members of extra_data, and its listings contain them. [A31]',
  }),
  ...observed.since27({
    'workflows/create-time':
      'The extra_data of a run has its create_time in milliseconds, whatever the client sent.',
    'workflows/usage-source':
      'The header Comfy-Usage-Source is kept as comfy_usage_source, unless extra_data has one.',
    'workflows/extra-data-object': 'extra_data that is not an object returns 500.',
  }),
  ...stated.hosted({
    'workflows/hosted-client-id': 'The hosted server ignores the client_id of a submit. [A30]',
  }),
  ...observed.hosted({
    'workflows/hosted-number':
      'On the hosted server number counts the runs of the account; number and front have no effect.',
  }),
  ...stated.both({
    'workflows/invalid-names-nodes':
      'The reply to an invalid workflow names the invalid nodes in node_errors. [A37 A141]',
  }),
  ...observed.both({
    'workflows/invalid-is-400':
      'A workflow without a valid output returns 400 with error and node_errors.',
    'workflows/invalid-leaves-nothing':
      'A rejected workflow does not reach the queue or the history and sends no message.',
    'workflows/half-valid':
      'A workflow with some valid outputs returns 200, and its valid part runs.',
    'workflows/no-prompt': 'A body without prompt returns 400 with the type no_prompt.',
    'workflows/no-outputs':
      'A workflow without an output node returns 400 with the type prompt_no_outputs.',
  }),
  ...observedAt('ComfyUI 0.3.64; published hosted API, 2026: POST /prompt', {
    before: '0.27',
  }).both({
    'workflows/unknown-class':
      'A missing or unknown class_type on any node returns 400 with invalid_prompt.',
  }),
  ...observed.since27({
    'workflows/missing-node-type':
      'A missing or unknown class_type returns 400 with missing_node_type and the title of its node.',
    'workflows/cycle-named':
      'Each node of a cycle has one error dependency_cycle, which names the whole cycle.',
  }),
  ...observed.both({
    'workflows/cycle-refused':
      'A cycle returns 400 with the type prompt_outputs_failed_validation.',
    'workflows/required-input':
      'A missing required input is reported as required_input_missing for its node.',
    'workflows/bad-link': 'An array whose length is not two is reported as bad_linked_input.',
    'workflows/link-type': 'A link between different types is reported as return_type_mismatch.',
    'workflows/link-to-nowhere':
      'A link to a missing node or output is reported as an exception of the node that holds it.',
    'workflows/unconvertible':
      'A literal that does not convert to its declared type is reported as invalid_input_type.',
    'workflows/bounds':
      'A number out of bounds is reported as value_smaller_than_min or value_bigger_than_max.',
    'workflows/not-in-list':
      'A value outside the options of a combo is reported as value_not_in_list.',
  }),
  ...observed.before27({
    'workflows/new-combo-unchecked': 'A combo that is declared as COMBO accepts any literal.',
  }),
  ...observed.since27({
    'workflows/new-combo-checked':
      'A combo that is declared as COMBO rejects other values than its options, as Python writes them.',
  }),
  ...observed.both({
    'workflows/missing-input-file':
      'A loader of a file that does not exist is reported as custom_validation_failed.',
  }),
  ...observed.local({
    'workflows/check-trips':
      'A loader whose file name is missing or not a text is reported as an exception of the node.',
  }),
  ...observedAt('ComfyUI 0.3.64, POST /prompt').both({
    'workflows/traceback': 'Validation exceptions contain a traceback that is never empty.',
  }),
  ...observed.both({
    'workflows/union-types':
      'A link is valid when the comma-separated types of both ends have one in common.',
  }),
  ...observedAt('ComfyUI 0.3.64, POST /prompt; ComfyUI 0.27.0; ComfyUI 0.33.0').local({
    'workflows/own-types':
      'A link of another type to a TripoConversionNode is reported as custom_validation_failed.',
  }),
  ...observed.both({
    'workflows/undeclared-inputs':
      'The server does not validate inputs that a node type does not declare.',
  }),
  ...observed.before27({
    'workflows/unreadable-inputs':
      'Inputs as an array or a text that contains the name of an input are an exception.',
  }),
  ...observed.both({
    'workflows/dependent-outputs':
      'node_errors holds only invalid nodes, with the outputs that failed after they were found.',
    'workflows/details':
      'The details of an error list the errors of the output nodes, one per line.',
  }),
  ...observed.local({
    'workflows/literals-converted': 'Listings contain literals converted to their declared type.',
    'workflows/wrapped-literals':
      'An object with __value__ stands for that value, including arrays.',
    'workflows/number-counts':
      'Without number each submit, even a rejected one, uses the next integer from 0.',
    'workflows/number-given':
      'A submitted number becomes that of the run; front negates the counted number.',
    'workflows/number-as-float':
      'Listings contain a submitted number as a float and a counted one as an integer.',
    'workflows/any-pace': 'The server accepts workflows at any rate.',
  }),
  ...observed.before27({
    'workflows/prompt-id-given': 'A submitted prompt_id becomes the id of the run.',
  }),
  ...observed.since27({
    'workflows/prompt-id-uuid':
      'A submitted prompt_id that is a UUID in lower case with hyphens becomes the id of the run.',
    'workflows/prompt-id-form':
      'Any other prompt_id returns 400 with invalid_prompt_id; null counts as absent.',
    'workflows/prompt-id-repeated':
      'A repeated prompt_id is accepted: each submit is queued, and its end replaces the history entry.',
  }),
  ...observed.both({
    'workflows/prompt-id-made': 'Without prompt_id the id of the run is a random UUID.',
    'workflows/partial-targets':
      'With partial_execution_targets the server validates and runs only the outputs named there.',
  }),
  ...observed.local({
    'workflows/unreadable-targets':
      'Targets that hold no values, such as true, return 500 once an output node is found.',
  }),
  ...observed.both({
    'workflows/unknown-members':
      'The server ignores unknown members of the body and keeps those of nodes.',
  }),
  ...observed.local({
    'workflows/keeps-key-order': 'Nodes and inputs keep their order from the submitted text.',
    'workflows/keeps-numbers':
      'Listings contain numbers as they were sent: 64-bit integers exact, 1.0 as 1.0.',
  }),
  ...observedAt('ComfyUI 0.27.0, node replacements', { since: '0.27' }).local({
    'workflows/replaced':
      'A node type that the server lacks is replaced by the one that took its place, before validation.',
    'workflows/replaced-without-input':
      'A node that lacks an input of its replacement returns 500.',
  }),
  ...observed.since27({
    'workflows/no-objects-crash':
      'A prompt, a node or the inputs of a node that is not an object returns 500.',
    'workflows/dynamic-inputs':
      'A node requires the inputs of the option that it chooses, and the least number of repeated ones.',
  }),
  ...observedAt('ComfyUI 0.33.0, POST /prompt', { since: '0.33' }).local({
    'workflows/unknown-choice':
      'A missing or unknown choice of inputs is valid, and the node fails without it.',
  }),
  ...chosen.hosted({
    'workflows/hosted-own-id':
      'The hosted server assigns each run an id and ignores a prompt_id in the submit.',
    'workflows/hosted-unreadable':
      'A hosted submit that cannot be read returns 400 with code and message.',
    'workflows/hosted-finite':
      'The hosted server rejects NaN and infinity, in a body and as the text of a float.',
  }),
  ...chosen.both({
    'workflows/behind-unknown-types':
      'A server that accepts unknown node types validates all nodes that feed or follow them.',
  }),
  ...rulesOf({ basis: 'chosen', before: '0.27' }).both({
    'workflows/blame':
      'node_errors contains nodes with an unusable class_type and nodes of a cycle.',
  }),
  ...chosen.local({
    'workflows/no-outside-file': 'A loader accepts no absolute path outside of the folders.',
  }),
} as const satisfies Rules
