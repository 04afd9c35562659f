import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareFiles, describeFiles } from '../../harness/layers/describe-files.ts'
import { useShops } from './command-line.ts'
import type { CommandEnd } from './command-line.ts'
import { questionsIn, shellCall } from './land-command.ts'

const openShop = useShops()

/** A workspace with a root beside the first and one inside of it. */
function rooted() {
  const s = openShop({ 'a.txt': 'a\n', 'inner/b.txt': 'b\n', 'inner/gone.txt': 'gone\n' })
  const beside = join(dirname(s.root), 'beside')
  mkdirSync(join(beside, 'sub'), { recursive: true })
  writeFileSync(join(beside, 'c.txt'), 'c\n')
  writeFileSync(join(beside, 'sub/d.txt'), 'd\n')
  const roots = [s.root, beside, join(s.root, 'inner')]
  const words = ['--set', `tools.sandbox.allowed_roots=${JSON.stringify(roots)}`] as const
  const photo = () => [describeFiles(s.root), describeFiles(beside)] as const
  const differences = (one: ReturnType<typeof photo>, other: ReturnType<typeof photo>) => [
    ...compareFiles(one[0], other[0]),
    ...compareFiles(one[1], other[1]),
  ]
  return { s, beside, words, photo, differences }
}

const ended = ({ code, out, err }: CommandEnd): void => expect(code, `${out}${err}`).toBe(0)

describe('a command in a workspace of several roots, one of them in another', () => {
  it('changes all of them in one landing, which is undone and redone as one', async () => {
    const { s, beside, words, photo, differences } = rooted()
    const before = photo()
    const line = `echo A > a.txt; echo B > inner/b.txt; rm inner/gone.txt; echo n > inner/new.txt; cd '${beside}'; echo C > c.txt; rm -r sub; mkdir made; echo m > made/m.txt`
    expect((await s.batch([shellCall(line)], ...words)).code).toBe(4)
    expect(differences(before, photo())).toEqual([])
    const [asked, ...others] = await questionsIn(s)
    expect(others).toEqual([])
    expect(asked?.changes.map(({ path, change }) => `${change} ${path}`).toSorted()).toEqual(
      [
        'modified a.txt',
        'modified inner/b.txt',
        'deleted inner/gone.txt',
        'created inner/new.txt',
        `modified ${beside}/c.txt`,
        `created ${beside}/made/m.txt`,
        `deleted ${beside}/sub/d.txt`,
      ].toSorted(),
    )
    ended(await s.tongs(['approve', 'all', '--json', ...words]))
    const after = photo()
    expect([s.get('a.txt'), s.get('inner/b.txt'), s.get('inner/gone.txt'), s.get('inner/new.txt')]).toEqual([
      'A\n',
      'B\n',
      null,
      'n\n',
    ])
    expect(readFileSync(join(beside, 'c.txt'), 'utf8')).toBe('C\n')
    for (const [word, wanted] of [
      ['undo', before],
      ['redo', after],
      ['undo', before],
    ] as const) {
      ended(await s.tongs([word, '--yes', '--json', '--session', 'cli', ...words]))
      expect(differences(wanted, photo()), word).toEqual([])
    }
  })

  it.for([
    ['a file is removed in a folder that the other gets', 'mkdir sub; echo n > sub/d.txt; rm B/sub/d.txt'],
    ['a folder moves from one to the other', 'mv B/sub sub'],
    ['a folder is copied, and changes where it was', 'cp -r B/sub sub; echo n > B/sub/n.txt'],
    ['a folder is made in both', 'mkdir n B/n; echo n > n/n.txt; echo m > B/n/n.txt'],
  ] as const)('tells folders of one name in two of them apart: %s', async ([, line]) => {
    const { s, beside, words, photo, differences } = rooted()
    const before = photo()
    await s.batch([shellCall(line.replaceAll('B/', `'${beside}'/`))], ...words)
    ended(await s.tongs(['approve', 'all', '--json', ...words]))
    expect(differences(before, photo())).not.toEqual([])
    ended(await s.tongs(['undo', '--yes', '--json', '--session', 'cli', ...words]))
    expect(differences(before, photo())).toEqual([])
  })

  it.for([true, false])(
    'notices the exchange of such a folder in either: the other one is %s',
    async (isBeside) => {
      const { s, beside, words, photo, differences } = rooted()
      const [one, other] = isBeside ? [beside, s.root] : [s.root, beside]
      mkdirSync(join(s.root, 'sub'))
      await s.batch([shellCall(`echo n > sub/n.txt; echo n > '${beside}/sub/n.txt'`)], ...words)
      renameSync(join(one, 'sub'), join(one, 'former'))
      mkdirSync(join(one, 'sub'))
      const before = photo()
      expect((await s.tongs(['approve', 'all', '--json', ...words])).code).not.toBe(0)
      expect(differences(before, photo())).toEqual([])
      expect(existsSync(join(other, 'sub/n.txt'))).toBe(false)
    },
  )

  it('lands nowhere if a file of one root was changed meanwhile', async () => {
    const { s, beside, words, photo, differences } = rooted()
    await s.batch([shellCall(`echo A > a.txt; echo C > '${beside}/c.txt'`)], ...words)
    writeFileSync(join(beside, 'c.txt'), 'theirs\n')
    const before = photo()
    expect((await s.tongs(['approve', 'all', '--json', ...words])).code).not.toBe(0)
    expect(differences(before, photo())).toEqual([])
  })
})
