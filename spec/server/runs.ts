// The execution of a workflow: order of nodes, cache, failure.

import { type Rules, stated, chosen, observedIn, observedAt } from '../language.ts'

const observed = observedIn('execution')

export const rules = {
  ...observed.both({
    'runs/sources-first':
      'Only nodes that outputs depend on run, each after the nodes that its inputs link to.',
  }),
  ...observed.local({
    'runs/node-order':
      'Of the ready nodes outputs run first, then nodes one and two links before outputs.',
  }),
  ...observedAt('ComfyUI 0.3.64 and 0.27.0, execution').local({
    'runs/last-link-first':
      'Of the sources of a node that are equally near to outputs, that of its last link runs first.',
  }),
  ...observed.local({
    'runs/order-of-outputs':
      'Outputs, each with its dependencies, are executed in the order of their list.',
  }),
  ...observed.both({
    'runs/unchanged-is-cached':
      'A node with the same type, inputs and sources as in the previous run does not run again.',
  }),
  ...observed.local({
    'runs/cache-ignores-ids': 'The cache identifies nodes by what they do, not by their ids.',
    'runs/cache-of-last-graph': 'The cache holds only results for the graph of the previous run.',
  }),
  ...observedAt('ComfyUI 0.27.0 and 0.33.0, execution', { since: '0.27' }).local({
    'runs/cache-until-first-node':
      'Results of earlier graphs stay cached until a node of the new run has ended.',
  }),
  ...observedAt('ComfyUI 0.3.64, --cache-none').both({
    'runs/cache-none': 'With --cache none every run executes all nodes that its outputs depend on.',
  }),
  ...observed.local({
    'runs/cached-output-again':
      'A cached output node sends its stored output again and writes no file.',
    'runs/changed-file-runs': 'A loader runs again when the bytes of its file have changed.',
    'runs/stored-video-runs':
      'LoadVideo runs again when its file was stored again, even with the same bytes.',
    'runs/given-fingerprint':
      'is_changed of a submitted loader represents its file: the same value counts as unchanged.',
  }),
  ...observed.both({ 'runs/failure-ends': 'The first failing node ends the run.' }),
  ...observed.local({
    'runs/no-time-out':
      'The server limits neither the duration of a run nor the time that a socket waits.',
  }),
  ...observed.before27({
    'runs/tile-steps': 'Tiled VAE nodes and ImageUpscaleWithModel send progress for each tile.',
    'runs/sigma-steps': 'A custom sampler sends progress for each of its sigmas except one.',
  }),
  ...observedAt('ComfyUI 0.3.64 and 0.27.0, execution').local({
    'runs/no-denoise':
      'KSampler with a denoise of 0 has no steps: it sends no progress, and returns its latent.',
  }),
  ...observedAt('ComfyUI 0.3.64, a recorded session').both({
    'runs/joined-texts': 'StringConcatenate puts its delimiter between its two texts.',
  }),
  ...observed.before27({
    'runs/dpm-fast-steps':
      'The sampler dpm_fast sends floor(steps / 3) + 1 values, with its steps as max.',
  }),
  ...observed.local({
    'runs/list-maps':
      'A node is called for each item of its longest list; shorter lists repeat their last item.',
    'runs/list-joined':
      'A node that is called for several items returns their outputs as lists, in one executed.',
    'runs/list-steps':
      'The progress of a node restarts with each item, and the node finishes once.',
    'runs/list-interrupted': 'An interrupt also takes effect between the items of a node.',
    'runs/list-rebatched':
      'RebatchImages and RebatchLatents accept whole lists and return one list of batches.',
    'runs/list-taken-whole':
      'A type whose is_input_list is true is called once, with all images of a list.',
    'runs/image-batch':
      'ImageBatch returns the images of both inputs as one batch, in the size of the first.',
    'runs/batch-part':
      'ImageFromBatch returns up to length images of a batch, starting at batch_index.',
    'runs/batch-repeated': 'RepeatImageBatch returns the same images amount times.',
    'runs/local-exception-names': 'A local exception_type is the name of a Python class.',
  }),
  ...stated.hosted({
    'runs/exception-words': 'The exception_type of a hosted failure is one of six words. [A144]',
    'runs/validation-error':
      'A bad workflow or input that passes validation fails with ValidationError. [A145]',
  }),
  ...stated.both({
    'runs/validation-details':
      'A ValidationError and its job contain node_errors, as the reply to an invalid workflow does. [A145]',
  }),
  ...stated.hosted({
    'runs/model-download-error':
      'A run whose model is not available fails with ModelDownloadError. [A146]',
    'runs/image-download-error':
      'A run whose input image cannot be fetched fails with ImageDownloadError. [A147]',
    'runs/oom-error': 'A run that runs out of GPU memory fails with OOMError. [A148]',
    'runs/insufficient-funds-error':
      'A partner node that costs more than the balance fails with InsufficientFundsError. [A149]',
    'runs/inactive-subscription-error':
      'A run without an active subscription fails with InactiveSubscriptionError. [A150]',
    'runs/failure-after-start':
      'A hosted run that fails was accepted, and sends execution_start before its error. [A144]',
  }),
  ...chosen.both({
    'runs/cache-lru':
      'With --cache lru runs also reuse results of earlier graphs, of the last hundred.',
  }),
  ...chosen.local({
    'runs/list-of-batch':
      'A list output of any other type has one item for each image of its batch.',
    'runs/list-too-long':
      'A node that outputs more than 4096 images or list items runs out of memory.',
    'runs/not-a-number':
      'A NaN ends at most its run, at a node that computes a size or a duration from it.',
    'runs/poison-fails-its-run':
      'A request that breaks the worker of a real server fails only its run.',
  }),
  ...chosen.both({
    'runs/scenario-failures':
      'A failure in the scenario ends the runs that it names at its node, cached or not.',
    'runs/scenario-first':
      'The first of several failures for a node applies; one that names no node hits the first node.',
  }),
  ...chosen.hosted({
    'runs/account-failures':
      'A failure set for an account ends each of its runs with that word, before any node starts.',
    'runs/other-failures':
      'The hosted server reports lack of memory as OOMError and other exceptions as ValidationError.',
  }),
} as const satisfies Rules
