import { beforeAll, describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { errorOf, outputOf } from '../../bench-folder.ts'
import { pathsOf, placesOf } from '../finding/found.ts'
import { runOrdinaryCalls } from './run-ordinary-calls.ts'

const FILES = { 'a/x': 'needle', 'closed/unseen': 'needle', 'mine.txt': 'needle', z: 'needle' }
const CALLS = {
  listed: ['list_files', {}],
  closed: ['list_files', { directory: 'closed' }],
  globbed: ['glob', { patterns: ['**'] }],
  named: ['glob', { patterns: ['closed/unseen', 'closed/*'] }],
  searched: ['search', { query: 'needle' }],
} as const

let results: ReadonlyMap<string, ToolResult>

beforeAll(() => {
  results = runOrdinaryCalls({ files: FILES, modes: { closed: 0, 'mine.txt': 0 }, calls: CALLS })
})

describe('finding files where not all may be read', () => {
  it('F-TOOL-list_files: passes over a folder that cannot be read, unless it was asked for', () => {
    expect(pathsOf(results.get('listed'))).toEqual(['a/x', 'mine.txt', 'z'])
    expect(errorOf(results.get('closed'))).toMatchObject({ code: 'execution_failed', type: 'file-error' })
    expect(errorOf(results.get('closed')).message).toContain('permission denied')
  })

  it('F-TOOL-glob: the same', () => {
    expect(pathsOf(results.get('globbed'))).toEqual(['a/x', 'mine.txt', 'z'])
    expect(errorOf(results.get('named')).message).toContain('permission denied')
  })

  it('F-TOOL-search: finds what it may read', () => {
    expect(placesOf(results.get('searched'))).toEqual(['a/x:1:1', 'z:1:1'])
    expect(outputOf(results.get('searched'))['truncated']).toBe(false)
  })
})
