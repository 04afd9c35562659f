import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, chmodSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { errorOf, outputOf } from '../../bench-folder.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { makeShop, shopHere } from './command-line.ts'
import type { Shop } from './command-line.ts'

const shops: Shop[] = []

afterAll(() => {
  for (const made of shops) made.remove()
})

const lines = (count: number, changed: readonly number[] = []): string =>
  Array.from({ length: count }, (_, at) =>
    changed.includes(at + 1) ? `new ${at + 1}\n` : `${at + 1}\n`,
  ).join('')

function shop(files: Readonly<Record<string, string>>): Shop {
  const made = makeShop(files)
  shops.push(made)
  return shopHere(made)
}

const run = (line: string) => ({ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } })

interface Waiting {
  readonly id: string
  readonly note?: string
  readonly diff: string
  readonly hunks?: { readonly lines: readonly number[]; readonly together?: readonly (readonly number[])[] }
}

async function ask(s: Shop, line: string): Promise<Waiting> {
  const { code } = await s.batch([run(line)])
  expect(code).toBe(4)
  const { out } = await s.tongs(['pending', '--json'])
  const [first] = (JSON.parse(out) as { approvals: Waiting[] }).approvals
  if (first === undefined) throw new Error('nothing waits')
  return first
}

const approve = async (s: Shop, id: string, hunks: string) =>
  s.tongs(['approve', id, '--hunks', hunks, '--json'])

