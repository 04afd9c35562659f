import { CURSOR_MARKER } from '@earendil-works/pi-tui'
import { expect, it } from 'vitest'
import { toAscii } from '../../../src/faces/tui/draw/ascii.ts'
import { revealHidden } from '../../../src/faces/tui/input/filtered-output.ts'

it('what was pasted and cannot be seen is shown, and the cursor and the looks stay', () => {
  const row = ` a\u202eb\u200b${CURSOR_MARKER}\u001b[7mc\u001b[0m\u0007 \u001b]0;title`
  expect(revealHidden(row)).toBe(` a\uFFFDb\uFFFD${CURSOR_MARKER}\u001b[7mc\u001b[0m\uFFFD \uFFFD]0;title`)
})

it('ASCII keeps every width, so that nothing on the screen moves', () => {
  expect(toAscii('─│✓ 字字 é\u001b[1m…')).toBe('-|+ ???? ?\u001b[1m.')
})
