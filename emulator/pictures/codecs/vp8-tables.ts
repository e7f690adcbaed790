// Tables of the VP8 standard (RFC 6386): probabilities of 256 with which a bit is 0.

import { bytesOfBase64 } from '../../lib/base64.ts'
import { inflate } from './inflate.ts'

const UPDATES = 4 * 8 * 3 * 11

/** With which probability each of the standard's probabilities stays as it is (section 13.4). */
export const updateProbabilities = (): Uint8Array =>
  inflate(
    bytesOfBase64(
      'eNqtk7EOwjAMRP//b5j5E6aKtUKgiFKaOHZgaO48uCqV8PR6ih374ra2E6cZOKTaMatCnqCOZh3VlZihPhRoDdgWoDjVBdPEwgqm/aNQt/Z7XIjXmnRNHksqut7OagN7uCuZU+T4Znry3jgAucZdxv76A9CLEw/4cBYkjjL1TJGndlvZ5M09i9II90IWXm3BPBtNHmn9r7EQi1XDE2cYzD9gJlbjglrlZjDLzSygF1Fp6tdV1NXQKa5J9rIFO1f2Jo6t/gC5sBjy',
    ),
    UPDATES,
  )

/** The probabilities of the bits of a coefficient's code. */
export type CodeProbabilities = readonly number[]

/** For the mean brightness of a block: by its position, 0 or 1, and by what stands before it. */
export const brightness: readonly (readonly CodeProbabilities[])[] = [
  [
    [198, 35, 237, 223, 193, 187, 162, 160, 145, 155, 62],
    [131, 45, 198, 221, 172, 176, 220, 157, 252, 221, 1],
    [68, 47, 146, 208, 149, 167, 221, 162, 255, 223, 128],
  ],
  [
    [1, 149, 241, 255, 221, 224, 255, 255, 128, 128, 128],
    [184, 141, 234, 253, 222, 220, 255, 199, 128, 128, 128],
    [81, 99, 181, 242, 176, 190, 249, 202, 255, 255, 128],
  ],
]

/** The same for its colour. */
export const colour: readonly (readonly CodeProbabilities[])[] = [
  [
    [253, 9, 248, 251, 207, 208, 255, 192, 128, 128, 128],
    [175, 13, 224, 243, 193, 185, 249, 198, 255, 255, 128],
    [73, 17, 171, 221, 161, 179, 236, 167, 255, 234, 128],
  ],
  [
    [1, 95, 247, 253, 212, 183, 255, 255, 128, 128, 128],
    [239, 90, 244, 250, 211, 209, 255, 255, 128, 128, 128],
    [155, 77, 195, 248, 188, 195, 255, 255, 128, 128, 128],
  ],
]

/** That a part of a block has no detail. */
export const NO_DETAIL = 253

/** Ranges of large coefficients: the least, and the probabilities of the bits that are added to it. */
export const ranges: readonly (readonly [least: number, bits: readonly number[]])[] = [
  [5, [159]],
  [7, [165, 145]],
  [11, [173, 148, 140]],
  [19, [176, 155, 140, 135]],
  [35, [180, 157, 141, 134, 130]],
  [67, [254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129]],
]
