import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareFiles, describeFiles, withoutTimes } from '../../harness/layers/describe-files.ts'
import { useShops } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { changedNames, landAndBack, layersOf, questionsIn, runPlainly, shellCall } from './land-command.ts'
import { someOf } from '../../harness/long-run.ts'

const shop = useShops()

const IDENTITY =
  'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b ' +
  'GIT_AUTHOR_DATE="2001-01-01T00:00:00Z" GIT_COMMITTER_DATE="2001-01-01T00:00:00Z"; '

function git(root: string, ...words: readonly string[]): string {
  return execFileSync('sh', ['-c', `${IDENTITY} exec git "$@"`, 'git', ...words], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  })
}

function repository(files: Readonly<Record<string, string>>): Shop {
  const s = shop(files)
  git(s.root, 'init', '-q')
  git(s.root, 'add', '-A')
  git(s.root, 'commit', '-qm', 'one')
  return s
}

const manyFiles = (count: number, text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`src/part${at % 7}/file${at}.txt`, `${text} ${at}\n`]),
  )

/** The index of git holds times and numbers of files, which differ from run to run. */
const isIndex = (path: string): boolean => path === '.git/index'

/** Lands a command, and compares with what it does where nothing is between it and the files. */
async function landAsPlainly(s: Shop, line: string): Promise<Awaited<ReturnType<typeof landAndBack>>> {
  const plain = runPlainly(s, line)
  const landed = await landAndBack(s, line)
  expect(compareFiles(withoutTimes(plain, isIndex), withoutTimes(landed.after, isIndex))).toEqual([])
  expect(landed.asked.changes.map(({ path }) => path)).toEqual(changedNames(landed.before, landed.after))
  return landed
}

describe('a command is shown, landed, undone and redone, byte for byte', () => {
  it('that deletes a folder and lets git bring it back', async () => {
    const s = repository(manyFiles(30, 'text'))
    chmodSync(join(s.root, 'src/part1/file1.txt'), 0o755)
    git(s.root, 'commit', '-qam', 'two')
    s.put('src/part2/file2.txt', 'changed by hand\n')
    s.put('src/untracked.txt', 'not in git\n')
    const { asked } = await landAsPlainly(s, 'rm -rf src && git checkout .')
    expect(asked.changes).toEqual([
      { path: '.git/index', change: 'modified' },
      { path: 'src/part2/file2.txt', change: 'modified' },
      { path: 'src/untracked.txt', change: 'deleted' },
    ])
    expect(git(s.root, 'status', '--porcelain')).toBe('')
  })

  it('that changes 200 files in place', async () => {
    const s = shop(manyFiles(200, 'old name'))
    chmodSync(join(s.root, 'src/part0/file0.txt'), 0o640)
    const { asked } = await landAsPlainly(s, "find src -name '*.txt' -exec sed -i s/old/new/ {} +")
    expect(asked.changes).toHaveLength(200)
    expect(asked.diff).toContain('+new name 0')
  })

  it('that installs packages', async () => {
    const s = shop({ 'package.json': JSON.stringify({ name: 'top', version: '1.0.0' }) })
    for (const name of ['left', 'right']) makePackage(s, name)
    const { asked } = await landAndBack(
      s,
      'npm install --offline --no-audit --no-fund --cache /tmp/cache ./packages/*.tgz',
    )
    expect(asked.changes.length).toBeGreaterThan(300)
    expect(s.get('node_modules/left/lib/4/file4.js')).toBe('module.exports = 4\n')
    expect(execFileSync('node', ['-p', "require('right/lib/5/file5.js')"], { cwd: s.root }).toString()).toBe(
      '5\n',
    )
  })

  it('that commits', async () => {
    const s = repository(manyFiles(5, 'text'))
    s.put('src/part0/file0.txt', 'changed\n')
    s.put('more.txt', 'more\n')
    await landAsPlainly(s, `${IDENTITY} git add -A && git commit -qm two`)
    expect(git(s.root, 'status', '--porcelain')).toBe('')
    expect(git(s.root, 'log', '--format=%s')).toBe('two\none\n')
    git(s.root, 'fsck', '--strict')
  })

  it.each(
    someOf(
      [
        [
          'renames new files into place',
          'fs.writeFileSync(p + ".new", out); fs.chmodSync(p + ".new", fs.statSync(p).mode); fs.renameSync(p + ".new", p)',
        ],
        ['writes in place', 'fs.writeFileSync(p, out)'],
      ] as const,
      1,
    ),
  )('that formats and %s', async (_how, write) => {
    const s = shop(manyFiles(40, '  indented'))
    symlinkSync('part0/file0.txt', join(s.root, 'src/link'))
    chmodSync(join(s.root, 'src/part3/file3.txt'), 0o755)
    s.put(
      'format.cjs',
      `const fs = require('node:fs')
for (const name of fs.readdirSync('src', { recursive: true })) {
  const p = 'src/' + name
  if (!p.endsWith('.txt')) continue
  const out = fs.readFileSync(p, 'utf8').trimStart()
  ${write}
}`,
    )
    const { asked } = await landAsPlainly(s, 'node format.cjs')
    expect(asked.changes).toHaveLength(40)
  })

  it('that tests and writes snapshots', async () => {
    const s = shop({ 'a.test.cjs': SNAPSHOT_TEST, '__snapshots__/old.snap': '{"a":0}' })
    const { asked } = await landAsPlainly(s, 'UPDATE=1 node --test a.test.cjs >/dev/null')
    expect(asked.changes).toEqual([
      { path: '__snapshots__/new.snap', change: 'created' },
      { path: '__snapshots__/old.snap', change: 'modified' },
    ])
  })
})

