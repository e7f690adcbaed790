// The model of scaling: the sizes for each method, and the pixels of the nearest neighbour.

import { f32, type Image, type Ops, redrawn, roundEven, unknown, unpredicted } from './values.ts'

/** Where a row or a column of a scaled picture comes from: the pixel below its centre. */
const centre = (at: number, side: number, scaled: number): number =>
  Math.min(side - 1, Math.floor(f32((at + 0.5) * f32(side / scaled))))

/** A picture in another size. Only the nearest neighbour has predicted pixels. */
export function scaled(
  image: Image,
  width: number,
  height: number,
  method: string,
  from: typeof centre = centre,
): Image {
  if (Math.min(image.width, image.height, image.count, width, height) <= 0) return unpredicted()
  const result = redrawn(image, height, width, (y, x) => [
    from(y, image.height, height),
    from(x, image.width, width),
  ])
  const isSame = width === image.width && height === image.height
  return method === 'nearest-exact' || isSame ? result : unknown(result)
}

/** The middle of a picture, in the shape of the new size. */
function centred(image: Image, width: number, height: number): Image {
  const [old, next] = [image.width / image.height, width / height]
  const x = old > next ? roundEven((image.width - image.width * (next / old)) / 2) : 0
  const y = old < next ? roundEven((image.height - image.height * (old / next)) / 2) : 0
  return redrawn(image, image.height - 2 * y, image.width - 2 * x, (row, column) => [
    row + y,
    column + x,
  ])
}

/** The nodes that scale, with the given way to find a pixel. */
export const scalingNodes = (from: typeof centre = centre): Ops => ({
  ImageScale: ({ image, number, text }) => {
    const given = image('image')
    if (given.width === 0 || given.height === 0) unpredicted()
    let [width, height] = [number('width'), number('height')]
    if (width === 0 && height === 0) return [given]
    if (width === 0) width = Math.max(1, roundEven((given.width * height) / given.height))
    if (height === 0) height = Math.max(1, roundEven((given.height * width) / given.width))
    const own = text('crop') === 'center' ? centred(given, width, height) : given
    return [scaled(own, width, height, text('upscale_method'), from)]
  },
  ImageScaleBy: ({ image, number, text }) => {
    const given = image('image')
    const [width, height] = [given.width, given.height].map((side) =>
      roundEven(side * number('scale_by')),
    ) as [number, number]
    return [scaled(given, width, height, text('upscale_method'), from)]
  },
  ImageScaleToMaxDimension: ({ image, number, text }) => {
    const given = image('image')
    const largest = number('largest_size')
    const { width, height } = given
    const sides: readonly [number, number] =
      width > height
        ? [largest, roundEven((height / width) * largest)]
        : height > width
          ? [roundEven((width / height) * largest), largest]
          : [largest, largest]
    return [scaled(given, ...sides, text('upscale_method'), from)]
  },
})
