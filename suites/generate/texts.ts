// Random texts of any characters.

import * as fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogates = 0x800

// The unit `binary` of fast-check does the same, but first builds a table of all 1.1 million characters.
const unit = fc
  .nat(0x10ffff - surrogates)
  .map((at) => String.fromCodePoint(at < firstSurrogate ? at : at + surrogates))

/** Texts of any characters; each surrogate is one of a pair. */
export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
  fc.string({ unit, ...(maxLength !== undefined && { maxLength }) })
