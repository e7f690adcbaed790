// What nodes compute that need no model: texts, numbers, sizes, pictures, latents, sounds.

import { hosted, local, type Rules } from '../language.ts'

const source = 'ComfyUI 0.3.64, 7,262 results in recordings/nodes'
const later = 'ComfyUI 0.27.0, execution'

export const rules = {
  'nodes/texts': {
    says: 'Nodes for texts return what Python returns, and count characters, not UTF-16 units.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/expressions': {
    says: 'Regular expressions have the meaning, the replacements and the errors of Python.',
    basis: 'observed',
    source,
    library: 'Python/3.11',
    on: local,
  },
  'nodes/expressions-bounded': {
    says: 'A regular expression fails with a TimeoutError after 2,000,000 steps.',
    basis: 'chosen',
    on: local,
  },
  'nodes/sizes': {
    says: 'The size and the number of pictures follow from the inputs of a node, in names as well.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/pixels': {
    says: 'Pictures are computed from 0 to 1 and saved cut, not rounded: 0.5 is 127.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/masks': {
    says: 'Masks are combined, cut and grown number by number, and show as grey pictures.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/mixed': {
    says: 'Nodes change the pictures of models by the same arithmetic as uploaded ones.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, execution',
    on: local,
  },
  'nodes/exceptions': {
    says: 'A node that cannot compute its inputs fails with the exception of Python or its library.',
    basis: 'observed',
    source,
    library: 'torch/2.13',
    on: local,
  },
  'nodes/object-text': {
    says: 'PreviewAny shows an object by its module and class, and a function by its place.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/own-checks': {
    says: 'Inputs that a node checks itself, and literals that fit no bound, are refused before the run.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/folder-as-file': {
    says: 'A name of a folder passes the check of a loading node, and the run fails.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/folders': {
    says: 'LoadImageSetFromFolderNode returns the pictures of a folder in the size of the first.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/rendered': {
    says: 'Load3D returns the pictures that a front end has rendered and uploaded.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/tensor-text': {
    says: 'PreviewAny shows a picture, a mask or a latent as the text of its tensor.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/latents-saved': {
    says: 'SaveLatent writes the numbers of a computed latent, and LoadLatent reads them.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/scaled': {
    says: 'Scaled, turned and filtered pictures have the recorded colours, up to 2 of 255.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/latents': {
    says: 'Latents have the shapes and the numbers that follow from the inputs of a node.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/sigmas': {
    says: 'Schedulers return the levels of noise that the same formulas have elsewhere.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/together': {
    says: 'In whole workflows each node computes as it does alone, or ends the run as it does alone.',
    basis: 'observed',
    source,
    on: local,
  },
  'nodes/hosted-same': {
    says: 'Nodes that need no model compute on hosted servers what they compute on local ones.',
    basis: 'chosen',
    on: hosted,
  },
  'nodes/chain-bounded': {
    says: 'Behind 400 nodes that compute, pictures are painted instead of computed.',
    basis: 'chosen',
    on: local,
  },
  'nodes/passed-on': {
    says: 'Output nodes return what they save or show, for further nodes; PreviewAny returns its text.',
    basis: 'observed',
    source: later,
    on: local,
    since: '0.27',
  },
  'nodes/latent-scale': {
    says: 'Empty latents contain how many pixels one of theirs stands for, as downscale_ratio_spacial.',
    basis: 'observed',
    source: later,
    on: local,
    since: '0.27',
  },
  'nodes/alpha-added': {
    says: 'Nodes that join two pictures give the one without alpha an opaque one.',
    basis: 'observed',
    source: later,
    on: local,
    since: '0.27',
  },
  'nodes/masks-repeated': {
    says: 'JoinImageWithAlpha repeats its pictures or its masks, so that all are used.',
    basis: 'observed',
    source: later,
    on: local,
    since: '0.27',
  },
  'nodes/resolution-steps': {
    says: 'ImageScaleToTotalPixels makes both sides multiples of resolution_steps.',
    basis: 'observed',
    source: later,
    on: local,
    since: '0.27',
  },
  'nodes/pixels-of-nothing': {
    says: 'ImageScaleToTotalPixels fails for a picture without pixels with "float division by zero".',
    basis: 'observed',
    source: later,
    on: local,
    since: '0.27',
  },
  'nodes/printed-masks': {
    says: 'PreviewAny shows the numbers of a loaded mask without channels.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, execution; ComfyUI 0.27.0',
    on: local,
  },
  'nodes/printed-lines': {
    says: 'PreviewAny shows lists and objects with a line for each item, indented by four blanks.',
    basis: 'observed',
    source: later,
    on: local,
    since: '0.27',
  },
  'nodes/printed-edges': {
    says: 'PreviewAny shows six items at each edge of a long tensor.',
    basis: 'observed',
    source: later,
    on: local,
    since: '0.27',
  },
  'nodes/printed-characters': {
    says: 'PreviewAny shows lists and objects with their characters, not with escapes.',
    basis: 'observed',
    source: 'ComfyUI 0.33.0, execution',
    on: local,
    since: '0.33',
  },
} as const satisfies Rules
