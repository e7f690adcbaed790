// Wrong later local servers that name or describe what runs save wrongly, or their node types, or ignore a preview method.

import { type Mutants, onEntry, onFrame, onJson, onText, without } from '../tamper.ts'
import { of27, of38 } from './servers.ts'

/** Changes each output of a run in the history. */
const onOutputs = (change: (output: any) => unknown) =>
  onEntry((entry) => ({
    ...entry,
    outputs: Object.fromEntries(
      Object.entries(entry.outputs).map(([id, output]) => [id, change(output)]),
    ),
  }))

export const files: Mutants = {
  'audio-names-end-in-underscores': of27(
    ['files/audio-names', 'files/audio-counts'],
    onText(/^GET \/history/, /(_\d{5})\.(flac|mp3)/g, '$1_.$2'),
  ),
  'audio-counts-from-one': of27(
    ['files/audio-counts'],
    onText(/^GET \/history/, /_00002\./g, '_00001.'),
  ),
  'models-in-two-parts': of27(
    ['files/preview-3d-parts'],
    onOutputs((output) => ('result' in output ? { result: output.result.slice(0, 2) } : output)),
  ),
  'files-are-not-described': of38(
    ['files/output-metadata'],
    onOutputs((output) =>
      Array.isArray(output.images)
        ? { ...output, images: output.images.map((file: object) => without(file, 'metadata')) }
        : output,
    ),
  ),
}

export const catalog: Mutants = {
  'types-without-aliases': of27(
    ['catalog/later-members', 'catalog/new-style-members'],
    onJson(/^GET \/object_info$/, (types) =>
      Object.fromEntries(
        Object.entries(types).map(([name, type]) => [name, without(type, 'search_aliases')]),
      ),
    ),
  ),
  'types-without-badges': of27(
    ['catalog/new-style-members'],
    onJson(/^GET \/object_info$/, (types) =>
      Object.fromEntries(
        Object.entries<any>(types).map(([name, type]) => [
          name,
          'price_badge' in type ? without(type, 'dev_only') : type,
        ]),
      ),
    ),
  ),
}

export const frames: Mutants = {
  'preview-method-is-ignored': of27(
    ['frames/preview-method'],
    onFrame(() => []),
  ),
}
