// The bytes of a file of a sound.

import type { Sound, SoundFile } from '../pictures/picture.ts'
import type { Tensor } from '../compute/index.ts'
import type { Texts } from './comments.ts'
import { encodeFlac } from './flac.ts'
import { encodeMp3 } from './mp3.ts'
import { encodeOpus } from './opus.ts'
import { samplesOf, secondsOf } from './samples.ts'
import { encodeWav } from './wav.ts'

/**
 * The file of a sound: its samples in WAV and FLAC, silence of its length in MP3 and Opus.
 * @param read reads an item of a tensor; throws TooMuch when that takes too long.
 * @param isStrict whether such a sound ends with that exception, instead of in silence.
 */
export const encodeSound = (
  { sound, format, text }: Omit<SoundFile, 'text'> & { readonly text: Texts },
  read: (tensor: Tensor, index: number) => Float32Array,
  isStrict: boolean,
): Uint8Array => {
  if (format === 'mp3') return encodeMp3(lengthened(sound), text)
  if (format === 'opus') return encodeOpus(lengthened(sound), text)
  const samples = samplesOf(sound, read, isStrict)
  return format === 'wav' ? encodeWav(samples) : encodeFlac(samples, text)
}

const lengthened = (sound: Sound) => ({
  rate: sound.rate,
  channels: sound.channels,
  seconds: secondsOf(sound),
})
