// Submitting a workflow: the graph, the payload, the reply, and the errors of validation.

import { both, hosted, local, type Endpoints, type Rules, type Schema } from '../language.ts'
import { hostedError, planRefusal } from './errors.ts'

/** A workflow in API format: nodes by id. The server keeps further keys of nodes, such as `_meta`. */
export const graph = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      class_type: { type: 'string' },
      inputs: { type: 'object' },
    },
    required: ['class_type', 'inputs'],
  },
} as const satisfies Schema

/** An input value that uses the output of another node: its id and the index of the output. */
export const link = {
  type: 'array',
  prefixItems: [{ type: 'string' }, { type: 'integer' }],
  minItems: 2,
  maxItems: 2,
} as const satisfies Schema

export const submitPayload = {
  type: 'object',
  properties: {
    prompt: graph,
    client_id: { type: 'string' },
    prompt_id: { type: 'string' },
    number: { type: 'number' },
    front: { type: 'boolean' },
    extra_data: {
      type: 'object',
      properties: {
        client_id: { type: 'string' },
        extra_pnginfo: { type: 'object' },
        api_key_partner_org: { type: 'string' },
        api_key_comfy_org: { type: 'string' },
        auth_token_comfy_org: { type: 'string' },
      },
    },
    /** The id of the saved workflow; the hosted server returns it with the job. */
    workflow_id: { type: 'string' },
    partial_execution_targets: {
      anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }],
    },
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

export const nodeErrorsOfNode = {
  type: 'object',
  properties: {
    errors: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          type: { type: 'string' },
          message: { type: 'string' },
          details: { type: 'string' },
          extra_info: { type: 'object' },
        },
        required: ['type', 'message', 'details', 'extra_info'],
      },
    },
    dependent_outputs: { type: 'array', items: { type: 'string' } },
    /** Null if the node has none. */
    class_type: { type: ['string', 'null'] },
  },
  required: ['errors', 'dependent_outputs', 'class_type'],
} as const satisfies Schema

export const nodeErrorsById = {
  type: 'object',
  additionalProperties: nodeErrorsOfNode,
} as const satisfies Schema

export const submitReply = {
  type: 'object',
  properties: {
    prompt_id: { type: 'string', volatile: true },
    number: { type: 'number', volatile: true },
    node_errors: nodeErrorsById,
  },
  required: ['prompt_id', 'number', 'node_errors'],
} as const satisfies Schema

export const submitRefusal = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        type: { type: 'string' },
        message: { type: 'string' },
        details: { type: 'string' },
        extra_info: { type: 'object' },
      },
      required: ['type', 'message', 'details', 'extra_info'],
    },
    node_errors: nodeErrorsById,
  },
  required: ['error', 'node_errors'],
} as const satisfies Schema

export const endpoints = {
  submit: {
    method: 'POST',
    path: '/prompt',
    on: both,
    does: 'Queues a workflow for execution.',
    body: submitPayload,
    replies: { 200: submitReply, 400: submitRefusal, 413: 'text', 500: 'text' },
    hostedReplies: {
      200: submitReply,
      400: { anyOf: [submitRefusal, hostedError] },
      402: planRefusal,
      429: planRefusal,
    },
    // Node types, inputs and links decide.
    rejectsValid: both,
    acceptsInvalid: both,
  },
} as const satisfies Endpoints

