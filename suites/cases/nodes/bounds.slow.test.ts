// Nodes with inputs that would take too much memory or time: the run fails, and the server goes on.

import { type Graph, node } from '../../generate/graphs.ts'
import { errorIn, runOf, textsOf } from '../../judge/nodes/shown.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const huge = node('PrimitiveInt', { value: 2 ** 40 })
const less = node('PrimitiveInt', { value: -5 })
const picture = node('EmptyImage', { width: 4, height: 4, batch_size: 1, color: 0 })
const latent = node('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 })
const preview = (source: string) => node('PreviewImage', { images: [source, 0] })
const shown = (source: string) => node('PreviewAny', { source: [source, 0] })
const string = 'a'.repeat(2 ** 12)

/** Graphs by what they ask for. */
const graphs: Readonly<Record<string, Graph>> = {
  'a batch without end': {
    picture,
    huge,
    one: node('RepeatImageBatch', { image: ['picture', 0], amount: ['huge', 0] }),
    show: preview('one'),
  },
  'a blur without end': {
    picture,
    huge,
    one: node('ImageBlur', { image: ['picture', 0], blur_radius: ['huge', 0], sigma: 1 }),
    show: preview('one'),
  },
  'latents without end': {
    latent,
    huge,
    one: node('RepeatLatentBatch', { samples: ['latent', 0], amount: ['huge', 0] }),
    show: shown('one'),
  },
  'steps without end': {
    huge,
    one: node('KarrasScheduler', { steps: ['huge', 0], sigma_max: 14, sigma_min: 0.03, rho: 7 }),
    show: shown('one'),
  },
  'batches of less than nothing': {
    less,
    picture,
    one: node('RebatchImages', { images: ['picture', 0], batch_size: ['less', 0] }),
    show: preview('one'),
  },
  'latents in batches of less than nothing': {
    less,
    latent,
    one: node('RebatchLatents', { latents: ['latent', 0], batch_size: ['less', 0] }),
    show: node('SaveLatent', { samples: ['one', 0], filename_prefix: 'less' }),
  },
  'a mask of less than nothing': {
    less,
    one: node('SolidMask', { value: 1, width: ['less', 0], height: 1 }),
    show: node('MaskPreview', { mask: ['one', 0] }),
  },
  'a text that doubles': {
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `${at}`,
        node('StringConcatenate', {
          string_a: at === 0 ? string : [`${at - 1}`, 0],
          string_b: at === 0 ? string : [`${at - 1}`, 0],
          delimiter: '',
        }),
      ]),
    ),
    show: node('StringLength', { string: ['19', 0] }),
    number: shown('show'),
  },
  'a conditioning that doubles': {
    ...Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `${at + 1}`,
        node('ConditioningCombine', { conditioning_1: [`${at}`, 0], conditioning_2: [`${at}`, 0] }),
      ]),
    ),
    0: node('LotusConditioning', {}),
    show: shown('30'),
  },
  'a replacement that grows': {
    one: node('RegexReplace', {
      string: 'a'.repeat(2 ** 16),
      regex_pattern: 'a',
      replace: '\\g<0>'.repeat(2 ** 10),
    }),
    show: shown('one'),
  },
  'groups in a pattern without end': {
    one: node('RegexMatch', {
      string: 'a',
      regex_pattern: '(a)'.repeat(2 ** 16),
      case_insensitive: true,
      multiline: false,
      dotall: false,
    }),
    show: shown('one'),
  },
  'an animation wider than its format': {
    wide: node('PrimitiveInt', { value: 2 ** 15 }),
    one: node('EmptyImage', { width: ['wide', 0], height: 1, batch_size: 1, color: 0 }),
    show: node('SaveAnimatedWEBP', {
      images: ['one', 0],
      filename_prefix: 'wide',
      fps: 6,
      lossless: true,
      quality: 80,
      method: 'default',
    }),
  },
  'an expression nested without end': {
    one: node('RegexReplace', {
      string: 'a',
      regex_pattern: '('.repeat(50_000),
      replace: 'x',
    }),
    show: shown('one'),
  },
}

proves(
  ['nodes/exceptions', 'nodes/expressions-bounded'],
  async (subject) => {
    for (const [what, graph] of Object.entries(graphs))
      expect({ what, error: await errorIn(subject, graph) }).toEqual({
        what,
        error: expect.any(Object),
      })
    // Lists of less than nothing come to an end, too.
    const { entry: ended } = await runOf(subject, {
      latent,
      less,
      one: node('RebatchLatents', { latents: ['latent', 0], batch_size: ['less', 0] }),
      show: shown('one'),
    })
    expect(ended).toBeDefined()
    expect(await textsOf(subject, {}, { text: 'on' })).toEqual({ text: 'on' })
  },
  ownWorld,
)
