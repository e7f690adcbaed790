// What nodes compute that need no model: texts, numbers, sizes, pictures, latents, sounds, videos.

import { type Rules, chosen, observedAt } from '../language.ts'

const recorded = observedAt('ComfyUI 0.3.64, 7,262 results in recordings/nodes')

export const rules = {
  ...recorded.local({
    'nodes/texts':
      'Nodes for texts return what Python returns, and count characters, not UTF-16 units.',
  }),
  ...observedAt('ComfyUI 0.3.64, 7,262 results in recordings/nodes', {
    library: 'Python/3.11',
  }).local({
    'nodes/expressions':
      'Regular expressions have the meaning, the replacements and the errors of Python.',
  }),
  ...recorded.local({
    'nodes/sizes':
      'The size and the number of pictures follow from the inputs of a node, in names as well.',
    'nodes/pixels': 'Pictures are computed from 0 to 1 and saved cut, not rounded: 0.5 is 127.',
    'nodes/masks': 'Masks are combined, cut and grown number by number, and show as grey pictures.',
  }),
  ...observedAt('ComfyUI 0.3.64, execution').local({
    'nodes/mixed': 'Nodes change the pictures of models by the same arithmetic as uploaded ones.',
  }),
  ...observedAt('ComfyUI 0.3.64, 7,262 results in recordings/nodes', {
    library: 'torch/2.13',
  }).local({
    'nodes/exceptions':
      'A node that cannot compute its inputs fails with the exception of Python or its library.',
  }),
  ...recorded.local({
    'nodes/object-text':
      'PreviewAny shows an object by its module and class, and a function by its place.',
    'nodes/own-checks':
      'Inputs that a node checks itself, and literals that fit no bound, are refused before the run.',
    'nodes/folder-as-file':
      'A name of a folder passes the check of a loading node, and the run fails.',
    'nodes/folders':
      'LoadImageSetFromFolderNode returns the pictures of a folder in the size of the first.',
    'nodes/rendered': 'Load3D returns the pictures that a front end has rendered and uploaded.',
    'nodes/tensor-text':
      'PreviewAny shows a picture, a mask or a latent as the text of its tensor.',
    'nodes/latents-saved':
      'SaveLatent writes the numbers of a computed latent, and LoadLatent reads them.',
    'nodes/scaled':
      'Scaled, turned and filtered pictures have the recorded colours, up to 2 of 255.',
    'nodes/latents':
      'Latents have the shapes and the numbers that follow from the inputs of a node.',
    'nodes/sigmas': 'Schedulers return the levels of noise that the same formulas have elsewhere.',
    'nodes/together':
      'In whole workflows each node computes as it does alone, or ends the run as it does alone.',
  }),
  ...observedAt('ComfyUI 0.27.0, execution', { since: '0.27' }).local({
    'nodes/passed-on':
      'Output nodes return what they save or show, for further nodes; PreviewAny returns its text.',
    'nodes/latent-scale':
      'Empty latents contain how many pixels one of theirs stands for, as downscale_ratio_spacial.',
    'nodes/alpha-added': 'Nodes that join two pictures give the one without alpha an opaque one.',
    'nodes/masks-repeated':
      'JoinImageWithAlpha repeats its pictures or its masks, so that all are used.',
    'nodes/resolution-steps':
      'ImageScaleToTotalPixels makes both sides multiples of resolution_steps.',
    'nodes/feathered-edges':
      'FeatherMask fades the last column and row at the right and bottom, not the first ones.',
    'nodes/pixels-of-nothing':
      'ImageScaleToTotalPixels fails for a picture without pixels with "float division by zero".',
  }),
  ...observedAt('ComfyUI 0.3.64, execution; ComfyUI 0.27.0').local({
    'nodes/printed-masks': 'PreviewAny shows the numbers of a loaded mask without channels.',
  }),
  ...observedAt('ComfyUI 0.27.0, execution', { since: '0.27' }).local({
    'nodes/printed-lines':
      'PreviewAny shows lists and objects with a line for each item, indented by four blanks.',
    'nodes/printed-edges': 'PreviewAny shows six items at each edge of a long tensor.',
  }),
  ...observedAt('ComfyUI 0.33.0, execution', { since: '0.33' }).local({
    'nodes/printed-characters':
      'PreviewAny shows lists and objects with their characters, not with escapes.',
  }),
  ...chosen.local({
    'nodes/expressions-bounded':
      'A regular expression fails with a TimeoutError after 2,000,000 steps.',
  }),
  ...chosen.hosted({
    'nodes/hosted-same':
      'Nodes that need no model compute on hosted servers what they compute on local ones.',
  }),
  ...chosen.local({
    'nodes/chain-bounded':
      'Behind 400 nodes that compute, pictures are painted instead of computed.',
    'nodes/picture-bounded':
      'A picture for which more than 2,147,483,648 numbers have to be computed is painted instead.',
    'nodes/video-loaded':
      'A loaded video has a picture for each of its frames, in its size, and its frame rate.',
    'nodes/sound-loaded':
      'A loaded sound has the length, rate and channels of its file: WAV its samples, others a tone.',
    'nodes/sound-decoded':
      'A sound that a model decodes is a tone as long as its latent stands for.',
  }),
} as const satisfies Rules
