import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Runtime, RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { writeFile } from '../../../src/tools/write-file.ts'
import { bench as plainBench, errorOf, outputOf } from '../../bench-folder.ts'
import { editBench } from './edit-bench.ts'

describe('writing', () => {
  it('FR-WR-01: the tool is called write_file', async () => {
    const bench = await editBench({}, { profile: 'strict' })
    expect(bench.runtime.definitions().map(({ name }) => name)).toContain('write_file')
    expect((await bench.run('write_file', { path: 'a.txt', content: 'a' })).name).toBe('write_file')
  })

  it('FR-WR-02: it takes a path and a content, and needs both', async () => {
    const bench = await editBench()
    expect(writeFile.inputSchema['required']).toEqual(['path', 'content'])
    const bad = [
      { path: 'a.txt' },
      { content: 'a' },
      { path: '', content: 'a' },
      { path: 'a.txt', content: 1 },
    ]
    for (const args of [...bad, { path: 'a.txt', content: 'a', mode: 'x' }]) {
      expect(errorOf(await bench.run('write_file', args))).toMatchObject({
        code: 'bad_args',
        state: 'FAILED',
      })
    }
    expect(bench.tree()).toEqual({})
    expect((await bench.run('write_file', { path: 'a.txt', content: 'a' })).ok).toBe(true)
  })

  it('FR-WR-05: the result says what happened and how many bytes were written', async () => {
    const bench = await editBench()
    const created = await bench.run('write_file', { path: 'a.txt', content: 'é\n' })
    const expected = { path: 'a.txt', backup_path: null, bytes_written: 3, dry_run: false, created: true }
    expect(outputOf(created)).toEqual(expected)
    expect(created.content).toBe('created a.txt (3 bytes)')
    const appended = outputOf(await bench.run('write_file', { path: 'a.txt', content: 'bc', append: true }))
    expect(appended).toMatchObject({ bytes_written: 2, created: false })
    expect(bench.raw('a.txt')).toBe('\xC3\xA9\nbc')
  })

  it('T-WR-01: a new file is created, with its folders', async () => {
    const bench = await editBench({}, { profile: 'strict' })
    const result = await bench.run('write_file', { path: 'n/m/a.txt', content: 'line\r\nno newline' })
    expect(result.execution.state).toBe('COMPLETED')
    expect(bench.raw('n/m/a.txt')).toBe('line\r\nno newline')
  })

  it('F-TOOL-write_file: it previews, writes, appends and keeps what was there', async () => {
    const bench = await editBench({ 'a.txt': 'old' })
    await bench.see('a.txt')
    const preview = outputOf(await bench.run('write_file', { path: 'a.txt', content: 'new', dry_run: true }))
    expect(preview['preview']).toContain('-old\n')
    expect(bench.raw('a.txt')).toBe('old')
    const written = outputOf(await bench.run('write_file', { path: 'a.txt', content: 'new' }))
    expect(bench.raw('a.txt')).toBe('new')
    expect(readFileSync(String(written['backup_path']), 'utf8')).toBe('old')
    const appended = outputOf(await bench.run('write_file', { path: 'a.txt', content: '+', append: true }))
    expect(bench.raw('a.txt')).toBe('new+')
    expect(readFileSync(String(appended['backup_path']), 'utf8')).toBe('new')
    expect(readFileSync(String(written['backup_path']), 'utf8')).toBe('old')
  })

  it.for([{}, { append: true }, { path: 'n/new.txt' }])(
    'F-TOOL-write_file: tried only, %j touches no file and keeps no copy; done, it keeps one unless told not to',
    async (more) => {
      const bench = await editBench({ 'a.txt': 'old' })
      await bench.see('a.txt')
      const before = bench.tree()
      const args = { path: 'a.txt', content: 'new', ...more }
      const tried = outputOf(await bench.run('write_file', { ...args, dry_run: true }))
      expect(tried).toMatchObject({ dry_run: true, preview: expect.stringContaining('+') })
      expect(tried['backup_path'] ?? null).toBeNull()
      expect(bench.tree()).toEqual(before)
      const done = outputOf(await bench.run('write_file', { ...args, no_backup: true }))
      expect(done['backup_path'] ?? null).toBeNull()
      expect(bench.tree()).not.toEqual(before)
    },
  )

  it.for([{}, { append: true }])(
    'F-TOOL-write_file: %j touches no file that nobody read, or that changed since',
    async (more) => {
      const bench = await editBench({ 'a.txt': 'old' })
      const write = () => bench.run('write_file', { path: 'a.txt', content: 'new', ...more })
      expect(errorOf(await write())).toMatchObject({ code: 'stale_file', state: 'ROLLED_BACK' })
      expect(bench.raw('a.txt')).toBe('old')
      await bench.see('a.txt')
      bench.put('a.txt', 'theirs')
      expect(errorOf(await write())).toMatchObject({ code: 'stale_file', state: 'ROLLED_BACK' })
      expect(bench.raw('a.txt')).toBe('theirs')
    },
  )

  it('F-TOOL-write_file: a missing file stays missing where it is not to be created', async () => {
    const bench = await editBench()
    const args = { path: 'n/a.txt', content: 'a', create_if_missing: false }
    expect(errorOf(await bench.run('write_file', args)).message).toMatch(/does not exist/)
    expect(bench.tree()).toEqual({})
  })

  it.for([
    ['an empty file', ''],
    ['a byte order mark and CRLF', '\uFEFFa\r\n'],
    ['control characters', 'a\0b\x1b'],
    ['characters beyond 16 bits', '😀\n'],
  ] as const)('%s is written exactly as given', async ([, content]) => {
    const bench = await editBench()
    const result = outputOf(await bench.run('write_file', { path: 'a.txt', content }))
    expect(readFileSync(join(bench.root, 'a.txt'))).toEqual(Buffer.from(content))
    expect(result['bytes_written']).toBe(Buffer.byteLength(content))
  })

  it.for([
    ['joins exactly, without a newline', 'a', 'b', 'ab'],
    ['keeps a byte order mark', '\xEF\xBB\xBFa\n', 'b\n', '\xEF\xBB\xBFa\nb\n'],
    ['keeps bytes that are no text', '\xFF\xFE\x00', 'b', '\xFF\xFE\x00b'],
  ] as const)('append %s', async ([, before, content, after]) => {
    const bench = await editBench({ 'a.txt': Buffer.from(before, 'latin1') })
    await bench.see('a.txt')
    outputOf(await bench.run('write_file', { path: 'a.txt', content, append: true }))
    expect(bench.raw('a.txt')).toBe(after)
  })

  it('append creates a file that is missing', async () => {
    const bench = await editBench()
    const result = outputOf(await bench.run('write_file', { path: 'a.txt', content: 'a', append: true }))
    expect(result).toMatchObject({ created: true, backup_path: null })
    expect(bench.raw('a.txt')).toBe('a')
  })

  it.for([0o755, 0o640])('mode %o survives', async (mode) => {
    const bench = await editBench({ 'a.sh': 'a' })
    chmodSync(join(bench.root, 'a.sh'), mode)
    await bench.see('a.sh')
    await bench.run('write_file', { path: 'a.sh', content: 'b' })
    expect(bench.tree()).toEqual({ 'a.sh': `${mode.toString(8)} b` })
  })

  it('the summary tells writing from appending', () => {
    expect(writeFile.summary({ path: 'a b', content: 'é' })).toBe('Write "a b" (2 bytes)')
    expect(writeFile.summary({ path: 'a', content: 'x', append: true })).toBe('Append to a (1 bytes)')
  })
})

