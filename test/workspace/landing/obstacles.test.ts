import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { someOf } from '../../harness/long-run.ts'

const tops: string[] = []
afterEach(() => {
  for (const top of tops.splice(0)) {
    // What a failed test leaves protected could not be removed.
    spawnSync('chattr', ['-R', '-f', '-i', '-a', top])
    rmSync(top, { recursive: true, force: true })
  }
})

/** An ordinary user can mount in a namespace of its own, but can neither protect files nor make those of others. */
const isRoot = process.getuid?.() === 0
const KINDS = isRoot
  ? [
      'immutable',
      'append-only',
      'mounted on',
      'mounted read-only',
      'in an immutable folder',
      "another user's in a sticky folder",
    ]
  : ['mounted on', 'mounted read-only']

interface Seen {
  readonly result: { readonly ok: boolean }
  readonly states: readonly string[]
  readonly files: readonly string[]
  readonly audit: readonly string[]
  readonly undo: { readonly ok: boolean }
  readonly doubts: readonly unknown[]
  readonly later: readonly string[]
  readonly redo: boolean
  readonly again: { readonly ok: boolean } | null
  readonly last: readonly string[]
  readonly left: readonly string[]
}

function meet(kind: string, moment: 'before' | 'later'): Seen {
  const top = mkdtempSync(join(tmpdir(), 'tongs-obstacle-'))
  tops.push(top)
  mkdirSync(join(top, 'root'))
  const [node, child] = ordinaryProgram(new URL('obstacle-child.ts', import.meta.url))
  const namespace = isRoot ? ['--mount'] : ['--map-root-user', '--mount']
  const text = execFileSync('unshare', [...namespace, node, child, top, kind, moment], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  })
  return JSON.parse(text) as Seen
}

const OLD = ['old\n', 'old\n', 'old\n']
const NEW = ['new\n', 'new\n', 'new\n']
const NAMES = ['a.txt', 'm.txt', 'z.txt']

describe('a file that cannot be replaced', () => {
  it.each(someOf(KINDS, 3))('R-CHK-RT-7: is found before anything is committed if it is %s', (kind) => {
    const seen = meet(kind, 'before')
    expect(seen.result).toMatchObject({
      ok: false,
      error: { code: 'execution_failed', message: expect.stringContaining('Cannot') },
      execution: { state: 'ROLLED_BACK' },
    })
    expect(seen.files).toEqual(OLD)
    expect(seen.audit.at(-1)).toBe('ROLLED_BACK')
    expect(seen.undo.ok).toBe(false)
    expect(seen.doubts).toEqual([])
    expect(seen.redo).toBe(false)
    expect(seen.left).toEqual(NAMES)
    if (kind === "another user's in a sticky folder") return
    expect(seen.again?.ok).toBe(true)
    expect(seen.last).toEqual(NEW)
  })

  it.each(someOf(isRoot ? ['immutable', 'append-only', 'mounted on'] : ['mounted on'], 1))(
    'R-CHK-RT-8: takes the other files back with it if it is %s only when they are landing',
    (kind) => {
      const seen = meet(kind, 'later')
      expect(seen.result).toMatchObject({
        ok: false,
        error: { code: 'execution_failed', message: expect.stringContaining('as before') },
        execution: { state: 'ROLLED_BACK' },
      })
      expect(seen.files).toEqual(OLD)
      expect(seen.states.slice(-2)).toEqual(['EXECUTING', 'ROLLED_BACK'])
      expect(seen.audit.at(-1)).toBe('ROLLED_BACK')
      expect(seen.undo.ok).toBe(false)
      expect(seen.doubts).toEqual([])
      // The command after it lands nothing of what was taken back; a redo brings it, once the obstacle has gone.
      expect(seen.later).toEqual(OLD)
      expect(seen.redo).toBe(true)
      expect(seen.last).toEqual(NEW)
      expect(seen.left).toEqual(NAMES)
    },
  )
})
