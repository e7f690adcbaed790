// Wrong servers that compute wrong texts, names and pixels.

import { blendNodes } from '../../model/nodes/blend-nodes.ts'
import { composed, operations } from '../../model/nodes/mask-nodes.ts'
import { scalingNodes } from '../../model/nodes/scaling.ts'
import { rightOps } from '../../model/nodes/predict.ts'
import { titled } from '../../model/nodes/text-nodes.ts'
import {
  changed,
  f32,
  type Image,
  type Inputs,
  type Op,
  type Ops,
  part,
} from '../../model/nodes/values.ts'
import type { Mutants } from '../tamper.ts'
import { computing, namingEarlier } from './wrong-model.ts'

const rightOf = (class_type: string): Op => rightOps[class_type] as Op

/** What a right node returns for other inputs. */
const withInputs =
  (class_type: string, change: (inputs: Inputs) => Partial<Inputs>): Op =>
  (inputs) =>
    rightOf(class_type)({ ...inputs, ...change(inputs) })

const isLetter = (character: string): boolean =>
  character === "'" || character.toLowerCase() !== character.toUpperCase()

const mirrored = (inputs: Inputs): Partial<Inputs> => ({
  text: (name) => {
    const turn = inputs.text(name)
    return turn === '90 degrees' ? '270 degrees' : turn === '270 degrees' ? '90 degrees' : turn
  },
})

/** Pictures of a batch behind those that the other batch has stay as they are. */
function laidOnce(inputs: Inputs): readonly Image[] {
  const own = inputs.image('destination')
  const { count } = inputs.image('source')
  const [laid] = rightOf('ImageCompositeMasked')(inputs) as readonly [Image]
  const items =
    laid.items && laid.items.map((item, at) => (at < count ? item : (own.items?.[at] ?? item)))
  return [{ ...laid, items }]
}

const withOps = (ops: Ops) => computing({ ops })

export const nodes: Mutants = {
  'saves-rounded': {
    breaks: ['nodes/pixels', 'nodes/masks'],
    tamper: computing({
      byte: (value) => Math.round(Math.min(255, Math.max(0, f32(255 * value)))),
    }),
  },
  'scales-from-corners': {
    breaks: ['nodes/pixels'],
    tamper: withOps(
      scalingNodes((at, side, scaled) => Math.min(side - 1, Math.floor((at * side) / scaled))),
    ),
  },
  'titles-go-on-behind-apostrophes': {
    breaks: ['nodes/texts'],
    tamper: withOps({
      CaseConverter: (inputs) =>
        inputs.text('mode') === 'Title Case'
          ? [titled(inputs.text('string'), (before) => !isLetter(before))]
          : rightOf('CaseConverter')(inputs),
    }),
  },
  'substrings-count-units': {
    breaks: ['nodes/texts'],
    tamper: withOps({
      StringSubstring: ({ text, number }) => [text('string').slice(number('start'), number('end'))],
    }),
  },
  'lengths-count-units': {
    breaks: ['nodes/texts'],
    tamper: withOps({ StringLength: ({ text }) => [text('string').length] }),
  },
  'nothing-is-found-nowhere': {
    breaks: ['nodes/texts'],
    tamper: withOps({
      StringReplace: (inputs) =>
        inputs.text('find') === '' ? [inputs.text('string')] : rightOf('StringReplace')(inputs),
    }),
  },
  'blends-from-the-other': {
    breaks: ['nodes/pixels'],
    tamper: withOps(
      blendNodes((one, blended, share) =>
        f32(f32(one * f32(share)) + f32(blended * f32(1 - share))),
      ),
    ),
  },
  'subtracts-below-nothing': {
    breaks: ['nodes/masks'],
    tamper: withOps({
      MaskComposite: ({ mask, number, text }) => {
        const operation = operations[text('operation')] ?? ((own) => own)
        const [own, other] = [mask('destination'), mask('source')]
        return [composed(own, other, number('x'), number('y'), operation, (value) => value)]
      },
    }),
  },
  'lays-on-the-first-alone': {
    breaks: ['nodes/pixels'],
    tamper: withOps({ ImageCompositeMasked: laidOnce }),
  },
  'crops-keep-their-size': {
    breaks: ['nodes/sizes'],
    tamper: withOps({
      ImageCrop: ({ image, number }) => {
        const own = image('image')
        const [width, height] = [number('width'), number('height')]
        const x = Math.max(0, Math.min(number('x'), own.width - width))
        const y = Math.max(0, Math.min(number('y'), own.height - height))
        return [part(own, [y, y + height], [x, x + width])]
      },
    }),
  },
  'turns-left': {
    breaks: ['nodes/pixels'],
    tamper: withOps({ ImageRotate: withInputs('ImageRotate', mirrored) }),
  },
  'grows-into-corners': {
    breaks: ['nodes/masks'],
    tamper: withOps({
      GrowMask: withInputs('GrowMask', () => ({ flag: () => false })),
    }),
  },
  'alpha-is-the-mask': {
    breaks: ['nodes/pixels'],
    tamper: withOps({
      JoinImageWithAlpha: withInputs('JoinImageWithAlpha', ({ mask }) => ({
        mask: (name) => changed(mask(name), (value) => 1 - value),
      })),
    }),
  },
  'names-have-the-earlier-size': {
    breaks: ['nodes/sizes'],
    tamper: namingEarlier,
  },
}
