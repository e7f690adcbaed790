// The execution of a workflow: order of nodes, cache, failure.

import { both, hosted, local, type Rules } from '../language.ts'

export const rules = {
  'runs/sources-first': {
    says: 'Only nodes that outputs need run, each after the nodes that its inputs link to.',
    basis: 'observed',
    on: both,
  },
  'runs/node-order': {
    says: 'Of the ready nodes outputs run first, then those one and two links before outputs.',
    basis: 'observed',
    on: local,
  },
  'runs/unchanged-is-cached': {
    says: 'A node with the type, inputs and sources of the run before is not run again.',
    basis: 'observed',
    on: both,
  },
  'runs/cache-ignores-ids': {
    says: 'The cache knows nodes by what they do, not by their ids.',
    basis: 'observed',
    on: local,
  },
  'runs/cache-of-last-graph': {
    says: 'The cache holds only results for the graph of the run before.',
    basis: 'observed',
    on: local,
  },
  'runs/cached-output-again': {
    says: 'A cached output node shows its stored output again and writes no file.',
    basis: 'observed',
    on: local,
  },
  'runs/changed-file-runs': {
    says: 'A loader runs again when the bytes of its file have changed.',
    basis: 'observed',
    on: local,
  },
  'runs/stored-video-runs': {
    says: 'LoadVideo runs again when its file was stored again, with the same bytes too.',
    basis: 'observed',
    on: local,
  },
  'runs/given-fingerprint': {
    says: 'is_changed of a submitted loader stands for its file: while it stays, nothing changed.',
    basis: 'observed',
    on: local,
  },
  'runs/failure-ends': {
    says: 'The first failing node ends the run.',
    basis: 'observed',
    on: both,
  },
  'runs/no-time-out': {
    says: 'A run takes as long as it takes, and no socket is closed for having waited.',
    basis: 'observed',
    on: local,
  },
  'runs/tile-steps': {
    says: 'Tiled VAE nodes and ImageUpscaleWithModel send progress for each tile.',
    basis: 'observed',
    on: local,
  },
  'runs/sigma-steps': {
    says: 'A custom sampler sends progress for each of its sigmas but one.',
    basis: 'observed',
    on: local,
  },
  'runs/dpm-fast-steps': {
    says: 'The sampler dpm_fast tells floor(steps / 3) + 1 values, and its steps as max.',
    basis: 'observed',
    on: local,
  },
  'runs/list-maps': {
    says: 'A node is called for each item of its longest list; shorter lists repeat their last.',
    basis: 'observed',
    on: local,
  },
  'runs/list-joined': {
    says: 'A node called for several items gives their outputs as lists, in one executed.',
    basis: 'observed',
    on: local,
  },
  'runs/list-steps': {
    says: 'The progress of a node begins again with each item, and it finishes once.',
    basis: 'observed',
    on: local,
  },
  'runs/list-interrupted': {
    says: 'An interrupt is also noticed between the items of a node.',
    basis: 'observed',
    on: local,
  },
  'runs/list-rebatched': {
    says: 'RebatchImages and RebatchLatents take whole lists and give one list of batches.',
    basis: 'observed',
    on: local,
  },
  'runs/list-taken-whole': {
    says: 'A type whose is_input_list is true is called once, with all pictures of a list.',
    basis: 'observed',
    on: local,
  },
  'runs/list-of-batch': {
    says: 'A list output of any other type has one item for each picture of its batch.',
    basis: 'chosen',
    on: local,
  },
  'runs/image-batch': {
    says: 'ImageBatch gives the pictures of both inputs as one batch, in the size of the first.',
    basis: 'observed',
    on: local,
  },
  'runs/batch-part': {
    says: 'ImageFromBatch gives length pictures of a batch from batch_index on, as far as there are.',
    basis: 'observed',
    on: local,
  },
  'runs/batch-repeated': {
    says: 'RepeatImageBatch gives the same pictures again, amount times.',
    basis: 'observed',
    on: local,
  },
  'runs/list-too-long': {
    says: 'A node that gives more than 4096 pictures or items at an output is out of memory.',
    basis: 'chosen',
    on: local,
  },
  'runs/not-a-number': {
    says: 'A number that is NaN ends the run at most, where a size or a time is reckoned from it.',
    basis: 'chosen',
    on: local,
  },
  'runs/local-exception-names': {
    says: 'A local exception_type is the name of a Python class.',
    basis: 'observed',
    on: local,
  },
  'runs/poison-fails-its-run': {
    says: 'A request that breaks the worker of real servers fails only its own run.',
    basis: 'chosen',
    on: local,
  },
  'runs/exception-words': {
    says: 'The exception_type of a hosted failure is one of six words.',
    basis: 'stated',
    on: hosted,
    carries: ['A144'],
  },
  'runs/validation-error': {
    says: 'A bad workflow or input that validation lets through fails with ValidationError.',
    basis: 'stated',
    on: hosted,
    carries: ['A145'],
  },
  'runs/model-download-error': {
    says: 'A run whose model is not available fails with ModelDownloadError.',
    basis: 'stated',
    on: hosted,
    carries: ['A146'],
  },
  'runs/image-download-error': {
    says: 'A run whose input image cannot be fetched fails with ImageDownloadError.',
    basis: 'stated',
    on: hosted,
    carries: ['A147'],
  },
  'runs/oom-error': {
    says: 'A run that exhausts the GPU memory fails with OOMError.',
    basis: 'stated',
    on: hosted,
    carries: ['A148'],
  },
  'runs/insufficient-funds-error': {
    says: 'A partner node beyond the balance fails with InsufficientFundsError.',
    basis: 'stated',
    on: hosted,
    carries: ['A149'],
  },
  'runs/inactive-subscription-error': {
    says: 'A run without an active subscription fails with InactiveSubscriptionError.',
    basis: 'stated',
    on: hosted,
    carries: ['A150'],
  },
  'runs/scenario-failures': {
    says: 'A failure of the scenario ends the runs that it names at its node, cached or not.',
    basis: 'chosen',
    on: both,
  },
  'runs/scenario-first': {
    says: 'Of several failures for one node the first counts; one that names no node hits the first.',
    basis: 'chosen',
    on: both,
  },
  'runs/account-failures': {
    says: 'An account that is made to fail ends each run with that word, before any node begins.',
    basis: 'chosen',
    on: hosted,
  },
  'runs/other-failures': {
    says: 'Hosted tells a lack of memory as OOMError, and what has no word as ValidationError.',
    basis: 'chosen',
    on: hosted,
  },
  'runs/failure-after-start': {
    says: 'A hosted run that fails was accepted, and sends execution_start before its error.',
    basis: 'stated',
    on: hosted,
    carries: ['A144'],
  },
} as const satisfies Rules
