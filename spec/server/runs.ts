// The execution of a workflow: order of nodes, cache, failure.

import { both, local, type Rules, stated, chosen, observedIn } from '../language.ts'

const observed = observedIn('execution')

export const rules = {
  'runs/sources-first': observed.both(
    'Only nodes that outputs depend on run, each after the nodes that its inputs link to.',
  ),
  'runs/node-order': observed.local(
    'Of the ready nodes outputs run first, then nodes one and two links before outputs.',
  ),
  'runs/last-link-first': {
    says: 'Of the sources of a node that are equally near to outputs, that of its last link runs first.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64 and 0.27.0, execution',
    on: local,
  },
  'runs/order-of-outputs': observed.local(
    'Outputs, each with its dependencies, are executed in the order of their list.',
  ),
  'runs/unchanged-is-cached': observed.both(
    'A node with the same type, inputs and sources as in the previous run does not run again.',
  ),
  'runs/cache-ignores-ids': observed.local(
    'The cache identifies nodes by what they do, not by their ids.',
  ),
  'runs/cache-of-last-graph': observed.local(
    'The cache holds only results for the graph of the previous run.',
  ),
  'runs/cache-until-first-node': {
    says: 'Results of earlier graphs stay cached until a node of the new run has ended.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0 and 0.33.0, execution',
    on: local,
    since: '0.27',
  },
  'runs/cache-lru': chosen.both(
    'With --cache lru runs also reuse results of earlier graphs, of the last hundred.',
  ),
  'runs/cache-none': {
    says: 'With --cache none every run executes all nodes that its outputs depend on.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, --cache-none',
    on: both,
  },
  'runs/cached-output-again': observed.local(
    'A cached output node sends its stored output again and writes no file.',
  ),
  'runs/changed-file-runs': observed.local(
    'A loader runs again when the bytes of its file have changed.',
  ),
  'runs/stored-video-runs': observed.local(
    'LoadVideo runs again when its file was stored again, even with the same bytes.',
  ),
  'runs/given-fingerprint': observed.local(
    'is_changed of a submitted loader represents its file: the same value counts as unchanged.',
  ),
  'runs/failure-ends': observed.both('The first failing node ends the run.'),
  'runs/no-time-out': observed.local(
    'The server limits neither the duration of a run nor the time that a socket waits.',
  ),
  'runs/tile-steps': observed.before27(
    'Tiled VAE nodes and ImageUpscaleWithModel send progress for each tile.',
  ),
  'runs/sigma-steps': observed.before27(
    'A custom sampler sends progress for each of its sigmas except one.',
  ),
  'runs/no-denoise': {
    says: 'KSampler with a denoise of 0 has no steps: it sends no progress, and returns its latent.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64 and 0.27.0, execution',
    on: local,
  },
  'runs/joined-texts': {
    says: 'StringConcatenate puts its delimiter between its two texts.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, a recorded session',
    on: both,
  },
  'runs/dpm-fast-steps': observed.before27(
    'The sampler dpm_fast sends floor(steps / 3) + 1 values, with its steps as max.',
  ),
  'runs/list-maps': observed.local(
    'A node is called for each item of its longest list; shorter lists repeat their last item.',
  ),
  'runs/list-joined': observed.local(
    'A node that is called for several items returns their outputs as lists, in one executed.',
  ),
  'runs/list-steps': observed.local(
    'The progress of a node restarts with each item, and the node finishes once.',
  ),
  'runs/list-interrupted': observed.local(
    'An interrupt also takes effect between the items of a node.',
  ),
  'runs/list-rebatched': observed.local(
    'RebatchImages and RebatchLatents accept whole lists and return one list of batches.',
  ),
  'runs/list-taken-whole': observed.local(
    'A type whose is_input_list is true is called once, with all images of a list.',
  ),
  'runs/list-of-batch': chosen.local(
    'A list output of any other type has one item for each image of its batch.',
  ),
  'runs/image-batch': observed.local(
    'ImageBatch returns the images of both inputs as one batch, in the size of the first.',
  ),
  'runs/batch-part': observed.local(
    'ImageFromBatch returns up to length images of a batch, starting at batch_index.',
  ),
  'runs/batch-repeated': observed.local('RepeatImageBatch returns the same images amount times.'),
  'runs/list-too-long': chosen.local(
    'A node that outputs more than 4096 images or list items runs out of memory.',
  ),
  'runs/not-a-number': chosen.local(
    'A NaN ends at most its run, at a node that computes a size or a duration from it.',
  ),
  'runs/local-exception-names': observed.local(
    'A local exception_type is the name of a Python class.',
  ),
  'runs/poison-fails-its-run': chosen.local(
    'A request that breaks the worker of a real server fails only its run.',
  ),
  'runs/exception-words': stated.hosted(
    'The exception_type of a hosted failure is one of six words.',
    'A144',
  ),
  'runs/validation-error': stated.hosted(
    'A bad workflow or input that passes validation fails with ValidationError.',
    'A145',
  ),
  'runs/validation-details': stated.both(
    'A ValidationError and its job contain node_errors, as the reply to an invalid workflow does.',
    'A145',
  ),
  'runs/model-download-error': stated.hosted(
    'A run whose model is not available fails with ModelDownloadError.',
    'A146',
  ),
  'runs/image-download-error': stated.hosted(
    'A run whose input image cannot be fetched fails with ImageDownloadError.',
    'A147',
  ),
  'runs/oom-error': stated.hosted('A run that runs out of GPU memory fails with OOMError.', 'A148'),
  'runs/insufficient-funds-error': stated.hosted(
    'A partner node that costs more than the balance fails with InsufficientFundsError.',
    'A149',
  ),
  'runs/inactive-subscription-error': stated.hosted(
    'A run without an active subscription fails with InactiveSubscriptionError.',
    'A150',
  ),
  'runs/scenario-failures': chosen.both(
    'A failure in the scenario ends the runs that it names at its node, cached or not.',
  ),
  'runs/scenario-first': chosen.both(
    'The first of several failures for a node applies; one that names no node hits the first node.',
  ),
  'runs/account-failures': chosen.hosted(
    'A failure set for an account ends each of its runs with that word, before any node starts.',
  ),
  'runs/other-failures': chosen.hosted(
    'The hosted server reports lack of memory as OOMError and other exceptions as ValidationError.',
  ),
  'runs/failure-after-start': stated.hosted(
    'A hosted run that fails was accepted, and sends execution_start before its error.',
    'A144',
  ),
} as const satisfies Rules
