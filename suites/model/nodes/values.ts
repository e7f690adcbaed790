// The values of the model of computing nodes: plain arrays, written without a look at the emulator.

/** Pictures of one size: rows, then columns, then channels. The numbers are null where the model predicts only sizes. */
export type Image = {
  readonly kind: 'image'
  readonly height: number
  readonly width: number
  readonly channels: number
  readonly count: number
  readonly items: readonly (readonly number[])[] | null
}
export type Mask = {
  readonly kind: 'mask'
  readonly height: number
  readonly width: number
  readonly count: number
  readonly items: readonly (readonly number[])[] | null
}
/** A latent of zeros: only its shape is predicted. */
export type Latent = { readonly kind: 'latent'; readonly shape: readonly number[] }
/** A number that Python prints with a point. */
export type Float = { readonly kind: 'float'; readonly value: number }
/** Whole numbers are plain. */
export type Value = string | number | boolean | Float | Image | Mask | Latent

/** A node that ends its run with an exception of this type. */
export class Fails extends Error {
  readonly type: string
  constructor(type: string) {
    super(type)
    this.type = type
  }
}

/** What the model says nothing about. */
export class Unpredicted extends Error {}

export const fails = (type: string): never => {
  throw new Fails(type)
}
export const unpredicted = (): never => {
  throw new Unpredicted('The model says nothing about it.')
}

/** What a node is called with. */
export type Inputs = {
  readonly text: (name: string) => string
  readonly number: (name: string) => number
  readonly flag: (name: string) => boolean
  readonly image: (name: string) => Image
  readonly mask: (name: string) => Mask
  readonly latent: (name: string) => Latent
  readonly has: (name: string) => boolean
}

/** A node type: from its inputs to its outputs. */
export type Op = (inputs: Inputs) => readonly Value[]
export type Ops = Readonly<Record<string, Op>>

type Kinds = { readonly image: Image; readonly mask: Mask; readonly latent: Latent }

/** The type of the exception for a socket that carries something else; only numbers are predicted. */
const misuses: Readonly<Record<string, string>> = {
  'PreviewImage.images': 'TypeError',
  'SaveImage.images': 'TypeError',
  'MaskPreview.mask': 'AttributeError',
  'RebatchImages.images': 'AttributeError',
}

export function inputsOf(class_type: string, given: Readonly<Record<string, Value>>): Inputs {
  const of = <Kind extends keyof Kinds>(kind: Kind, name: string): Kinds[Kind] => {
    const value = given[name]
    if (typeof value === 'object' && value.kind === kind) return value as Kinds[Kind]
    const type = typeof value === 'number' ? misuses[`${class_type}.${name}`] : undefined
    return type === undefined ? unpredicted() : fails(type)
  }
  return {
    has: (name) => given[name] !== undefined,
    text: (name) => {
      const value = given[name]
      return typeof value === 'string' ? value : unpredicted()
    },
    number: (name) => {
      const value = given[name]
      if (typeof value === 'object' && value.kind === 'float') return value.value
      return typeof value === 'number' ? value : unpredicted()
    },
    flag: (name) => {
      const value = given[name]
      return typeof value === 'boolean' ? value : unpredicted()
    },
    image: (name) => of('image', name),
    mask: (name) => of('mask', name),
    latent: (name) => of('latent', name),
  }
}

/** Every calculation on a picture is one of 32 bits. */
export const f32 = Math.fround

/** Python's division and remainder round down, and its rounding takes the even number in the middle. */
export const roundEven = (value: number): number => {
  const floor = Math.floor(value)
  const above = value - floor
  if (above !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

/** The positions of Python's slice `start:end` of this length. */
export function sliced(start: number, end: number, length: number): readonly [number, number] {
  const at = (place: number): number =>
    place < 0 ? Math.max(0, place + length) : Math.min(place, length)
  return [at(start), Math.max(at(start), at(end))]
}

/** Another picture or mask of this size, whose pixel at a place is one of the given. */
export function redrawn<Kind extends Image | Mask>(
  of: Kind,
  height: number,
  width: number,
  from: (y: number, x: number) => readonly [y: number, x: number],
): Kind {
  const channels = of.kind === 'image' ? of.channels : 1
  const draw = (item: readonly number[]): readonly number[] => {
    const values: number[] = []
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const [row, column] = from(y, x)
        for (let channel = 0; channel < channels; channel++)
          values.push(item[(row * of.width + column) * channels + channel] ?? Number.NaN)
      }
    return values
  }
  return { ...of, height, width, items: of.items && of.items.map(draw) }
}

/** Each number of a picture or a mask, changed. */
export const changed = <Kind extends Image | Mask>(
  of: Kind,
  change: (value: number, at: number) => number,
): Kind => ({
  ...of,
  items: of.items && of.items.map((item) => item.map((value, at) => f32(change(value, at)))),
})

/** A part of rows and columns, as Python slices it. */
export function part<Kind extends Image | Mask>(
  of: Kind,
  rows: readonly [number, number],
  columns: readonly [number, number],
): Kind {
  const [top, bottom] = sliced(...rows, of.height)
  const [left, right] = sliced(...columns, of.width)
  return redrawn(of, bottom - top, right - left, (y, x) => [top + y, left + x])
}

/** Without its numbers. */
export const unknown = <Kind extends Image | Mask>(of: Kind): Kind => ({ ...of, items: null })

export const clamped = (value: number): number => Math.min(1, Math.max(0, value))
