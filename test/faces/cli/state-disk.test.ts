import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { NOBODY, ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

interface End {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const isRoot = process.getuid?.() === 0

/** Plays a scene of the child where it may mount what it likes. */
function play<T>(scene: string): T {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-disk-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  chmodSync(top, 0o755)
  if (isRoot && scene.endsWith('without permission')) chownSync(top, NOBODY, NOBODY)
  const [node, child] = ordinaryProgram(new URL('state-disk-child.ts', import.meta.url))
  const namespace = isRoot ? ['--mount'] : ['--map-root-user', '--mount']
  const program = scene.endsWith('without permission') ? [node] : ['unshare', ...namespace, node]
  const [first = '', ...rest] = [...program, child, top, scene]
  return JSON.parse(execFileSync(first, rest, { encoding: 'utf8', timeout: PATIENCE_MS })) as T
}

const failing = (ends: Readonly<Record<string, End>>): readonly unknown[] =>
  Object.entries(ends).filter(([, { code, err }]) => code !== 0 || err !== '')

describe('a full disk below the state folder', () => {
  interface Seen {
    readonly written: readonly string[]
    readonly refused: End | null
    readonly files: readonly string[]
    readonly command: End
    readonly hasRun: boolean
    readonly reading: Readonly<Record<string, End>>
    readonly young: End
    readonly forgotten: End
    readonly next: End
    readonly verified: End
    readonly hasReserve: boolean
  }

  it.each(['the journal', 'another program'])(
    'filled by %s: nothing runs, the log can be read, and forgetting makes room',
    (byWhom) => {
      const seen = play<Seen>(`full: ${byWhom}`)
      if (byWhom === 'the journal') {
        // On its own, or as the result of the call if that had begun.
        expect(seen.refused?.code).toBe(1)
        expect(`${seen.refused?.err}${seen.refused?.out}`).toContain('is full')
        expect(seen.files.toSorted()).toEqual(['first.txt', ...seen.written].toSorted())
      }
      expect(seen.command).toMatchObject({
        code: 1,
        err: expect.stringContaining('tongs forget --older-than'),
      })
      expect(seen.hasRun).toBe(false)
      expect(failing(seen.reading)).toEqual([])
      expect(seen.reading['log']?.out).toContain('first.txt')
      expect(seen.young).toMatchObject({ code: 0 })
      expect(seen.forgotten).toMatchObject({ code: 0, err: '' })
      expect(seen.next).toMatchObject({ code: 0, err: '' })
      expect(seen.verified).toMatchObject({ code: 0, err: '' })
      expect(seen.hasReserve).toBe(true)
    },
  )
})

describe('a state folder that cannot be written', () => {
  interface Seen {
    readonly before: Readonly<Record<string, End>>
    readonly reading: Readonly<Record<string, End>>
    readonly write: End
    readonly command: End
    readonly undo: End
    readonly forget: End
    readonly repair: End
    readonly files: readonly string[]
    readonly isUntouched: boolean
    readonly left: readonly string[]
  }

  it.each(['without permission', 'mounted read-only'])('%s can be read, and refuses the rest', (how) => {
    const seen = play<Seen>(`read-only: ${how}`)
    expect(seen.reading).toEqual(seen.before)
    expect(failing(seen.reading)).toEqual([])
    for (const end of [seen.write, seen.command, seen.undo, seen.forget, seen.repair])
      expect(end).toMatchObject({ code: 1, err: expect.stringMatching(/not writable.*TONGS_STATE_DIR/s) })
    expect(seen.files).toEqual(['a.txt'])
    expect(seen.isUntouched).toBe(true)
    expect(seen.left).toEqual([])
  })
})