describe('backups', () => {
  it('F-SAFE-BACKUP: the old content is kept under a name with its time, and the new one replaces it at once', async () => {
    const clock = { now: () => Date.UTC(2031, 1, 3, 4, 5, 6, 789), elapsed: () => 0 }
    const bench = await editBench({ 'sub/a.txt': 'old content' }, { clock })
    await bench.see('sub/a.txt')
    const held = openSync(join(bench.root, 'sub/a.txt'), 'r')
    const result = outputOf(await bench.run('write_file', { path: 'sub/a.txt', content: 'new' }))
    const backup = String(result['backup_path'])
    expect(readFileSync(backup, 'utf8')).toBe('old content')
    expect(basename(backup)).toContain('20310203T040506789Z')
    expect(backup.startsWith(bench.stateDir)).toBe(true)
    // Whoever had the file open still reads all of the old one: it was replaced by a rename, not written over.
    expect(readFileSync(held, 'utf8')).toBe('old content')
    closeSync(held)
    expect(readdirSync(join(bench.root, 'sub'))).toEqual(['a.txt'])
  })

  it('no_backup keeps none', async () => {
    const bench = await editBench({ 'a.txt': 'old' })
    await bench.see('a.txt')
    const result = outputOf(await bench.run('write_file', { path: 'a.txt', content: 'new', no_backup: true }))
    expect(result['backup_path']).toBeNull()
    expect(existsSync(join(bench.stateDir, 'backups'))).toBe(false)
  })

  it('writing what is there already keeps no backup and leaves the file alone', async () => {
    const bench = await editBench({ 'a.txt': 'same' })
    await bench.see('a.txt')
    const { ino } = statSync(join(bench.root, 'a.txt'))
    const result = outputOf(await bench.run('write_file', { path: 'a.txt', content: 'same' }))
    expect(result).toMatchObject({ backup_path: null, bytes_written: 4, created: false })
    expect(statSync(join(bench.root, 'a.txt')).ino).toBe(ino)
  })
})

