import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RipgrepOutput } from '../../../src/host/search/ripgrep-output.ts'
import type { RipgrepReader } from '../../../src/host/search/ripgrep-output.ts'

type Step = ReturnType<RipgrepReader['row']>

/** Everything that is told, in one line each. */
function read(
  chunks: readonly Buffer[],
  wants: (path: string) => boolean = () => true,
  step: (text: string) => Step = () => 'more',
): string[] {
  const told: string[] = []
  const output = new RipgrepOutput({
    file(path) {
      told.push(`file ${path}`)
      return wants(path)
    },
    row(line, offset, text) {
      told.push(`${line}:${offset}:${Buffer.from(text).toString()}`)
      return step(Buffer.from(text).toString())
    },
  })
  for (const chunk of chunks) if (!output.push(chunk)) break
  return told
}

const PRINTED = Buffer.from(
  [
    './a|1:0:x\r\n12:345:y:z\r\n\r\n',
    './d/b\n c|7:8:\r\n\n',
    './e|3:4:end\r\n./e: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)\n\r\n',
    './f: binary file matches (found "\\0" byte around offset 5)\n\r\n',
    './g|1:2:g\r\n',
  ]
    .join('')
    .replaceAll('|', '\0'),
)
const TOLD = ['file a', '1:0:x', '12:345:y:z', 'file d/b\n c', '7:8:', 'file e', '3:4:end', 'file g', '1:2:g']

describe('what the search program prints', () => {
  it('is taken apart, remarks left out', () => {
    expect(read([PRINTED])).toEqual(TOLD)
  })

  it('is the same however it comes in pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: PRINTED.length })), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), PRINTED.length]
        const chunks = places.slice(1).map((end, at) => PRINTED.subarray(places[at], end))
        expect(read(chunks)).toEqual(TOLD)
      }),
    )
  })

  it('can be passed over file by file, from the first row or a later one', () => {
    expect(read([PRINTED], (path) => path !== 'a')).toEqual(TOLD.filter((line) => !/:x$|:z$/.test(line)))
    expect(read([PRINTED], undefined, (text) => (text === 'x' ? 'next_file' : 'more'))).toEqual(
      TOLD.filter((line) => !line.endsWith('y:z')),
    )
  })

  it('is not read further than wanted', () => {
    expect(read([PRINTED], undefined, () => 'stop')).toEqual(['file a', '1:0:x'])
  })
})
