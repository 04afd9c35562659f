import { describe, expect, it } from 'vitest'
import { formatLp1Guide } from '../../../src/tools/lp1/guide.ts'
import { patchOf } from './run-patch.ts'

describe('the guide', () => {
  it('ends in an example that parses', () => {
    const guide = formatLp1Guide()
    const patch = patchOf(guide.slice(guide.indexOf('\nLP1\n') + 1))
    expect(patch.sections[0]?.ops).toMatchObject([{ letter: 'R', find: ['    print("hi")'] }])
  })

  it('names every operation and stays short', () => {
    const lines = formatLp1Guide().split('\n')
    for (const letter of 'RIPETBN') expect(lines.some((line) => line.startsWith(`  ${letter} `))).toBe(true)
    expect(lines.length).toBeLessThanOrEqual(30)
  })
})
