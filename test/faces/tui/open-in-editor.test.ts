import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editText, openInEditor } from '../../../src/faces/tui/input/open-in-editor.ts'
import { makeScratch } from '../../harness/scratch.ts'

describe('the editor of the user', () => {
  it('is found, with its line, and never in a folder that models work in', () => {
    const scratch = makeScratch()
    const program = (path: string, mark: string): void => {
      scratch.file(path, `#!/bin/sh\necho "$@" > '${scratch.at(mark)}'\n`)
      chmodSync(scratch.at(path), 0o755)
    }
    program('work/node_modules/.bin/vim', 'planted')
    program('bin/vim', 'opened')
    scratch.file('work/a.txt')
    const path = ['work/node_modules/.bin', 'bin'].map((folder) => scratch.at(folder)).join(':')
    const open = (EDITOR: string, PATH: string) =>
      openInEditor({ path: 'a.txt', line: 3 }, [scratch.at('work')], { EDITOR, PATH })
    expect(open('vim', `${path}:/usr/bin:/bin`)).toBe(null)
    expect([existsSync(scratch.at('planted')), existsSync(scratch.at('opened'))]).toEqual([false, true])
    program('work/node_modules/.bin/only-here', 'planted')
    expect(open('only-here', path)).toContain('Cannot start only-here')
    expect(existsSync(scratch.at('planted'))).toBe(false)
  })

  it('gets what is typed, and what it saves is typed', () => {
    const scratch = makeScratch()
    scratch.file('bin/vim', `#!/bin/sh\necho "$1" > '${scratch.at('name')}'; sed -i 's/^/> /' "$1"\n`)
    chmodSync(scratch.at('bin/vim'), 0o755)
    const PATH = `${scratch.at('bin')}:/usr/bin:/bin`
    const edited = editText('one\ntwo', [scratch.at('work')], { EDITOR: 'vim', PATH })
    expect(edited).toEqual({ ok: true, text: '> one\n> two' })
    expect(existsSync(readFileSync(scratch.at('name'), 'utf8').trim())).toBe(false)
    expect(editText('x', [scratch.at('work')], { PATH })).toMatchObject({
      ok: false,
      why: expect.stringContaining('Set EDITOR'),
    })
  })
})