/** Everything below the parts of kept layers that is not an empty folder of what undo moves. */
function filesOnLayers({ stateDir }: Shop): readonly string[] {
  const place = join(stateDir, 'layers')
  return readdirSync(place).flatMap((call) =>
    readdirSync(join(place, call, '0'), { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory() || !/^(old|upper)(\/|$)/.test(below(entry)))
      .map(below)
      .toSorted(),
  )
  function below({ parentPath, name }: { readonly parentPath: string; readonly name: string }): string {
    return relative(place, join(parentPath, name)).split('/').slice(2).join('/')
  }
}

const resultOf = (rows: readonly ToolResult[]) => outputOf(rows[0])

describe('a landing that is taken in part', () => {
  const FILES = { 'a.txt': lines(40), 'gone/x.txt': 'x\n', 'gone/y.txt': 'y\n', 'm.sh': 'echo\n' }
  // Hunks: 1-3 a.txt, 4 gone/x.txt, 5 gone/y.txt, 6 m.sh, 7 new/deep/n.txt, 8 new/o.txt
  const EDIT =
    "sed -i -e 's/^5$/new 5/' -e 's/^20$/new 20/' -e 's/^35$/new 35/' a.txt; rm -r gone; chmod 755 m.sh; mkdir -p new/deep; echo n > new/deep/n.txt; echo o > new/o.txt"

  it('lands only the chosen hunks, and undo and redo know just these', async () => {
    const s = shop(FILES)
    const question = await ask(s, EDIT)
    expect(question.hunks?.lines.map((line) => question.diff.split('\n')[line])).toEqual([
      '@@ -2,7 +2,7 @@',
      '@@ -17,7 +17,7 @@',
      '@@ -32,7 +32,7 @@',
      '@@ -1 +0,0 @@',
      '@@ -1 +0,0 @@',
      'Mode of m.sh: 644 → 755',
      '@@ -0,0 +1 @@',
      '@@ -0,0 +1 @@',
    ])
    const { code, rows } = await approve(s, question.id, '1,3-4,7')
    expect(code).toBe(0)
    expect(resultOf(rows)).toMatchObject({
      partial: true,
      changes: [
        { path: 'a.txt', change: 'modified' },
        { path: 'gone/x.txt', change: 'deleted' },
        { path: 'new/deep/n.txt', change: 'created' },
      ],
      left_out: [
        { path: 'a.txt', hunks: [2] },
        { path: 'gone/y.txt', hunks: [5] },
        { path: 'm.sh', hunks: [6] },
        { path: 'new/o.txt', hunks: [8] },
      ],
    })
    expect(rows[0]?.content).toContain('A person took only part of this change')
    const landed = () => [s.get('a.txt'), s.get('gone/x.txt'), s.get('gone/y.txt'), s.get('new/deep/n.txt')]
    const after = [lines(40, [5, 35]), null, 'y\n', 'n\n']
    expect(landed()).toEqual(after)
    expect(existsSync(join(s.root, 'new/o.txt'))).toBe(false)
    expect(statSync(join(s.root, 'm.sh')).mode & 0o777).toBe(0o644)
    expect((await s.tongs(['undo', '--yes', '--session', 'cli'])).code).toBe(0)
    expect(landed()).toEqual([lines(40), 'x\n', 'y\n', null])
    expect(existsSync(join(s.root, 'new'))).toBe(false)
    expect((await s.tongs(['redo', '--yes', '--session', 'cli'])).code).toBe(0)
    expect(landed()).toEqual(after)
    expect((await s.tongs(['audit', 'verify'])).code).toBe(0)
  })

  it('keeps nothing on the layer but what undo and redo need', async () => {
    const s = shop(FILES)
    const { id } = await ask(s, `${EDIT}; mkdir -p node_modules/.cache; echo cached > node_modules/.cache/c`)
    await approve(s, id, '3-4,7')
    expect(filesOnLayers(s)).toEqual(['old/0', 'old/2'])
    expect((await s.tongs(['undo', '--yes', '--session', 'cli'])).code).toBe(0)
    // The file that was taken in part is in the journal.
    expect(filesOnLayers(s)).toEqual(['upper/new/deep/n.txt'])
    expect((await s.tongs(['redo', '--yes', '--session', 'cli'])).code).toBe(0)
    expect(s.get('new/deep/n.txt')).toBe('n\n')
  })

  it('removes a folder only with everything in it', async () => {
    const s = shop(FILES)
    const { id } = await ask(s, EDIT)
    await approve(s, id, '4,5')
    expect(existsSync(join(s.root, 'gone'))).toBe(false)
    expect(existsSync(join(s.root, 'new'))).toBe(false)
    expect(s.get('a.txt')).toBe(lines(40))
  })

  it('keeps the mode of a file that is taken in part', async () => {
    const s = shop({ 'a.txt': lines(40) })
    chmodSync(join(s.root, 'a.txt'), 0o640)
    const { id } = await ask(s, "sed -i -e 's/^5$/new 5/' -e 's/^30$/new 30/' a.txt; chmod 755 a.txt")
    await approve(s, id, '2')
    expect(s.get('a.txt')).toBe(lines(40, [30]))
    expect(statSync(join(s.root, 'a.txt')).mode & 0o777).toBe(0o640)
  })

  it('lands nothing if the file changed since, and keeps what the command did', async () => {
    const s = shop({ 'a.txt': lines(40) })
    const { id } = await ask(s, "sed -i -e 's/^5$/new 5/' -e 's/^30$/new 30/' a.txt")
    writeFileSync(join(s.root, 'a.txt'), lines(41))
    const { code, rows } = await approve(s, id, '2')
    expect(code).not.toBe(0)
    expect(outcomes(rows)).toEqual(['stale_file'])
    expect(s.get('a.txt')).toBe(lines(41))
  })

  it.each([
    ['9', 'there is no hunk 9; its diff has 8 hunks'],
    ['0', 'is not a list of hunks'],
    ['', 'is not a list of hunks'],
    ['1,,2', 'is not a list of hunks'],
  ])('refuses the choice %j before anything lands, and the question stays', async (choice, why) => {
    const s = shop(FILES)
    const { id } = await ask(s, EDIT)
    const { code, err } = await approve(s, id, choice)
    expect(code).not.toBe(0)
    expect(err).toContain(why)
    expect(await s.pendingIds()).toEqual([id])
    expect(s.get('a.txt')).toBe(lines(40))
  })

  it('takes a file that was moved by one hunk, with its folder or alone', async () => {
    const s = shop({ 'd/a.txt': 'a\n', 'd/b.txt': 'b\n', 'c.txt': 'c\n', 'none.txt': '' })
    const { id, diff, hunks } = await ask(s, 'mv d e; mv c.txt d.txt; chmod 700 d.txt; mv none.txt no.txt')
    const begins = hunks?.lines.map((line) => diff.split('\n')[line])
    expect(begins).toEqual([
      'Moved: c.txt → d.txt',
      'Moved: d/a.txt → e/a.txt',
      'Moved: d/b.txt → e/b.txt',
      'Empty file created: no.txt',
      'Empty file removed: none.txt',
    ])
    expect(diff).toContain('Moved: c.txt → d.txt\nMode of d.txt: 644 → 700\n')
    const { code, rows } = await approve(s, id, '3')
    expect(code).toBe(0)
    expect(resultOf(rows)).toMatchObject({
      changes: [
        { path: 'd/b.txt', change: 'deleted' },
        { path: 'e/b.txt', change: 'created', from: 'd/b.txt' },
      ],
    })
    expect(rows[0]?.content).toContain('[moved d/b.txt to e/b.txt]')
    expect([s.get('d/a.txt'), s.get('d/b.txt'), s.get('e/b.txt')]).toEqual(['a\n', null, 'b\n'])
    expect([s.get('c.txt'), s.get('d.txt')]).toEqual(['c\n', null])
    expect((await s.tongs(['undo', '--yes', '--session', 'cli'])).code).toBe(0)
    expect([s.get('d/a.txt'), s.get('d/b.txt'), s.get('e/b.txt')]).toEqual(['a\n', 'b\n', null])
  })

  it('takes a name that became a folder only with what is in it', async () => {
    const s = shop({ t: 'file\n', 'b.txt': 'b\n' })
    const { id, hunks } = await ask(s, 'rm t; mkdir t; echo in > t/in; echo c > b.txt')
    expect(hunks?.together).toEqual([[2, 3]])
    expect((await approve(s, id, '3')).err).toContain('its hunks 2, 3 can only be taken together')
    await approve(s, id, '2-3')
    expect([readFileSync(join(s.root, 't/in'), 'utf8'), s.get('b.txt')]).toEqual(['in\n', 'b\n'])
  })

  it('takes what git stored whole or not at all, and says that a commit is among it', async () => {
    const s = shop({ 'a.txt': lines(40) })
    const git = (...words: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
        cwd: s.root,
        encoding: 'utf8',
      })
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'one')
    const commit =
      "sed -i -e 's/^5$/new 5/' -e 's/^30$/new 30/' a.txt; git -c user.name=a -c user.email=a@b commit -qam two"
    const { id, note, diff, hunks } = await ask(s, commit)
    expect(hunks?.lines.map((line) => diff.split('\n')[line])).toEqual([
      'Stored by git in .git:',
      '@@ -2,7 +2,7 @@',
      '@@ -27,7 +27,7 @@',
    ])
    expect(note).toContain('Hunk 1 is what git stored in .git, as a whole')
    const { rows } = await approve(s, id, '2')
    expect(resultOf(rows)).toMatchObject({
      changes: [{ path: 'a.txt', change: 'modified' }],
      left_out: [
        { path: '.git', hunks: [1] },
        { path: 'a.txt', hunks: [3] },
      ],
    })
    expect(rows[0]?.content).not.toContain('What git stored')
    git('fsck', '--strict')
    expect([git('log', '--format=%s'), s.get('a.txt')]).toEqual(['one\n', lines(40, [5])])
    git('commit', '-qam', 'mine')
    const again = await ask(s, commit.replace('new 5', '5'))
    const taken = await approve(s, again.id, '1')
    expect(taken.rows[0]?.content).toContain(
      'What git stored in .git landed as a whole: what was left out of files may be committed or staged there.',
    )
    git('fsck', '--strict')
    expect([git('log', '-1', '--format=%s'), s.get('a.txt')]).toEqual(['two\n', lines(40, [5])])
    expect((await s.tongs(['undo', '--yes', '--session', 'cli'])).code).toBe(0)
    expect(git('log', '-1', '--format=%s')).toBe('mine\n')
  })

  it('has no hunks where the diff does not show everything', async () => {
    const s = shop({})
    const many = 'for i in 1 2 3 4 5 6; do head -c 60000 /dev/zero | tr "\\0" x > $i; done'
    const { id, hunks } = await ask(s, many)
    expect(hunks).toBeUndefined()
    expect((await approve(s, id, '1')).err).toContain('can only be taken as a whole')
  })

  it('is chosen for one question at a time, and not together with a grant', async () => {
    const s = shop({})
    const edit = (path: string) => ({ id: path, name: 'write_file', args: { path, content: 'n\n' } })
    await s.batch([edit('n.txt'), edit('o.txt')])
    const ids = await s.pendingIds()
    expect((await approve(s, 'all', '1')).err).toContain('hunks are chosen for one question at a time')
    const granted = await s.tongs(['approve', ids[0] ?? '', '--hunks', '1', '--for', '60'])
    expect(granted.err).toContain('it cannot be combined with hunks')
    expect(await s.pendingIds()).toEqual(ids)
  })

  it('is not offered under the profile strict', async () => {
    const s = shop({ 'a.txt': 'one\n' })
    const edit = { id: 'c', name: 'write_file', args: { path: 'n.txt', content: 'n\n' } }
    await s.batch([edit], '--set', 'profile="strict"')
    const [id = ''] = await s.pendingIds()
    const { err } = await s.tongs(['approve', id, '--hunks', '1', '--set', 'profile="strict"'])
    expect(err).toContain('the profile strict takes a change whole or not at all')
  })
})