describe('dry runs', () => {
  it('F-SAFE-DRYRUN: dry_run and a dry run show the change and write nothing', async () => {
    const bench = await editBench({ 'a.txt': 'old\n' })
    await bench.see('a.txt')
    const before = bench.tree()
    const args = { path: 'a.txt', content: 'new\n' }
    const asked = outputOf(await bench.run('write_file', { ...args, dry_run: true }))
    const forced = outputOf(await bench.run('write_file', args, { dryRun: true }))
    expect(asked).toEqual(forced)
    expect(asked).toEqual({
      path: 'a.txt',
      backup_path: null,
      bytes_written: 4,
      dry_run: true,
      created: false,
      preview: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n',
    })
    expect(bench.tree()).toEqual(before)
    expect(existsSync(join(bench.stateDir, 'backups'))).toBe(false)
  })

  it('F-SAFE-DRYRUN: a dry run of a new file makes neither file nor folder', async () => {
    const bench = await editBench()
    const args = { path: 'n/a.txt', content: 'a\n', dry_run: true }
    const result = outputOf(await bench.run('write_file', args))
    expect(result).toMatchObject({ dry_run: true, created: true })
    expect(result['preview']).toContain('+a\n')
    expect(bench.tree()).toEqual({})
    const real = await bench.run('write_file', { path: 'n/a.txt', content: 'other', create_if_missing: true })
    expect(outputOf(real)['created']).toBe(true)
  })

  it('a dry run only reads, so nobody is asked about it', async () => {
    const bench = await editBench({}, { config: { 'tools.approval.mode': 'prompt' } })
    expect(writeFile.effectOf({ path: 'a', content: '', dry_run: true })).toBe('read')
    expect(writeFile.effectOf({ path: 'a', content: '' })).toBe('edit')
    expect((await bench.run('write_file', { path: 'a', content: 'x', dry_run: true })).ok).toBe(true)
  })

  it('a large preview is cut between two lines, and the result stays JSON within the limit', async () => {
    const config = { 'tools.output.max_bytes': 2000, 'tools.output.style': 'json' }
    const bench = await editBench({}, { config })
    const content = '"quoted"\n'.repeat(10_000)
    const result = await bench.run('write_file', { path: 'a.txt', content, dry_run: true })
    expect(Buffer.byteLength(result.content)).toBeLessThanOrEqual(2000)
    expect(Buffer.byteLength(result.content)).toBeGreaterThan(1900)
    const shown = JSON.parse(result.content) as { truncated: boolean; preview: string; bytes_written: number }
    expect(shown).toMatchObject({ truncated: true, bytes_written: 90_000 })
    expect(shown.preview).toMatch(
      /^--- \/dev\/null\n\+\+\+ b\/a\.txt\n@@ -0,0 \+1,10000 @@\n(\+"quoted"\n)+$/,
    )
  })
})

