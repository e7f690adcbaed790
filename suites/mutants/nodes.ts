// Wrong servers whose nodes compute wrong results, or show them wrongly.

import { type Mutants, onData, onPicture, onText } from './tamper.ts'

export const nodes: Mutants = {
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
