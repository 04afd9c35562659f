import fc from 'fast-check'

const ATOMS = ['a', 'b', '1', '_', ' ', '-', '.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\.']
const CLASSES = [
  '[ab]',
  '[^a]',
  '[a-c1]',
  '[\\d_]',
  '[^\\w]',
  '[\\s\\S]',
  '[]',
  '[^]',
  '[\\b]',
  '[a\\-]',
  '[-a]',
  '[a-]',
  '[\\]\\\\^]',
  '[\\u{1F600}-\\u{1F64F}]',
  '[😀a]',
]
const ESCAPES = [
  '\\x61',
  '\\u0062',
  '\\u{1f600}',
  '\\uD83D\\uDE00',
  '\\cA',
  '\\t',
  '\\0',
  '\\/',
  '😀',
  '\\p{L}',
  '\\P{L}',
  '[\\p{Lu}1]',
  '[^\\p{L}]',
]
const ASSERTIONS = ['^', '$', '\\b', '\\B', '']
const COUNTS = ['*', '+', '?', '{2}', '{0}', '{1,}', '{0,2}', '{2,3}', '*?', '+?', '{1,2}?']

/** Patterns of regular languages: everything but lookaround, backreferences and flags. */
export const randomPattern: fc.Arbitrary<string> = fc
  .letrec<{ pattern: string; atom: string; piece: string }>((tie) => ({
    atom: fc.oneof(
      { maxDepth: 2, depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...ATOMS, ...CLASSES, ...ESCAPES),
      fc.tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('pattern')).map(([open, body]) => `${open}${body})`),
    ),
    piece: fc.oneof(
      {
        weight: 3,
        arbitrary: fc
          .tuple(tie('atom'), fc.constantFrom(...COUNTS))
          .map(([atom, often]) => (atom === '' ? '' : atom + often)),
      },
      { weight: 2, arbitrary: tie('atom') },
      { weight: 1, arbitrary: fc.constantFrom(...ASSERTIONS) },
    ),
    pattern: fc
      .array(
        fc.array(tie('piece'), { maxLength: 3 }).map((pieces) => pieces.join('')),
        { minLength: 1, maxLength: 3 },
      )
      .map((options) => options.join('|')),
  }))
  .pattern.map((pattern) => pattern.replaceAll('(?<n>', '(').replace('(', '(?<n>'))

/** Short texts of the characters that the patterns speak of. */
export const randomText: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    'c',
    '1',
    '_',
    ' ',
    '-',
    '.',
    '\n',
    '\t',
    '😀',
    '\ud83d',
    '\ude00',
    'É',
    '\u0001',
    '\b',
    ']',
    '\\',
  ),
  maxLength: 5,
})
