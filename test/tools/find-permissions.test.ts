import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ToolResult } from '../../src/core/result.ts'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import { runOrdinary } from '../harness/ordinary-user.ts'
import { pathsOf, placesOf } from './found.ts'

const FILES = { 'a/x': 'needle', 'closed/unseen': 'needle', 'mine.txt': 'needle', z: 'needle' }
const CALLS = {
  listed: ['list_files', {}],
  closed: ['list_files', { directory: 'closed' }],
  globbed: ['glob', { patterns: ['**'] }],
  named: ['glob', { patterns: ['closed/unseen', 'closed/*'] }],
  searched: ['search', { query: 'needle' }],
} as const

const results = new Map<string, ToolResult>()

/** Runs the calls once, as a user who owns nothing here. */
beforeAll(() => {
  const b = bench(FILES)
  chmodSync(b.top, 0o777)
  const calls = Object.entries(CALLS).map(([id, [name, args]]) => ({ id, name, args }))
  try {
    for (const name of ['closed', 'mine.txt']) chmodSync(join(b.root, name), 0)
    const child = new URL('ordinary-calls.ts', import.meta.url)
    const printed = runOrdinary(child, JSON.stringify({ top: b.top, calls })) as readonly ToolResult[]
    for (const result of printed) results.set(result.id, result)
  } finally {
    for (const name of ['closed', 'mine.txt']) chmodSync(join(b.root, name), 0o700)
  }
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
