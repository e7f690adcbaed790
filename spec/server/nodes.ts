// What nodes compute that need no model: texts, numbers, sizes, pictures, latents, sounds.

import { local, type Rules, chosen, rulesWith } from '../language.ts'

const source = 'ComfyUI 0.3.64, 7,262 results in recordings/nodes'
const later = 'ComfyUI 0.27.0, execution'

const recorded = rulesWith({
  basis: 'observed',
  source: 'ComfyUI 0.3.64, 7,262 results in recordings/nodes',
  on: local,
})

export const rules = {
  'nodes/texts': recorded(
    'Nodes for texts return what Python returns, and count characters, not UTF-16 units.',
  ),
  'nodes/expressions': {
    says: 'Regular expressions have the meaning, the replacements and the errors of Python.',
    basis: 'observed',
    source,
    library: 'Python/3.11',
    on: local,
  },
  'nodes/expressions-bounded': chosen.local(
    'A regular expression fails with a TimeoutError after 2,000,000 steps.',
  ),
  'nodes/sizes': recorded(
    'The size and the number of pictures follow from the inputs of a node, in names as well.',
  ),
  'nodes/pixels': recorded(
    'Pictures are computed from 0 to 1 and saved cut, not rounded: 0.5 is 127.',
  ),
  'nodes/masks': recorded(
    'Masks are combined, cut and grown number by number, and show as grey pictures.',
  ),
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
  'nodes/object-text': recorded(
    'PreviewAny shows an object by its module and class, and a function by its place.',
  ),
  'nodes/own-checks': recorded(
    'Inputs that a node checks itself, and literals that fit no bound, are refused before the run.',
  ),
  'nodes/folder-as-file': recorded(
    'A name of a folder passes the check of a loading node, and the run fails.',
  ),
  'nodes/folders': recorded(
    'LoadImageSetFromFolderNode returns the pictures of a folder in the size of the first.',
  ),
  'nodes/rendered': recorded(
    'Load3D returns the pictures that a front end has rendered and uploaded.',
  ),
  'nodes/tensor-text': recorded(
    'PreviewAny shows a picture, a mask or a latent as the text of its tensor.',
  ),
  'nodes/latents-saved': recorded(
    'SaveLatent writes the numbers of a computed latent, and LoadLatent reads them.',
  ),
  'nodes/scaled': recorded(
    'Scaled, turned and filtered pictures have the recorded colours, up to 2 of 255.',
  ),
  'nodes/latents': recorded(
    'Latents have the shapes and the numbers that follow from the inputs of a node.',
  ),
  'nodes/sigmas': recorded(
    'Schedulers return the levels of noise that the same formulas have elsewhere.',
  ),
  'nodes/together': recorded(
    'In whole workflows each node computes as it does alone, or ends the run as it does alone.',
  ),
  'nodes/hosted-same': chosen.hosted(
    'Nodes that need no model compute on hosted servers what they compute on local ones.',
  ),
  'nodes/chain-bounded': chosen.local(
    'Behind 400 nodes that compute, pictures are painted instead of computed.',
  ),
  'nodes/picture-bounded': chosen.local(
    'A picture for which more than 2,147,483,648 numbers have to be computed is painted instead.',
  ),
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
  'nodes/feathered-edges': {
    says: 'FeatherMask fades the last column and row at the right and bottom, not the first ones.',
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
