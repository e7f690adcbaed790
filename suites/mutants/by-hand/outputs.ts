// Wrong servers whose runs save wrong files, describe them wrongly, or compute wrong results.

import {
  mapped,
  type Mutants,
  onData,
  onEntry,
  onJson,
  onPicture,
  onSound,
  onVideo,
  onText,
  without,
} from '../tamper.ts'

/** Puts the folder of each file entry into its name. */
const joined = (text: string): string =>
  text.replace(/"filename":"(.*?)","subfolder":"(.*?)"/g, '"filename":"$2/$1","subfolder":""')

/** Changes the second of several files that an output lists. */
const onSecondFile = (change: (second: any, first: any) => unknown) =>
  onEntry((entry) => ({
    ...entry,
    outputs: mapped(entry.outputs ?? {}, (output) =>
      mapped(output, (items) =>
        Array.isArray(items) && items[0]?.filename !== undefined
          ? items.map((item, at) => (at === 1 ? change(item, items[0]) : item))
          : items,
      ),
    ),
  }))

/** Changes each output of a run in the history. */
const onOutputs = (change: (output: any) => unknown) =>
  onEntry((entry) => ({
    ...entry,
    outputs: Object.fromEntries(
      Object.entries(entry.outputs).map(([id, output]) => [id, change(output)]),
    ),
  }))

export const outputs: Mutants = {
  'animations-are-still': {
    breaks: ['files/animated'],
    tamper: onText(/^GET \/history/, /"animated": ?\[true\]/g, '"animated":[false]'),
  },
  'previews-are-outputs': {
    breaks: ['files/preview-is-temp'],
    tamper: onText(/^GET \/history/, /"type": ?"temp"/g, '"type":"output"'),
  },
  'models-without-camera': {
    breaks: ['files/preview-3d'],
    tamper: onText(/^GET \/history/, /"result": ?\[/g, '"results":['),
  },
  'audio-without-underscore': {
    breaks: ['files/audio-underscore'],
    tamper: onText(/^GET \/history/, /_\.(flac|mp3|opus)/g, '.$1'),
  },
  'entry-is-a-path': {
    breaks: ['files/entry', 'files/saved-name'],
    tamper: onJson(/^GET \/history/, (entries) => JSON.parse(joined(JSON.stringify(entries)))),
  },
  'entry-unsaid': {
    breaks: ['files/entry'],
    tamper: onData('executed', (data) => ({ ...data, output: {} })),
  },
  'saved-from-zero': {
    breaks: ['files/saved-name', 'files/entry'],
    tamper: onText(/^GET \/history/, /_00001_/g, '_00000_'),
  },
  'animation-is-still': {
    breaks: ['files/animation-frames', 'files/animation-text', 'files/animation-pixels'],
    tamper: onPicture(({ animation: _, ...still }) => still),
  },
  'video-lacks-the-last-frame': {
    breaks: ['files/videos', 'files/video-blocks'],
    tamper: onVideo(({ rest, ...more }) => ({ ...more, rest: rest.slice(0, -1) })),
  },
  'video-runs-backwards': {
    breaks: ['files/video-blocks'],
    tamper: onVideo(({ rest, ...more }) => ({ ...more, rest: rest.toReversed() })),
  },
  'video-of-whole-rates': {
    breaks: ['files/videos'],
    tamper: onVideo(({ frameMs, ...more }) => ({
      ...more,
      frameMs: 1000 / Math.round(1000 / frameMs),
    })),
  },
  'video-is-silent': {
    breaks: ['files/video-sound'],
    tamper: onVideo(({ sound: _, ...more }) => more),
  },
  'video-without-text': {
    breaks: ['files/video-text'],
    tamper: onPicture((file) => (file.format === 'png' ? file : { ...file, text: [] })),
  },
  'sound-is-shorter': {
    breaks: ['files/sounds', 'nodes/sound-decoded'],
    tamper: onSound(({ sound, ...file }) => ({
      ...file,
      sound: { ...sound, samples: sound.samples - 4096 },
    })),
  },
  'sound-without-text': {
    breaks: ['files/sound-text'],
    tamper: onSound((file) => ({ ...file, text: [] })),
  },
  'fingerprints-stay-inside': {
    breaks: ['files/is-changed', 'files/is-changed-of-own'],
    tamper: onPicture((file) => ({ ...file, text: [['prompt', '{"load": {}}']] })),
  },
  'videos-as-video': {
    breaks: ['files/local-videos', 'files/videos'],
    tamper: onText(/^GET \/history/, '"videos"', '"video"'),
  },
  'second-of-a-batch-is-the-first': {
    breaks: ['files/saved-name'],
    tamper: onSecondFile((second, { filename }) => ({ ...second, filename })),
  },
  'second-of-a-batch-is-temp': {
    breaks: ['files/entry'],
    tamper: onSecondFile((second) => ({ ...second, type: 'temp' })),
  },
  'audio-names-end-in-underscores': {
    breaks: ['files/audio-names', 'files/audio-counts'],
    tamper: onText(/^GET \/history/, /(_\d{5})\.(flac|mp3)/g, '$1_.$2'),
  },
  'audio-counts-from-one': {
    breaks: ['files/audio-counts'],
    tamper: onText(/^GET \/history/, /_00002\./g, '_00001.'),
  },
  'models-in-two-parts': {
    breaks: ['files/preview-3d-parts'],
    tamper: onOutputs((output) =>
      'result' in output ? { result: output.result.slice(0, 2) } : output,
    ),
  },
  'files-are-not-described': {
    breaks: ['files/output-metadata'],
    tamper: onOutputs((output) =>
      Array.isArray(output.images)
        ? { ...output, images: output.images.map((file: object) => without(file, 'metadata')) }
        : output,
    ),
  },
}

export const results: Mutants = {
  'texts-reversed': {
    breaks: ['nodes/texts', 'nodes/expressions', 'nodes/tensor-text'],
    tamper: onText(/^GET \/history/, /"text": \["/g, '"text": ["!'),
  },
  'exception-without-name': {
    breaks: ['nodes/exceptions', 'nodes/expressions-bounded'],
    tamper: onData('execution_error', (data) => ({ ...data, exception_type: 'Exception' })),
  },
  'pixels-of-another-picture': {
    breaks: ['nodes/pixels', 'nodes/masks', 'nodes/mixed', 'nodes/chain-bounded'],
    tamper: onPicture(({ picture, ...file }) => ({
      ...file,
      picture: {
        kind: 'solid',
        id: 1,
        width: picture.width,
        height: picture.height,
        color: 0x123456,
      },
    })),
  },
  'sizes-swapped': {
    breaks: ['nodes/sizes'],
    tamper: onPicture(({ picture, ...file }) => ({
      ...file,
      picture: { kind: 'solid', id: 2, width: picture.height, height: picture.width, color: 0 },
    })),
  },
  'latents-are-samples': {
    breaks: ['nodes/latents-saved'],
    tamper: onText(
      /^GET \/history/,
      /"latents": \[/g,
      '"latents": [{"filename": "no.latent", "subfolder": "", "type": "output"}, ',
    ),
  },
}
