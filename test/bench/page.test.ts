import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { atLeast, atMost, noMoreThan } from '../../bench/measure.ts'
import type { Row } from '../../bench/measure.ts'
import { drawPlots } from '../../bench/page/draw-plots.ts'
import { shareOfGoal } from '../../bench/page/goal-plot.ts'
import { readStamp } from '../../bench/page/machine.ts'
import { renderPage } from '../../bench/page/render-page.ts'
import { readResults, saveGroup } from '../../bench/page/results.ts'
import { findFault } from '../project/well-formed.ts'

const stamp = { date: '2026-01-02 03:04 UTC', commit: 'abc', machine: '2 cores', load: 0.1 }
const met = atMost('1 a <thing> & more', 1, 2, 'us', 0.5)
const missed: Row = {
  ...noMoreThan('2 another', 4, 'MB', 2),
  limit: 'the floor is 3',
  curve: {
    title: 'Cost & sessions',
    x: 'sessions',
    y: 'µs',
    lines: [
      {
        name: 'normal',
        points: [
          [1, 10],
          [16, 12],
          [256, 11],
        ],
      },
    ],
  },
}

describe('how much of its goal a row uses', () => {
  it.for([
    [met, 1],
    [atMost('x', 1, 4, 'us', 0.5), 0.5],
    [atLeast('x', 4, 1, 'calls', 2), 0.5],
    [atLeast('x', 1, 1, 'calls', 2), 2],
    [missed, 2],
    [noMoreThan('x', 0, 'calls', 0), null],
  ] as const)('%j: %s', ([row, share]) => {
    expect(shareOfGoal(row)).toBe(share)
  })
})

describe('the page about performance', () => {
  it('has each row with the run that measured it, the plots, and what holds missed goals back', () => {
    const groups = [
      { stamp, rows: [missed] },
      { stamp: { ...stamp, commit: 'def' }, rows: [met] },
    ]
    const page = renderPage(groups, drawPlots([met, missed]))
    expect(page).toContain('1 of 2 goals are met.')
    expect(page).toContain('| 1 a <thing> & more | 1 | 2 | us | 0.5 | <= 0.5 | yes | 2 |')
    expect(page).toContain('| 2 another | 4 |  | MB |  | <= 2 MB | no | 1 |')
    expect(page).toContain('| 2 | 2026-01-02 03:04 UTC | def | 0.1 | 2 cores |')
    expect(page).toContain('- 2 another: the floor is 3.')
    expect(page).toContain('](pictures/performance/cost-sessions.svg)')
  })

  it('has plots that are well-formed and fit both a light and a dark page', () => {
    for (const { svg } of drawPlots([met, missed])) {
      expect(findFault(svg)).toBeNull()
      expect(svg).toContain('prefers-color-scheme: dark')
      expect(svg).not.toContain('NaN')
    }
  })
})

describe('results', () => {
  it('of a group replace those of the same group alone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tongs-results-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'results.json')
    saveGroup('one', { stamp, rows: [met] }, file)
    saveGroup('two', { stamp, rows: [missed] }, file)
    saveGroup('one', { stamp, rows: [] }, file)
    expect(readResults(file)).toEqual({ one: { stamp, rows: [] }, two: { stamp, rows: [missed] } })
  })

  it('name the sources and the machine', () => {
    const { commit, machine, date } = readStamp()
    expect(date).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
    expect(machine).toContain(`Node ${process.versions.node}`)
    expect(typeof commit).toBe('string')
  })
})
