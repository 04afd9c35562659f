import { describe, expect, it } from 'vitest'
import { errorOf, resultOf, runOps } from './run-patch.ts'

const LINES = 200_000
const numbered = Array.from({ length: LINES }, (_, index) => `line ${index} of a long file of text`)

describe('a patch of thousands of operations on a file of 200,000 lines', () => {
  it('edits all the places it names', () => {
    const places = Array.from({ length: 5000 }, (_, index) => (index * 7919) % LINES)
    const expected = [...numbered]
    const ops = places.flatMap((place, index) => {
      expected[place] = `new ${index}`
      return ['R', numbered[place] ?? '', '.', `new ${index}`, '.']
    })
    expect(resultOf(runOps(numbered.join('\n'), ops)) === expected.join('\n')).toBe(true)
  })

  it('finds an occurrence far down, again and again, where every line is alike', () => {
    const ops = Array.from({ length: 5000 }, (_, index) => ['R 100000', 'x', '.', `y${index}`, '.']).flat()
    const expected = Array.from({ length: LINES }, (_, index) =>
      index < 99_999 || index > 104_998 ? 'x' : `y${index - 99_999}`,
    )
    expect(resultOf(runOps('x\n'.repeat(LINES), ops)) === `${expected.join('\n')}\n`).toBe(true)
  })

  it('grows at both ends', () => {
    const ops = Array.from({ length: 20_000 }, () => ['B', 'b', '.', 'T', 't', '.']).flat()
    const expected = [...Array<string>(20_000).fill('b'), ...numbered, ...Array<string>(20_000).fill('t')]
    expect(resultOf(runOps(numbered.join('\n'), ops)) === expected.join('\n')).toBe(true)
  })

  it('takes a block with more lines than a function can take arguments', () => {
    const block = Array<string>(250_000).fill('')
    expect(
      resultOf(runOps('a\nz\n', ['I', 'a', '.', ...block, '.'])) === `a\n${'\n'.repeat(250_000)}z\n`,
    ).toBe(true)
  })

  it('takes out a run that is most of the file', () => {
    const ops = ['E', ...numbered.slice(10, -10), '.', 'P', numbered.at(-10) ?? '', '.', 'here', '.']
    const expected = [...numbered.slice(0, 10), 'here', ...numbered.slice(-10)]
    expect(resultOf(runOps(numbered.join('\n'), ops))).toBe(expected.join('\n'))
  })

  it('still says where the nearest miss is', () => {
    const error = errorOf(runOps(numbered.join('\n'), ['E', 'line 150000 of a  long file of text', '.']))
    expect(error).toMatchObject({ code: 'match_not_found', nearest: { line: 150_001 } })
  })
})

function replaceAt(given: string[], start: number, length: number): string {
  return given.toSpliced(start, length, 'new').join('\n')
}

describe('a run of lines, wherever it begins in a long file', () => {
  const lines = Array.from({ length: 800 }, (_, index) => (index % 3 === 0 ? `mark ${index}` : 'same'))
  it('is found', () => {
    for (let start = 0; start < lines.length - 4; start += 1) {
      const find = lines.slice(start, start + 4)
      const result = resultOf(runOps(lines.join('\n'), ['R', ...find, '.', 'new', '.']))
      expect(result === replaceAt(lines, start, 4), `the run from line ${start + 1}`).toBe(true)
    }
  })

  it('is found across a stretch that earlier operations took out', () => {
    for (const [from, to] of [
      [200, 300],
      [250, 520],
      [256, 512],
      [3, 797],
    ] as const) {
      const left = [...lines.slice(0, from), ...lines.slice(to)]
      const ops = ['E', ...lines.slice(from, to), '.']
      const find = left.slice(from - 3, from + 3)
      const result = resultOf(runOps(lines.join('\n'), [...ops, 'R', ...find, '.', 'new', '.']))
      expect(result).toBe(replaceAt(left, from - 3, 6))
      const inserted = resultOf(runOps(lines.join('\n'), [...ops, 'I', ...find, '.', 'new', '.']))
      expect(inserted).toBe(left.toSpliced(from + 3, 0, 'new').join('\n'))
    }
  })

  it('is counted right in the lines of an error', () => {
    const twice = [...lines, ...lines]
    const error = errorOf(runOps(twice.join('\n'), ['B', 'x', 'y', '.', 'E', ...lines.slice(500, 510), '.']))
    expect(error.matches).toEqual([503, 1303])
  })
})
