import { describe, expect, it } from 'vitest'
import { errorOf, outputOf } from '../../bench-folder.ts'
import { applyPatch } from '../../../src/tools/apply-patch.ts'
import { editBench, lp1 } from '../edits/edit-bench.ts'

const replaceGreen = ['R', 'green', '.', 'teal', '.']
const add = (path: string, text: string): readonly string[] => [`F ${path}`, 'T', text, '.']
const turn = (path: string, from: string, to: string): readonly string[] => [
  `F ${path}`,
  'R',
  from,
  '.',
  to,
  '.',
]
const summarise = (...lines: readonly string[]): string => applyPatch.summary({ patch: lp1(...lines) })

/** A patch of exactly so many bytes, most of them in two-byte characters. */
function patchOf(bytes: number): string {
  const room = bytes - lp1('F n.txt', 'T', '', '.').length
  return lp1('F n.txt', 'T', 'é'.repeat(Math.floor(room / 2)) + 'x'.repeat(room % 2), '.')
}

describe('what a patch does', () => {
  it('FR-TOOL-PATCH-01: a patch changes one file and creates another, and says so', async () => {
    const bench = await editBench({ 'a.txt': 'red\ngreen\nblue\n' })
    await bench.see('a.txt')
    const result = await bench.patch('F a.txt', ...replaceGreen, 'F n/new.txt', 'T', 'x', '.')
    expect(outputOf(result)).toEqual({
      files: [
        { path: 'a.txt', change: 'modified' },
        { path: 'n/new.txt', change: 'created' },
      ],
      diff: [
        '--- a/a.txt',
        '+++ b/a.txt',
        '@@ -1,3 +1,3 @@',
        ' red',
        '-green',
        '+teal',
        ' blue',
        '--- /dev/null',
        '+++ b/n/new.txt',
        '@@ -0,0 +1 @@',
        '+x',
        '',
      ].join('\n'),
    })
    expect(result.content).toBe('modified: a.txt\ncreated: n/new.txt\na.txt\n-2: green\n+2: teal')
    expect(result.execution.state).toBe('COMPLETED')
    expect(bench.raw('a.txt')).toBe('red\nteal\nblue\n')
    expect(bench.raw('n/new.txt')).toBe('x\n')
  })

  it('FR-TOOL-PATCH-01: a patch stays inside the sandbox', async () => {
    const bench = await editBench({ 'a.txt': 'red\n' })
    await bench.see('a.txt')
    for (const path of ['../out.txt', 'n/../../out.txt', '/out.txt']) {
      const error = errorOf(await bench.patch(`F ${path}`, 'T', 'x', '.'))
      expect(error).toMatchObject({ code: 'path_outside_sandbox', state: 'DENIED' })
    }
    expect(Object.keys(bench.tree())).toEqual(['a.txt'])
  })

  it('files are reported in the order in which the patch first names them', async () => {
    const bench = await editBench({ 'a.txt': 'a\n', 'z.txt': 'z\n' })
    await bench.see('a.txt', 'z.txt')
    const result = await bench.patch(
      ...add('z.txt', '1'),
      ...add('n.txt', '1'),
      ...add('a.txt', '1'),
      ...add('z.txt', '2'),
    )
    expect(result.content).toBe(
      'modified: z.txt\ncreated: n.txt\nmodified: a.txt\nz.txt\n+2: 1\n+3: 2\na.txt\n+2: 1',
    )
    expect(bench.raw('z.txt')).toBe('z\n1\n2\n')
  })

  it.for([
    ['no sections', []],
    ['a section without operations', ['F a.txt']],
    ['a section without operations for a file that is missing', ['F n/new.txt']],
    ['a replacement by the same text', ['F a.txt', 'R', 'red', '.', 'red', '.']],
    ['two operations that undo each other', ['F a.txt', 'T', 'x', '.', 'E', 'x', '.']],
    ['an empty result for a file that is missing', ['F n/new.txt', 'T', '.']],
    ['N - for a file that is missing', ['F n/new.txt', 'N -']],
  ] as const)('%s: nothing is written or reported', async ([, lines]) => {
    const bench = await editBench({ 'a.txt': 'red\n' })
    await bench.see('a.txt')
    const before = bench.tree()
    const result = await bench.patch(...lines)
    expect(outputOf(result)).toEqual({ files: [], diff: '' })
    expect(result.content).toBe('No changes applied.')
    expect(bench.tree()).toEqual(before)
  })

  it('a section without operations is checked against the sandbox all the same', async () => {
    const bench = await editBench({ 'a.txt': 'red\n', 'folder/x': '' })
    await bench.see('a.txt')
    expect(errorOf(await bench.patch('F ../x')).code).toBe('path_outside_sandbox')
    expect(errorOf(await bench.patch('F k.pem')).code).toBe('denied_pattern')
    expect(errorOf(await bench.patch('F folder')).details).toMatchObject({ lp1: 'is_directory', line: 2 })
  })

  it('a section without operations needs no reading, since it changes nothing', async () => {
    const bench = await editBench({ 'a.txt': 'red\n' })
    expect((await bench.patch('F a.txt')).content).toBe('No changes applied.')
  })

  it('only the files that change are among those reported', async () => {
    const bench = await editBench({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    await bench.see('a.txt', 'b.txt')
    const result = await bench.patch('F a.txt', 'R', 'a', '.', 'a', '.', 'F b.txt', 'T', 'c', '.')
    expect(result.content).toBe('modified: b.txt\n+2: c')
  })

  it('one file in two sections, under three spellings, is edited once', async () => {
    const bench = await editBench({ 'a.txt': 'a\n' })
    await bench.see('a.txt')
    const absolute = JSON.stringify(`${bench.runtime.root}/a.txt`)
    const result = await bench.patch(
      ...turn('a.txt', 'a', 'b'),
      ...turn('./a.txt', 'b', 'c'),
      ...turn(absolute, 'c', 'd'),
    )
    expect(result.content).toBe('modified: a.txt\n-1: a\n+1: d')
    expect(bench.raw('a.txt')).toBe('d\n')
  })

  it('a missing file takes no matching operation, whichever section has it', async () => {
    const bench = await editBench()
    const result = await bench.patch('F n.txt', 'T', 'a', '.', 'F ./n.txt', 'R', 'a', '.', 'b', '.')
    expect(errorOf(result).details).toMatchObject({ lp1: 'missing_file_for_match_op' })
    const again = await bench.patch('F n.txt', 'T', 'a', '.', 'F ./n.txt', 'B', 'first', '.')
    expect(again.content).toBe('created: n.txt')
    expect(bench.raw('n.txt')).toBe('first\na\n')
  })

  it('a fence around the patch is tolerated', async () => {
    const bench = await editBench()
    const patch = `\`\`\`lp1\n${lp1('F n.txt', 'T', 'a', '.')}\`\`\`\n`
    expect((await bench.run('apply_patch', { patch })).content).toBe('created: n.txt')
  })

  it('FR-TOOL-PATCH-01: a path with blanks goes in quotes in a patch, and is the rest of its line in the summary', async () => {
    const bench = await editBench()
    expect((await bench.patch('F "a b/c d.txt"', 'T', 'a', '.')).content).toBe('created: a b/c d.txt')
    expect(bench.raw('a b/c d.txt')).toBe('a\n')
  })
})

describe('the size of a patch', () => {
  it('FR-LIM-04: a patch of 512 KB is applied, one more byte is too much', async () => {
    const bench = await editBench()
    const error = errorOf(await bench.run('apply_patch', { patch: patchOf(524_289) }))
    expect(error).toMatchObject({ code: 'limit_exceeded', kind: 'SandboxViolation', state: 'FAILED' })
    expect(error.details).toMatchObject({ reason: 'LimitsExceeded', bytes: 524_289, limit: 524_288 })
    expect(bench.tree()).toEqual({})
    expect((await bench.run('apply_patch', { patch: patchOf(524_288) })).content).toBe('created: n.txt')
  })

  it('CFG-PATCH-01: tools.apply_patch.max_patch_bytes is 524288 and can be set', async () => {
    const standard = await editBench({}, { profile: 'strict' })
    expect(standard.runtime.configuration.settings['tools.apply_patch.max_patch_bytes']).toBe(524_288)
    const bench = await editBench({}, { config: { 'tools.apply_patch.max_patch_bytes': 100 } })
    const error = errorOf(await bench.run('apply_patch', { patch: patchOf(101) }))
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { limit: 100 } })
    expect((await bench.run('apply_patch', { patch: patchOf(100) })).ok).toBe(true)
  })

  it('a patch over the limit is not counted as arguments', async () => {
    const bench = await editBench({}, { config: { 'tools.max_tool_args_bytes': 1000 } })
    expect((await bench.run('apply_patch', { patch: patchOf(2000) })).ok).toBe(true)
  })
})