describe('an edit that is taken in part', () => {
  it('commits only the chosen hunks', async () => {
    const s = shop({ 'a.txt': lines(40) })
    const edits = [5, 30].map((line) => ({
      path: 'a.txt',
      start_line: line,
      end_line: line,
      new_content: `new ${line}`,
    }))
    const { rows: first } = await s.batch([
      { id: 'r', name: 'read_file', args: { path: 'a.txt' } },
      { id: 'c', name: 'multi_edit', args: { edits } },
    ])
    expect(outcomes(first)).toContain('approval_required')
    const [id = ''] = await s.pendingIds()
    expect((await approve(s, id, '3')).err).toContain('there is no hunk 3; its diff has 2 hunks')
    const { rows } = await approve(s, id, '2')
    expect(errorless(rows)).toMatchObject({ partial: true, left_out: [{ path: 'a.txt', hunks: [1] }] })
    expect(s.get('a.txt')).toBe(lines(40, [30]))
    expect((await s.tongs(['undo', '--yes', '--session', 'cli'])).code).toBe(0)
    expect(s.get('a.txt')).toBe(lines(40))
  })
})

const errorless = (rows: readonly ToolResult[]) => {
  const last = rows.at(-1)
  if (last?.ok === false) throw new Error(errorOf(last).message)
  return outputOf(last)
}
