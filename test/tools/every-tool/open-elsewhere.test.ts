import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { bench, outputOf } from '../../bench-folder.ts'

afterEach(() => vi.unstubAllEnvs())

/** Reads a.txt and runs a call with approval; gives the question's note and the warnings of the result. */
async function editWith(lock: (root: string) => void, name: string, args: unknown) {
  const b = bench({ 'a.txt': 'one\ntwo\n', 'other/b.txt': 'b\n' })
  vi.stubEnv('HOME', b.top)
  vi.stubEnv('XDG_STATE_HOME', '')
  lock(b.root)
  const asked: ApprovalRequest[] = []
  const runtime = await b.open({
    config: { 'tools.approval.mode': 'prompt' },
    approve: (requests) => {
      asked.push(...requests)
      return requests.map(() => 'once' as const)
    },
  })
  const [, result] = await runtime.run([
    { id: '1', name: 'read_file', args: { path: 'a.txt' } },
    { id: '2', name, args },
  ])
  outputOf(result)
  return { note: asked.map(({ note }) => note ?? '').join('\n'), warnings: result?.warnings ?? [] }
}

const emacs = (root: string): void => symlinkSync('ada@box.123:456', join(root, '.#a.txt'))
const write = ['write_file', { path: 'a.txt', content: 'new\n' }] as const

describe('a file that somebody has open in an editor', () => {
  it.for([
    write,
    ['write_file', { path: 'a.txt', content: 'more\n', append: true }],
    ['edit_file', { path: 'a.txt', old: 'one', new: 'eins' }],
    ['edit_region', { path: 'a.txt', start_line: 1, end_line: 1, new_content: 'eins\n' }],
    ['multi_edit', { edits: [{ path: 'a.txt', start_line: 1, end_line: 1, new_content: 'eins\n' }] }],
    ['apply_patch', { patch: 'LP1\nF a.txt\nT\nmore\n.\nEND\n' }],
    ['move_path', { from: 'a.txt', to: 'c.txt' }],
    ['delete_path', { path: 'a.txt' }],
  ] as const)('is named in the question and the result of %s', async ([name, args]) => {
    const { note, warnings } = await editWith(emacs, name, args)
    const says =
      'a.txt is open in Emacs by ada@box.123:456 (.#a.txt) and may have changes there that are not saved'
    expect(note).toContain(says)
    expect(warnings).toContain(says)
  })

  const put = (name: string) => (root: string) => {
    const path = join(root, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
  }

  it.for([
    ['Emacs', '.#a.txt', put('.#a.txt')],
    ['Vim', '.a.txt.swp', put('.a.txt.swp')],
    ['Vim', '.a.txt.swo', put('.a.txt.swo')],
    ['LibreOffice', '.~lock.a.txt#', put('.~lock.a.txt#')],
    ['Kate', '.a.txt.kate-swp', put('.a.txt.kate-swp')],
    [
      'Neovim',
      'a.txt.swp',
      (root: string) =>
        put(`../.local/state/nvim/swap/${join(root, 'a.txt').replaceAll('/', '%')}.swp`)(root),
    ],
  ] as const)('is noticed by the lock of %s: %s', async ([editor, lock, make]) => {
    const { warnings } = await editWith(make, ...write)
    expect(warnings).toEqual([expect.stringMatching(/^a\.txt is open in /)])
    expect(warnings[0]).toContain(`open in ${editor} (`)
    expect(warnings[0]).toContain(`${lock})`)
  })

  it('is noticed by the lock of a hidden file', async () => {
    const { warnings } = await editWith(put('.rc.swp'), 'write_file', { path: '.rc', content: 'x' })
    expect(warnings).toEqual([expect.stringContaining('.rc is open in Vim (.rc.swp)')])
  })

  it('is not seen in the locks of other files, or in a folder of that name', async () => {
    const locks = (root: string): void => {
      put('.b.txt.swp')(root)
      put('other/.a.txt.swp')(root)
      mkdirSync(join(root, '.a.txt.swp'))
    }
    expect(await editWith(locks, ...write)).toEqual({ note: '', warnings: [] })
  })
})
