import { expect, it } from 'vitest'
import { createSheetDialogs } from '../../../src/faces/tui/sheets/sheet-dialogs.ts'
import { createSheetStack } from '../../../src/faces/tui/sheets/sheet.ts'
import { createPaint } from '../../../src/terminal/paint.ts'

it('a line of a diff that is wider than the screen goes on behind a bar', () => {
  const stack = createSheetStack(() => undefined)
  const rows = ['will be merged: a.js', `│ 2  import something from '${'long/'.repeat(8)}'`]
  void createSheetDialogs(stack).confirmation({ title: 'Undo this?', rows })
  const canvas = { columns: 40, paint: createPaint(false), now: 0, isStill: true, isAscii: false }
  const drawn = stack.top()?.draw(canvas, 20, true) ?? []
  expect(drawn[1]).toBe('   will be merged: a.js')
  expect(drawn.slice(2, -1).map((row) => row.slice(0, 5))).toEqual(['   │ ', '   ┊ '])
})
