import { CURSOR_MARKER } from '@earendil-works/pi-tui'
import { expect, it } from 'vitest'
import { spellDots, toAscii } from '../../../src/faces/tui/draw/ascii.ts'
import { fitDescriptions } from '../../../src/faces/tui/input/complete.ts'
import { revealHidden } from '../../../src/faces/tui/input/filtered-output.ts'

it('what was pasted and cannot be seen is shown, and the cursor and the looks stay', () => {
  const row = ` a\u202eb\u200b${CURSOR_MARKER}\u001b[7mc\u001b[0m\u0007 \u001b]0;title`
  expect(revealHidden(row)).toBe(` a\uFFFDb\uFFFD${CURSOR_MARKER}\u001b[7mc\u001b[0m\uFFFD \uFFFD]0;title`)
})

it('ASCII keeps every width, so that nothing on the screen moves', () => {
  expect(toAscii('─│✓ 字字 é\u001b[1m…')).toBe('-|+ ???? ?\u001b[1m.')
})

it.each([
  ['… 3 more lines', 40, '... 3 more lines'],
  ['  read a…    2 s', 16, '  read a...  2 s'],
  ['a long name…', 12, 'a long na...'],
  ['a \u001b[1mlong name\u001b[0m…  ', 14, 'a \u001b[1mlong na\u001b[0m...  '],
  ['a long name… 2 s', 16, 'a long na... 2 s'],
  ['a1…a9', 5, 'a1.a9'],
  ['longer than a row…', 10, 'longer than a row.'],
  ['…', 1, '.'],
])(
  'ASCII spells what is left out with three dots, where %j has room for them in %i columns',
  (row, columns, shown) => {
    expect(spellDots(row, columns)).toBe(shown)
  },
)

it('a description in the list of completions ends at a word, and says that it goes on', () => {
  const item = (label: string, description: string) => ({ value: label, label, description })
  const items = [item('/model', 'choose a model from a list, or name one'), item('/quit', 'leave')]
  const shown = (columns: number, prefix: string) =>
    fitDescriptions({ items, prefix }, columns).items.map(({ description }) => description)
  expect(shown(100, '/')).toEqual(['choose a model from a list, or name one', 'leave'])
  expect(shown(40, '/')).toEqual(['choose a model from a…', 'leave'])
  expect(shown(59, 'm')).toEqual(['choose a model from…', 'leave'])
})
