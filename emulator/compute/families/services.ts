// Settings of outside services, as objects: nodes that only put values together.

import { floatOf, numberOf } from '../../lib/json.ts'
import { pythonRepr } from '../../lib/python.ts'
import type { Family, Inputs } from '../values/inputs.ts'
import { raise } from '../../lib/raised.ts'
import { Instance, objectText, type Value } from '../values/values.ts'

const recraft = (name: string, fields: Readonly<Record<string, Value>>): Instance =>
  new Instance(name, fields, objectText('comfy_api_nodes.apis.recraft_api', name))

/** A style of pictures; without one of its variants if that is None. */
const style =
  (name: string) =>
  ({ text }: Inputs): readonly Value[] => {
    const substyle = text('substyle')
    const fields = { style: name, substyle: substyle === 'None' ? null : substyle, style_id: null }
    return [recraft('RecraftStyle', fields)]
  }

const movements = {
  horizontal_movement: 'horizontal',
  vertical_movement: 'vertical',
  pan: 'pan',
  tilt: 'tilt',
  roll: 'roll',
  zoom: 'zoom',
} as const

const MOST_MOVEMENT = 10

/** A camera's way. A movement beyond its bounds is an exception. */
function camera({ number, text }: Inputs): readonly Value[] {
  const values = Object.entries(movements).map(([input, name]) => [name, number(input)] as const)
  const outside = values.filter(([, value]) => Math.abs(value) > MOST_MOVEMENT)
  if (outside.length > 0) {
    const texts = outside.map(([name, value]) => boundsText(name, value))
    const title = `${outside.length} validation error${outside.length > 1 ? 's' : ''} for KlingCameraConfig`
    raise('pydantic_core._pydantic_core.ValidationError', [title, ...texts].join('\n'))
  }
  const fields = Object.fromEntries(values.map(([name, value]) => [name, floatOf(value)]))
  const config = new Instance('KlingCameraConfig', fields)
  const type = text('camera_control_type')
  const members = values
    .map(([name, value]) => `${name}=${pythonRepr(floatOf(value))}`)
    .toSorted()
    .join(', ')
  const printed = `config=KlingCameraConfig(${members}) type=<KlingCameraControlType.${type}: '${type}'>`
  return [new Instance('KlingCameraControl', { config, type }, printed)]
}

function boundsText(name: string, value: number): string {
  const [word, kind, bound] =
    value > 0
      ? ['less', 'less_than_equal', MOST_MOVEMENT]
      : ['greater', 'greater_than_equal', -MOST_MOVEMENT]
  return [
    name,
    `  Input should be ${word} than or equal to ${bound} [type=${kind}, input_value=${pythonRepr(floatOf(value))}, input_type=float]`,
    `    For further information visit https://errors.pydantic.dev/2.11/v/${kind}`,
  ].join('\n')
}

/** A colour after those before it. */
function colour({ number, value }: Inputs): readonly Value[] {
  const previous = value('recraft_color')
  const known = previous instanceof Instance ? previous.fields.get('colors') : []
  const own = new Instance('RecraftColor', { color: [number('r'), number('g'), number('b')] })
  const colors = [...(Array.isArray(known) ? known : []), own] as Value[]
  return [recraft('RecraftColorChain', { colors })]
}

const truncations = new Set(['disabled', 'auto'])

function chat({ text, value, has }: Inputs): readonly Value[] {
  const truncation = text('truncation', 'auto')
  if (!truncations.has(truncation))
    raise(
      'pydantic_core._pydantic_core.ValidationError',
      `1 validation error for ModelResponseProperties\ntruncation\n  Input should be 'disabled' or 'auto' [type=enum, input_value=${pythonRepr(truncation)}, input_type=str]\n    For further information visit https://errors.pydantic.dev/2.11/v/enum`,
    )
  const fields = {
    instructions: has('instructions') ? text('instructions') : null,
    max_output_tokens: numberOf(value('max_output_tokens') as number) ?? null,
    model: null,
    temperature: 1,
    top_p: 1,
  }
  const members = Object.entries(fields).map(([name, one]) => `${name}=${pythonRepr(one)}`)
  const printed = `${members.join(' ')} truncation=<Truncation.${truncation}: '${truncation}'>`
  return [new Instance('ModelResponseProperties', { ...fields, truncation }, printed)]
}

/** The templates of a service by its numbers. */
const templates: Readonly<Record<string, number>> = {
  Microwave: 324641385496960,
  'Suit Swagger': 328545151283968,
  'Anything, Robot': 313358700761536,
  'Subject 3 Fever': 327828816843648,
  'kiss kiss': 315446315336768,
}

function template({ text }: Inputs): readonly Value[] {
  const name = text('template')
  const known = Object.hasOwn(templates, name) ? templates[name] : undefined
  return [known ?? raise('Exception', `Template '${name}' is not recognized.`)]
}

export const services: Family = {
  KlingCameraControls: camera,
  OpenAIChatConfig: chat,
  PixverseTemplateNode: template,
  RecraftColorRGB: colour,
  RecraftControls: ({ value }) => [
    recraft('RecraftControls', {
      colors: value('colors'),
      background_color: value('background_color'),
      artistic_level: null,
      no_text: null,
    }),
  ],
  RecraftStyleV3DigitalIllustration: style('digital_illustration'),
  RecraftStyleV3InfiniteStyleLibrary: ({ text }) => {
    const style_id = text('style_id')
    if (style_id === '') raise('Exception', 'The style_id input cannot be empty.')
    return [recraft('RecraftStyle', { style: null, substyle: null, style_id })]
  },
  RecraftStyleV3LogoRaster: style('logo_raster'),
  RecraftStyleV3RealisticImage: style('realistic_image'),
}