export const rules = {
  'workflows/submit-queues': {
    says: 'A valid workflow returns 200 and becomes a run.',
    basis: 'stated',
    on: both,
    carries: ['A1', 'A70'],
  },
  'workflows/reply': {
    says: 'The reply holds a text prompt_id, an integer number and an empty node_errors.',
    basis: 'stated',
    on: both,
    carries: ['A34', 'A35', 'A36'],
  },
  'workflows/answers-first': {
    says: 'The server sends the reply to a submit before the first message of its run.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/graph-by-id': {
    says: 'A workflow holds nodes by id, each with a class_type and inputs.',
    basis: 'stated',
    on: both,
    carries: ['A23', 'A24', 'A25', 'A26'],
  },
  'workflows/linked-inputs': {
    says: 'An input is a literal, or a link: an array of a node id and an output index.',
    basis: 'stated',
    on: both,
    carries: ['A27', 'A28'],
  },
  'workflows/extra-data-kept': {
    says: 'The run keeps the members of extra_data, and its listings contain them.',
    basis: 'stated',
    on: both,
    carries: ['A31'],
  },
  'workflows/create-time': {
    says: 'The extra_data of a run has its create_time in milliseconds, whatever the client sent.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, POST /prompt',
    on: local,
    since: '0.27',
  },
  'workflows/usage-source': {
    says: 'The header Comfy-Usage-Source is kept as comfy_usage_source, unless extra_data has one.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, POST /prompt',
    on: local,
    since: '0.27',
  },
  'workflows/extra-data-object': {
    says: 'extra_data that is not an object returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, POST /prompt',
    on: local,
    since: '0.27',
  },
  'workflows/hosted-client-id': {
    says: 'The hosted server ignores the client_id of a submit.',
    basis: 'stated',
    on: hosted,
    carries: ['A30'],
  },
  'workflows/hosted-own-id': {
    says: 'The hosted server assigns each run an id and ignores a prompt_id in the submit.',
    basis: 'chosen',
    on: hosted,
  },
  'workflows/hosted-number': {
    says: 'On the hosted server number counts the runs of the account; number and front have no effect.',
    basis: 'observed',
    source: 'published hosted API, 2026, POST /prompt',
    on: hosted,
  },
  'workflows/hosted-unreadable': {
    says: 'A hosted submit that cannot be read returns 400 with code and message.',
    basis: 'chosen',
    on: hosted,
  },
  'workflows/hosted-finite': {
    says: 'The hosted server rejects NaN and infinity, in a body and as the text of a float.',
    basis: 'chosen',
    on: hosted,
  },
  'workflows/invalid-names-nodes': {
    says: 'The reply to an invalid workflow names the invalid nodes in node_errors.',
    basis: 'stated',
    on: both,
    carries: ['A37', 'A141'],
  },
  'workflows/invalid-is-400': {
    says: 'A workflow without a valid output returns 400 with error and node_errors.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/invalid-leaves-nothing': {
    says: 'A rejected workflow does not reach the queue or the history and sends no message.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/half-valid': {
    says: 'A workflow with some valid outputs returns 200, and its valid part runs.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/no-prompt': {
    says: 'A body without prompt returns 400 with the type no_prompt.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/no-outputs': {
    says: 'A workflow without an output node returns 400 with the type prompt_no_outputs.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/unknown-class': {
    says: 'A missing or unknown class_type on any node returns 400 with invalid_prompt.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
    before: '0.27',
  },
  'workflows/behind-unknown-types': {
    says: 'A server that accepts unknown node types validates all nodes that feed or follow them.',
    basis: 'chosen',
    on: both,
  },
  'workflows/blame': {
    says: 'node_errors contains nodes with an unusable class_type and nodes of a cycle.',
    basis: 'chosen',
    on: both,
    before: '0.27',
  },
  'workflows/missing-node-type': {
    says: 'A missing or unknown class_type returns 400 with missing_node_type and the title of its node.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, POST /prompt',
    on: local,
    since: '0.27',
  },
  'workflows/cycle-named': {
    says: 'Each node of a cycle has one error dependency_cycle, which names the whole cycle.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, POST /prompt',
    on: local,
    since: '0.27',
  },
  'workflows/cycle-refused': {
    says: 'A cycle returns 400 with the type prompt_outputs_failed_validation.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/required-input': {
    says: 'A missing required input is reported as required_input_missing for its node.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/bad-link': {
    says: 'An array whose length is not two is reported as bad_linked_input.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/link-type': {
    says: 'A link between different types is reported as return_type_mismatch.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/link-to-nowhere': {
    says: 'A link to a missing node or output is reported as an exception of the node that holds it.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/unconvertible': {
    says: 'A literal that does not convert to its declared type is reported as invalid_input_type.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/bounds': {
    says: 'A number out of bounds is reported as value_smaller_than_min or value_bigger_than_max.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/not-in-list': {
    says: 'A value outside the options of a combo is reported as value_not_in_list.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/new-combo-unchecked': {
    says: 'A combo that is declared as COMBO accepts any literal.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
    before: '0.27',
  },
  'workflows/new-combo-checked': {
    says: 'A combo that is declared as COMBO rejects other values than its options, as Python writes them.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, POST /prompt',
    on: local,
    since: '0.27',
  },
  'workflows/missing-input-file': {
    says: 'A loader of a file that does not exist is reported as custom_validation_failed.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/no-outside-file': {
    says: 'A loader accepts no absolute path outside of the folders.',
    basis: 'chosen',
    on: local,
  },
  'workflows/check-trips': {
    says: 'A loader whose file name is missing or not a text is reported as an exception of the node.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
  },
  'workflows/traceback': {
    says: 'Validation exceptions contain a traceback that is never empty.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: both,
  },
  'workflows/union-types': {
    says: 'A link is valid when the comma-separated types of both ends have one in common.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/own-types': {
    says: 'A link of another type to a TripoConversionNode is reported as custom_validation_failed.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt; ComfyUI 0.27.0; ComfyUI 0.33.0',
    on: local,
  },
  'workflows/undeclared-inputs': {
    says: 'The server does not validate inputs that a node type does not declare.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/unreadable-inputs': {
    says: 'Inputs as an array or a text that contains the name of an input are an exception.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
    before: '0.27',
  },
  'workflows/dependent-outputs': {
    says: 'node_errors holds only invalid nodes, with the outputs that failed after they were found.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/details': {
    says: 'The details of an error list the errors of the output nodes, one per line.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/literals-converted': {
    says: 'Listings contain literals converted to their declared type.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
  },
  'workflows/wrapped-literals': {
    says: 'An object with __value__ stands for that value, including arrays.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
  },
  'workflows/number-counts': {
    says: 'Without number each submit, even a rejected one, uses the next integer from 0.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
  },
  'workflows/number-given': {
    says: 'A submitted number becomes that of the run; front negates the counted number.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
  },
  'workflows/number-as-float': {
    says: 'Listings contain a submitted number as a float and a counted one as an integer.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
  },
  'workflows/any-pace': {
    says: 'The server accepts submits at any rate.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
  },
  'workflows/prompt-id-given': {
    says: 'A submitted prompt_id becomes the id of the run.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
    before: '0.27',
  },
  'workflows/prompt-id-uuid': {
    says: 'A submitted prompt_id that is a UUID in lower case with hyphens becomes the id of the run.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, POST /prompt',
    on: local,
    since: '0.27',
  },
  'workflows/prompt-id-form': {
    says: 'Any other prompt_id returns 400 with invalid_prompt_id; null counts as absent.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, POST /prompt',
    on: local,
    since: '0.27',
  },
  'workflows/prompt-id-repeated': {
    says: 'A repeated prompt_id is accepted: each submit is queued, and its end replaces the history entry.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, POST /prompt',
    on: local,
    since: '0.27',
  },
  'workflows/prompt-id-made': {
    says: 'Without prompt_id the id of the run is a random UUID.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/partial-targets': {
    says: 'With partial_execution_targets the server validates and runs only the outputs named there.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/unreadable-targets': {
    says: 'Targets that hold no values, such as true, return 500 once an output node is found.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
  },
  'workflows/unknown-members': {
    says: 'The server ignores unknown members of the body and keeps those of nodes.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64; published hosted API, 2026: POST /prompt',
    on: both,
  },
  'workflows/keeps-key-order': {
    says: 'Nodes and inputs keep their order from the submitted text.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
  },
  'workflows/keeps-numbers': {
    says: 'Listings contain numbers as they were sent: 64-bit integers exact, 1.0 as 1.0.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt',
    on: local,
  },
  'workflows/replaced': {
    says: 'A node type that the server lacks is replaced by the one that took its place, before validation.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, node replacements',
    on: local,
    since: '0.27',
  },
  'workflows/replaced-without-input': {
    says: 'A node that lacks an input of its replacement returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, node replacements',
    on: local,
    since: '0.27',
  },
  'workflows/no-objects-crash': {
    says: 'A prompt, a node or the inputs of a node that is not an object returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, POST /prompt',
    on: local,
    since: '0.27',
  },
  'workflows/dynamic-inputs': {
    says: 'A node requires the inputs of the option that it chooses, and the least number of repeated ones.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, POST /prompt',
    on: local,
    since: '0.27',
  },
  'workflows/unknown-choice': {
    says: 'A missing or unknown choice of inputs is valid, and the node fails without it.',
    basis: 'observed',
    source: 'ComfyUI 0.33.0, POST /prompt',
    on: local,
    since: '0.33',
  },
} as const satisfies Rules
