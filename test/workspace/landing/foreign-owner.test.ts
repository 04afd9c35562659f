import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { NOBODY, ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

interface Look {
  readonly text: string
  readonly mode: number
  readonly isOurs: boolean
}

interface Seen {
  readonly result: { readonly ok: boolean }
  readonly changed: Look | null
  readonly undo: { readonly ok: boolean; readonly message: string | null }
  readonly undone: Look | null
  readonly redo: { readonly ok: boolean }
  readonly redone: Look | null
  readonly again: { readonly ok: boolean }
  readonly last: Look | null
}

function see(kind: string): Seen {
  const top = mkdtempSync(join(tmpdir(), 'tongs-foreign-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const file = join(top, 'root/shared/theirs.txt')
  mkdirSync(join(top, 'root/shared'), { recursive: true })
  mkdirSync(join(top, 'state'), { mode: 0o700 })
  writeFileSync(file, 'old\n')
  writeFileSync(join(top, 'root/shared/more.txt'), 'more\n')
  chmodSync(file, kind === 'a program with rights' ? 0o6755 : 0o644)
  chmodSync(top, 0o755)
  chmodSync(join(top, 'root/shared'), 0o777)
  for (const name of ['root', 'state']) chownSync(join(top, name), NOBODY, NOBODY)
  const [node, child] = ordinaryProgram(new URL('foreign-owner-child.ts', import.meta.url))
  const user = { uid: NOBODY, gid: NOBODY, cwd: '/' }
  const env = { PATH: process.env['PATH'], HOME: top }
  const text = execFileSync(node, [child, top, kind], {
    ...user,
    env,
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  })
  return JSON.parse(text) as Seen
}

const BACK = { text: 'old\n', mode: 0o644, isOurs: true }
const SAID = 'shared/theirs.txt belongs to you now; only root can preserve its owner'

describe.runIf(process.getuid?.() === 0)("what belongs to another user comes back as one's own", () => {
  it.for(['a file', 'a folder'])('if %s was deleted', (kind) => {
    const seen = see(kind)
    expect(seen.result.ok).toBe(true)
    expect(seen.changed).toBeNull()
    expect(seen.undo.ok).toBe(true)
    expect(seen.undo.message).toContain(kind === 'a folder' ? 'belong to you now' : SAID)
    expect(seen.undone).toEqual(BACK)
    expect([seen.redo.ok, seen.redone, seen.again.ok, seen.last]).toEqual([true, null, true, BACK])
  })

  it('if it was edited', () => {
    const seen = see('an edited file')
    expect(seen.changed).toEqual({ ...BACK, text: 'new\n' })
    // Whose it became, the edit has said.
    expect(seen.undo).toMatchObject({ ok: true, message: null })
    expect([seen.undone, seen.redo.ok, seen.last]).toEqual([BACK, true, BACK])
  })

  it('and without rights that it had from its owner', () => {
    const seen = see('a program with rights')
    expect(seen.undo.ok).toBe(true)
    expect(seen.undone).toEqual({ ...BACK, mode: 0o755 })
  })
})
