import { PassThrough } from 'node:stream'
import type { ReadStream } from 'node:tty'
import { expect, it } from 'vitest'
import { readTypedLine } from '../../../src/faces/cli/prompts/typed-line.ts'

/** A terminal that is typed at, and when it has shown its question. */
function openTerminal() {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const input = Object.assign(new PassThrough(), { setRawMode: () => undefined })
  let shown = ''
  const answer = readTypedLine({
    input: input as unknown as ReadStream,
    write: (text) => {
      shown += text
      if (shown.includes('May it?')) resolve()
    },
    question: 'May it? ',
    signal: new AbortController().signal,
    columns: 80,
    show: (text) => text,
  })
  return { input, asked, answer, shown: () => shown }
}

it.each([
  ['at once', ['\u001B[200~y\r\u001B[201~']],
  ['in pieces', ['\u001B[200~y', '\r', '\n\u001B[201~']],
  ['as several lines', ['\u001B[200~y\ny\ny\n\u001B[201~']],
])('a yes that was pasted %s answers nothing before Enter is pressed', async (_how, pieces) => {
  const { input, asked, answer, shown } = openTerminal()
  await asked
  expect(shown()).toContain('\u001B[?2004h')
  for (const piece of pieces) input.write(piece)
  // Clears the line; had the paste answered, this would not be read.
  input.write('\u0015no\r')
  expect(await answer).toEqual({ is: 'line', text: 'no' })
  expect(shown()).toMatch(/\[\?2004l\n$/)
})

it('text that was pasted can be sent with Enter', async () => {
  const { input, asked, answer } = openTerminal()
  await asked
  input.write('n \u001B[200~not\nthis\u001B[201~\r')
  expect(await answer).toEqual({ is: 'line', text: 'n not this' })
})