const SNAPSHOT_TEST = `const fs = require('node:fs')
const { test } = require('node:test')
const assert = require('node:assert')
for (const name of ['old', 'new']) test(name, () => {
  const file = '__snapshots__/' + name + '.snap'
  if (process.env.UPDATE) fs.writeFileSync(file, '{"a":1}')
  assert.equal(fs.readFileSync(file, 'utf8'), '{"a":1}')
})
`

/** Packs a package of many files. */
function makePackage(s: Shop, name: string): void {
  const folder = join(s.root, '..', name)
  for (let at = 0; at < 160; at++) {
    const part = join(folder, 'lib', String(at % 8))
    mkdirSync(part, { recursive: true })
    writeFileSync(join(part, `file${at}.js`), `module.exports = ${at}\n`)
  }
  writeFileSync(join(folder, 'cli.js'), '#!/usr/bin/env node\n')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', bin: 'cli.js' }))
  mkdirSync(join(s.root, 'packages'), { recursive: true })
  execFileSync('npm', ['pack', '--silent', '--pack-destination', join(s.root, 'packages')], { cwd: folder })
}

describe('a command that only reads leaves nothing and asks nothing', () => {
  it.each(
    someOf(
      [
        ['git status', 'git status'],
        ['ls', 'ls -lR'],
        ['grep -r', 'grep -r text .'],
        [
          'a test run with caches',
          'node --test a.test.cjs && mkdir -p node_modules/.cache && echo x > node_modules/.cache/x',
        ],
      ] as const,
      2,
    ),
  )('%s', async (_name, line) => {
    const s = repository({
      ...manyFiles(5, 'text'),
      'a.test.cjs': "require('node:test').test('it', () => {})\n",
      'node_modules/x.js': '',
      '.gitignore': 'node_modules\n',
    })
    // The times of the index are older, so that git would like to refresh it.
    execFileSync('touch', ['src/part0/file0.txt'], { cwd: s.root })
    const before = describeFiles(s.root)
    const { code, rows } = await s.batch([shellCall(line)])
    expect(code).toBe(0)
    expect(rows[0]).toMatchObject({ ok: true, result: { exit_code: 0, layer: 'overlay', changes: [] } })
    expect(await questionsIn(s)).toEqual([])
    expect(layersOf(s)).toEqual([])
    expect(compareFiles(before, describeFiles(s.root))).toEqual([])
  })
})
