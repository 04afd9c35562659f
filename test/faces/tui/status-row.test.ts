import { describe, expect, it } from 'vitest'
import { drawStatus } from '../../../src/faces/tui/draw/draw-status.ts'
import type { StatusFacts } from '../../../src/faces/tui/draw/draw-status.ts'
import { columnsOf } from '../../../src/terminal/fit-rows.ts'

const FACTS: StatusFacts = {
  preset: 'ask',
  mode: 'enabled',
  sandbox: 'sandboxed by bubblewrap',
  model: 'anthropic/claude-sonnet-4-5',
  session: '20261116-093012',
  tokens: 1_234_567,
  cost: 12.345,
  contextPercent: 41,
  background: 2,
  doing: 'idle',
  running: null,
  hint: null,
  isLookingBack: false,
}

function draw(facts: Partial<StatusFacts>, columns: number): string {
  const canvas = {
    columns,
    paint: (_: unknown, text: string) => text,
    isAscii: true,
    isStill: true,
    now: 0,
  }
  return drawStatus({ ...FACTS, ...facts }, canvas)
}

describe('the status row', () => {
  it('shows all there is if there is room', () => {
    expect(draw({}, 200).trim()).toMatch(
      /^\/help {2,}2 in the background · ask · sandboxed by bubblewrap · anthropic\/claude-sonnet-4-5 · context 41 % · cost 12\.35 · 1\.2M tokens · 20261116-093012$/,
    )
  })

  it('leaves out what is unknown or as always', () => {
    const quiet = { contextPercent: null, cost: null, tokens: 0, background: 0 } as const
    expect(draw(quiet, 200)).not.toMatch(/context|cost|tokens|background|enabled/)
    expect(draw({ ...quiet, mode: 'parse_only', model: null }, 200)).toMatch(/parse_only .*no model/)
  })

  it.each([
    [100, 'ask · anthropic/claude-sonnet-4-5 · context 41 % · cost 12.35 · 1.2M tokens'],
    [60, 'ask · claude-sonnet-4-5 · context 41 % · cost 12.35'],
    [40, 'ask · context 41 % · cost 12.35'],
    [24, 'ask · 41 %'],
    [12, 'ask'],
  ])('at %i columns it keeps what matters', (columns, shown) => {
    const row = draw({ background: 0, sandbox: 'sandboxed by bubblewrap, without network' }, columns)
    expect(row.replace(/^ \/help +/, '').trimEnd()).toBe(shown)
  })

  it('at any width no number and no name of it is cut', () => {
    const words = [
      '2 in the background',
      '2 bg',
      'ask',
      'sandboxed by bubblewrap',
      'anthropic/claude-sonnet-4-5',
      'claude-sonnet-4-5',
      'context 41 %',
      '41 %',
      'cost 12.35',
      '1.2M tokens',
      '20261116-093012',
    ]
    for (let columns = 10; columns < 200; columns++) {
      const row = draw({}, columns)
      expect(columnsOf(row)).toBeLessThanOrEqual(columns)
      const shown = row.replace(/^ \/help +/, '').trim()
      for (const part of shown === '' ? [] : shown.split(' · ')) expect(words).toContain(part)
    }
  })

  it('says what is running and how to stop it', () => {
    expect(draw({ doing: 'busy', running: 'run_shell' }, 60)).toMatch(/^ » run_shell · Esc cancels {2,}.*ask/)
    expect(draw({ doing: 'busy' }, 60)).toMatch(/^ » Esc cancels/)
    expect(draw({ cost: 0.0123 }, 200)).toContain('cost 0.0123')
  })
})