describe('what people are told', () => {
  it('the summary counts and names the files', () => {
    expect(summarise('F a.txt', 'F "b c"', 'F a.txt')).toBe('Apply patch to 2 file(s): a.txt, "b c"')
    expect(summarise()).toBe('Apply patch to 0 file(s)')
  })

  it('it is a medium risk that reads and writes files', () => {
    const { effect, risk, capabilities, idempotent } = applyPatch
    expect({ effect, risk, capabilities, idempotent }).toEqual({
      effect: 'edit',
      risk: 'Medium',
      capabilities: ['filesystem.read', 'filesystem.write'],
      idempotent: false,
    })
  })

  it('the schema teaches the language', () => {
    expect(JSON.stringify(applyPatch.inputSchema)).toContain('An LP1 patch edits text files by whole lines')
  })
})

describe('a dry run', () => {
  it('F-SAFE-DRYRUN: a dry run of a patch shows the diff and changes nothing', async () => {
    const bench = await editBench({ 'a.txt': 'red\ngreen\n' })
    await bench.see('a.txt')
    const before = bench.tree()
    const args = { patch: lp1('F a.txt', ...replaceGreen, 'F n/new.txt', 'T', 'x', '.') }
    const result = await bench.run('apply_patch', args, { dryRun: true })
    expect(bench.tree()).toEqual(before)
    const output = outputOf(result)
    expect(output['dry_run']).toBe(true)
    expect(result.content).toBe(
      `dry run: modified: a.txt\ndry run: created: n/new.txt\n\n${String(output['diff'])}`,
    )
    const real = outputOf(await bench.run('apply_patch', args))
    expect(real).toEqual({ files: output['files'], diff: output['diff'] })
  })

  it('F-SAFE-DRYRUN: what a dry run was shown of a stale file does not count as read', async () => {
    const bench = await editBench({ 'a.txt': 'red\n' })
    await bench.see('a.txt')
    bench.put('a.txt', 'green\n')
    const args = { patch: lp1('F a.txt', ...replaceGreen) }
    expect(errorOf(await bench.run('apply_patch', args, { dryRun: true })).code).toBe('stale_file')
    expect(errorOf(await bench.run('apply_patch', args)).code).toBe('stale_file')
    expect(bench.raw('a.txt')).toBe('green\n')
  })

  it('a dry run without changes says so', async () => {
    const bench = await editBench()
    const result = await bench.run('apply_patch', { patch: lp1() }, { dryRun: true })
    expect(result.content).toBe('dry run: No changes applied.')
  })

  it('a dry run fails as the real one would', async () => {
    const bench = await editBench({ 'a.txt': 'red\n' })
    const args = { patch: lp1('F a.txt', 'T', 'x', '.') }
    expect(errorOf(await bench.run('apply_patch', args, { dryRun: true })).code).toBe('stale_file')
  })
})