describe('backups', () => {
  it('a backup is read by the end of its path or by the call that kept it, and in its own session only', async () => {
    const b = plainBench({ 'a.txt': 'old\n' })
    const runtime = await b.open({ approve: (requests) => requests.map(() => 'once' as const) })
    const one = async (name: string, args: unknown, session = 's') =>
      (await runtime.run([{ id: '1', name, args }], { session }))[0]
    await one('read_file', { path: 'a.txt' })
    const written = await one('write_file', { path: 'a.txt', content: 'new\n' })
    const path = String(outputOf(written)['backup_path'])
    for (const id of [path.slice(path.lastIndexOf('/') + 1), written?.execution.id ?? '']) {
      expect(outputOf(await one('read_file', { path: `tongs:backup/${id}` }))['content']).toBe('old\n')
      expect(errorOf(await one('read_file', { path: `tongs:backup/${id}` }, 'other')).code).toBe(
        'execution_failed',
      )
    }
  })

  it('a backup that another program has rewritten is refused', async () => {
    const b = plainBench({ 'a.txt': 'old\n' })
    const runtime = await b.open({ approve: (requests) => requests.map(() => 'once' as const) })
    const one = async (name: string, args: unknown) => (await runtime.run([{ id: '1', name, args }]))[0]
    await one('read_file', { path: 'a.txt' })
    const written = await one('write_file', { path: 'a.txt', content: 'new\n' })
    const path = String(outputOf(written)['backup_path'])
    writeFileSync(path, 'not\n')
    for (const id of [path.slice(path.lastIndexOf('/') + 1), written?.execution.id ?? ''])
      expect(errorOf(await one('read_file', { path: `tongs:backup/${id}` })).message).toContain(
        'is not what was stored',
      )
  })

  it('a backup of a file that is denied by now is denied too', async () => {
    const b = plainBench({ 'a.txt': 'one\n', 'conf/keys.json': 'old\n' })
    const approve: RuntimeOptions['approve'] = (requests) => requests.map(() => 'once' as const)
    const before = await b.open({ approve, durability: 'normal' })
    const call = (runtime: Runtime, name: string, args: object) =>
      runtime.run([{ id: '1', name, args }], { session: 's' }).then(([result]) => result)
    const backupOf = async (path: string) => {
      await call(before, 'read_file', { path })
      const written = await call(before, 'write_file', { path, content: 'new\n' })
      const stored = String(outputOf(written)['backup_path'])
      return [stored.slice(stored.lastIndexOf('/') + 1), written?.execution.id ?? '']
    }
    const other = await backupOf('a.txt')
    const secret = await backupOf('conf/keys.json')
    for (const id of secret) outputOf(await call(before, 'read_file', { path: `tongs:backup/${id}` }))
    await before.close()
    const config = { 'tools.sandbox.denied_patterns': ['conf/**'] }
    const after = await b.open({ approve, durability: 'normal', config })
    for (const id of secret)
      expect(errorOf(await call(after, 'read_file', { path: `tongs:backup/${id}` })).code).toBe(
        'denied_pattern',
      )
    for (const id of other)
      expect(outputOf(await call(after, 'read_file', { path: `tongs:backup/${id}` }))['content']).toBe(
        'one\n',
      )
  })
})
