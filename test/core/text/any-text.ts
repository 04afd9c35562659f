import * as fc from 'fast-check'

const character = fc
  .oneof(fc.nat(0x2ff), fc.nat(0xffff), fc.nat(0x10ffff))
  .map((point) => String.fromCodePoint(point))

/** Text of any code points, lone surrogates among them; the ready-made arbitrary takes a second to build. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(character, { maxLength }).map((characters) => characters.join(''))
