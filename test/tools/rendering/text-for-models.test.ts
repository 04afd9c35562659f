import { describe, expect, it } from 'vitest'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { defineTool } from '../../../src/index.ts'
import { builtInTools } from '../../../src/tools/built-in.ts'
import { renderProcess } from '../../../src/tools/rendering/process-text.ts'
import { bench, outputOf } from '../../bench-folder.ts'
import { editBench, lp1 } from '../edits/edit-bench.ts'

const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }
const ANYTHING: JsonObject = { type: 'object' }
const FILES = {
  'src/a.ts': 'let one = 1\nlet two = one + one\nlet three = 3\n',
  'src/b.ts': 'const one = 1\n',
  'README.md': '# Title\n',
}

describe('what a model reads of search', () => {
  it('is the lines with a match, each once, below the name of their file', async () => {
    const { content } = await bench(FILES).call('search', { query: 'one' })
    expect(content).toBe('src/a.ts\n1: let one = 1\n2: let two = one + one\n\nsrc/b.ts\n1: const one = 1')
  })

  it('is only the files, or the number of matches in each, if asked for', async () => {
    const b = bench(FILES)
    const files = await b.call('search', { query: 'one', mode: 'files' })
    expect(files.content).toBe('src/a.ts\nsrc/b.ts')
    expect(outputOf(files)).toEqual({ matches: [], files: ['src/a.ts', 'src/b.ts'], truncated: false })
    const counts = await b.call('search', { query: 'one', mode: 'counts' })
    expect(counts.content).toBe('src/a.ts: 3\nsrc/b.ts: 1')
    expect(outputOf(counts)).toMatchObject({
      matches: [],
      counts: [
        { path: 'src/a.ts', matches: 3 },
        { path: 'src/b.ts', matches: 1 },
      ],
    })
  })

  it.each(['lines', 'files', 'counts'])('says how to get what was cut (%s)', async (mode) => {
    const { content } = await bench(FILES).call('search', { query: 'one', mode, max_results: 1 })
    expect(content).toMatch(/\[There are more: .*max_results\.\]$/)
  })

  it('names a way on that helps against the limit that cut', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`a-folder-with-a-long-name-${at}/one.txt`, 'one\n'.repeat(30)]),
    )
    const b = bench(many)
    const cut = async (name: string, args: object, config: JsonObject) =>
      /\[There are more: (.*)\]$/.exec((await b.call(name, args, { config })).content)?.[1]
    const small = { 'tools.output.max_bytes': 1_000 }
    const few = { 'tools.walk.max_entries': 5, 'tools.search.engine': 'built_in' }
    expect(await cut('glob', { patterns: ['**'] }, small)).toBe('narrow the patterns.')
    expect(await cut('glob', { patterns: ['**'] }, few)).toBe('narrow the patterns.')
    expect(await cut('glob', { patterns: ['**'], max_results: 3 }, {})).toBe(
      'narrow the patterns, or raise max_results.',
    )
    const query = { query: 'one' }
    expect(await cut('search', { ...query, max_results: 10_000 }, small)).toBe(
      'narrow the query or include_paths.',
    )
    expect(await cut('search', { ...query, mode: 'files' }, small)).toBe('narrow the query or include_paths.')
    expect(await cut('search', query, few)).toBe('not every folder was searched; narrow include_paths.')
    const perFile = { 'tools.search.max_results_per_file': 2 }
    expect(
      await cut('search', { query: 'one', include_paths: ['a-folder-with-a-long-name-1'] }, perFile),
    ).toBe('not every match of a file is shown; narrow the query, or read_file shows its lines.')
  })

  it('has a file in one row, whatever its name is', async () => {
    const odd = 'a\nb "c".ts'
    const shown = String.raw`"a\nb \"c\".ts"`
    const b = bench({ [odd]: 'const one = 1\n', [`d\n/${odd}`]: 'one\n' })
    const textOf = async (name: string, args: object) => (await b.call(name, args)).content
    const below = String.raw`"d\n/a\nb \"c\".ts"`
    expect(await textOf('glob', { patterns: ['*'] })).toBe(shown)
    expect(await textOf('list_files', {})).toBe(`${shown}\n"d\\n/"\n${below}`)
    expect(await textOf('list_files', { sizes: true, max_depth: 1 })).toBe(
      `${shown} (14 bytes)\n"d\\n/" (1 entry)`,
    )
    expect(await textOf('search', { query: 'const' })).toBe(`${shown}\n1: const one = 1`)
    expect(await textOf('search', { query: 'one', mode: 'files' })).toBe(`${shown}\n${below}`)
    expect(await textOf('search', { query: 'one', mode: 'counts' })).toBe(`${shown}: 1\n${below}: 1`)
    expect(await textOf('outline', { path: '.' })).toBe(`${shown}\n1: const one`)
    const command = await b.call('run_shell', { cmd: ['rm', odd] }, agreed)
    expect(command.content).toBe(`[deleted ${shown}]`)
  })

  it('shows both ends of a cut line as cut, and says when there is nothing', async () => {
    const b = bench({ 'a.txt': `${'x'.repeat(900)}needle${'y'.repeat(900)}\n` })
    const { content } = await b.call('search', { query: 'needle' })
    expect(content).toMatch(/^a\.txt\n1: … x+needley+ …$/)
    expect((await b.call('search', { query: 'absent' })).content).toBe('No matches.')
  })
})

describe('what a model reads of a command', () => {
  it.each([
    [['printf', 'a\\nb\\n'], 'a\nb'],
    [['true'], '[no output]'],
    [['sh', '-c', 'echo out; echo err >&2; exit 3'], 'out\n[stderr]\nerr\n[exit code 3]'],
    [['sh', '-c', 'echo err >&2'], 'err'],
    [['sh', '-c', 'kill -9 $$'], '[ended by SIGKILL]'],
    [['sh', '-c', 'echo n > new.txt; rm README.md'], '[deleted README.md, created new.txt]'],
  ])('%j is its output, and what there is to note', async (cmd, text) => {
    expect((await bench(FILES).call('run_shell', { cmd }, agreed)).content).toBe(text)
  })

  it('names the file that it modified beside the many that it deleted', () => {
    const gone = Array.from({ length: 30 }, (_, at) => ({ path: `a/${at}`, change: 'deleted' }))
    const text = renderProcess({ stdout: '', changes: [...gone, { path: 'z.ts', change: 'modified' }] })
    expect(text).toMatch(/deleted a\/18, modified z\.ts and 11 more in a; list_files/)
  })

  it('says that files may be in further folders too if there are more than are listed', () => {
    const made = Array.from({ length: 30 }, (_, at) => ({ path: `a/${at}`, change: 'created' }))
    const text = renderProcess({ stdout: '', changes: made, changes_total: 5_000 })
    expect(text).toMatch(/created a\/19 and 4980 more in a and maybe other folders; list_files/)
  })

  it('says where else it changed files', async () => {
    const script = 'mkdir x y; for i in $(seq 10 34); do echo > x/$i; done; echo > y/a; echo > z'
    const { content } = await bench().call('run_shell', { cmd: ['sh', '-c', script] }, agreed)
    expect(content).toMatch(
      /^\[created x\/10, .*created x\/29 and 7 more in x, y, \.; list_files shows what is there\]$/,
    )
  })

  it('does not name caches that vanish with the folder around them', async () => {
    const b = bench({ 'pkg/a.py': 'x = 1\n', 'pkg/__pycache__/a.pyc': 'c', 'pkg/sub/.mypy_cache/3/b': 'c' })
    const result = await b.call('run_shell', { cmd: ['mv', 'pkg', 'kit'] }, agreed)
    expect(result.content).toBe('[moved pkg/a.py to kit/a.py]')
    expect(outputOf(result)['changes']).toHaveLength(4)
  })

  it('is there at once, however many blank lines it has', () => {
    const stdout = `a${'\r\n'.repeat(200_000)}b${'\n\r\n'.repeat(200_000)}`
    expect(renderProcess({ stdout })).toBe(`a${'\r\n'.repeat(200_000)}b`)
    expect(renderProcess({ stdout: '\r\n\n' })).toBe('[no output]')
  })

  it('has no terminal sequences, while the result keeps the bytes', async () => {
    const cmd = ['printf', String.raw`\033[31mred\033[0m \033]0;title\007\033]8;;http://x\033\\link \033[`]
    const result = await bench().call('run_shell', { cmd }, agreed)
    expect(result.content).toBe('red link [')
    expect(outputOf(result)['stdout']).toContain('\u001B[31mred')
  })

  it('has none either where a command fails, or where another tool runs it', async () => {
    const config = { 'tools.run_command.enabled': true }
    const runtime = await bench().open({ ...agreed, config })
    const red = String.raw`printf '\033[31mred\033[0m'`
    const results = await runtime.run([
      { id: '1', name: 'run_command', args: { command: red } },
      { id: '2', name: 'run_command', args: { command: `${red}; exit 1` } },
      { id: '3', name: 'run_tests', args: { command: ['sh', '-c', red] } },
    ])
    for (const { content } of results) {
      expect(content).toContain('red')
      expect(content).not.toContain('\u001B')
    }
  })

  it('names where all of a long output is', async () => {
    const config = { 'tools.output.max_bytes': 2_000 }
    const cmd = ['seq', '1', '5000']
    const { content } = await bench().call('run_shell', { cmd }, { ...agreed, config })
    expect(content).toMatch(/^1\n2\n/)
    expect(content).toMatch(
      /\[all of the output: read_file tongs:output\/\S+, with start_line and end_line\]/,
    )
  })
})

describe('what a model reads of an edit', () => {
  it('is the changed lines with their numbers', async () => {
    const b = await editBench(FILES)
    await b.see('src/a.ts')
    const edited = await b.run('edit_file', { path: 'src/a.ts', old: 'one + one', new: '2' })
    expect(edited.content).toBe('edited src/a.ts (1 replacement)\n-2: let two = one + one\n+2: let two = 2')
    const region = { path: 'src/a.ts', start_line: 1, end_line: 1, new_content: 'let a\nlet b' }
    expect((await b.run('edit_region', region)).content).toBe(
      'edited src/a.ts\n-1: let one = 1\n+1: let a\n+2: let b',
    )
    const removed = { edits: [{ path: 'src/a.ts', start_line: 2, end_line: 3, new_content: '' }] }
    expect((await b.run('multi_edit', removed)).content).toBe(
      '1 edit made in src/a.ts\n-2: let b\n-3: let two = 2',
    )
    expect((await b.run('write_file', { path: 'n.txt', content: 'x\n' })).content).toBe(
      'created n.txt (2 bytes)',
    )
  })

  it('is the diff on a dry run', async () => {
    const b = await editBench(FILES)
    await b.see('src/b.ts')
    const args = { path: 'src/b.ts', old: '1', new: '2', dry_run: true }
    expect((await b.run('edit_file', args)).content).toBe(
      'dry run, nothing was changed: edited src/b.ts (1 replacement)\n--- a/src/b.ts\n+++ b/src/b.ts\n@@ -1 +1 @@\n-const one = 1\n+const one = 2',
    )
  })

  it('stops after some lines, and says how to see the others', async () => {
    const b = await editBench({ 'a.txt': 'a\n\n'.repeat(100) })
    await b.see('a.txt')
    const { content } = await b.run('edit_file', { path: 'a.txt', old: 'a', new: 'b', all: true })
    expect(content.split('\n')).toHaveLength(42)
    expect(content).toMatch(/\n-39: a\n\+39: b\n\[160 more changed lines; read_file shows them\]$/)
  })

  it('counts the middle of many lines that changed together', async () => {
    const b = await editBench({ 'a.txt': 'a\n'.repeat(100) })
    await b.see('a.txt')
    const { content } = await b.run('edit_file', { path: 'a.txt', old: 'a', new: 'b', all: true })
    expect(content.split('\n').slice(1)).toEqual([
      ...[1, 2, 3].map((line) => `-${line}: a`),
      '-4-99: (96 more lines)',
      '-100: a',
      ...[1, 2, 3, 4, 5].map((line) => `+${line}: b`),
      '+6-96: (91 more lines)',
      ...[97, 98, 99, 100].map((line) => `+${line}: b`),
    ])
  })

  it('does not take lines that look like the header of a diff for one', async () => {
    const b = await editBench({ 'a.sql': 'x\n-- one\n' })
    await b.see('a.sql')
    const { content } = await b.run('edit_file', { path: 'a.sql', old: '-- one', new: '++ two\n-- three' })
    expect(content).toBe('edited a.sql (1 replacement)\n-2: -- one\n+2: ++ two\n+3: -- three')
  })

  it('a diff that does not fit is cut, and the edit still lands', async () => {
    const b = await editBench(
      { 'a.txt': 'old line\n'.repeat(2_000) },
      { config: { 'tools.output.max_bytes': 3_000 } },
    )
    await b.run('read_file', { path: 'a.txt', start_line: 1, end_line: 3 })
    const result = await b.run('edit_file', { path: 'a.txt', old: 'old', new: 'new', all: true })
    expect(outputOf(result)).toMatchObject({ truncated: true, replaced: 2_000 })
    expect(b.raw('a.txt')).toBe('new line\n'.repeat(2_000))
  })
})

describe('tools.output.style', () => {
  const json = { 'tools.output.style': 'json', 'tools.approval.mode': 'auto' }

  it('json gives the JSON of the result, which is the same in both styles', async () => {
    const b = bench(FILES)
    const args = { patterns: ['src/*.ts'] }
    const asJson = await b.call('glob', args, { config: json })
    const asText = await b.call('glob', args)
    expect(JSON.parse(asJson.content)).toEqual(outputOf(asJson))
    expect(asText.content).toBe('src/a.ts\nsrc/b.ts')
    expect(outputOf(asText)).toEqual(outputOf(asJson))
  })

  it.each([
    ['read_file', { path: 'README.md' }, /^# Title\n$/],
    ['list_directory', { path: '.' }, /^\{"path":/],
  ])('%s has the same form in both', async (name, args, form) => {
    const b = bench(FILES)
    const [one, other] = [await b.call(name, args, { config: json }), await b.call(name, args)]
    expect(one.content).toMatch(form)
    expect(other.content).toBe(one.content)
  })

  it('a tool without a text of its own is rendered line by line, without nulls', async () => {
    const output = { found: 2, none: null, names: ['a', 'b'], at: { line: 3, rows: [{ x: 1, y: 'z' }] } }
    const tool = defineTool({
      name: 'mine',
      version: '1.0.0',
      description: 'Finds',
      effect: 'read',
      input: ANYTHING,
      output: ANYTHING,
      run: () => output,
    })
    const result = await bench().call('mine', {}, { ...agreed, tools: [tool] })
    expect(result.content).toBe(
      'found: 2\nnames:\n  - a\n  - b\nat:\n  line: 3\n  rows:\n    - x: 1\n      y: z',
    )
    expect(outputOf(result)).toEqual(output)
  })
})

/** Calls of the built-in tools, good and bad, one after the other. */
const CALLS: readonly (readonly [name: string, args: object])[] = [
  ['read_file', { path: 'src/a.ts' }],
  ['read_file', { path: 'src/absent.ts' }],
  ['read_file', { path: '/nowhere/else' }],
  ['list_directory', { path: 'src' }],
  ['list_files', {}],
  ['glob', { patterns: ['**'] }],
  ['search', { query: 'one' }],
  ['search', { query: '(', is_regex: true }],
  ['outline', { path: 'src' }],
  ['outline', { path: 'absent.ts' }],
  ['edit_file', { path: 'src/a.ts', old: 'three', new: 'four' }],
  ['edit_file', { path: 'src/b.ts', old: 'one', new: 'two' }],
  ['edit_file', { path: 'src/a.ts', old: 'absent', new: 'x' }],
  ['edit_region', { path: 'src/a.ts', start_line: 1, end_line: 1, new_content: 'let x' }],
  ['multi_edit', { edits: [{ path: 'src/a.ts', start_line: 1, end_line: 1, new_content: 'let y' }] }],
  ['replace', { old: 'let', new: 'var', paths: ['src/**'] }],
  ['replace', { old: 'absent', new: 'var', paths: ['src/**'] }],
  ['write_file', { path: 'src/a.ts', content: 'x\n' }],
  ['write_file', { path: 'src/b.ts', content: 'x\n' }],
  ['apply_patch', { patch: lp1('F src/a.ts', 'T', 'z', '.') }],
  ['apply_patch', { patch: lp1('F src/a.ts', 'E', 'absent', '.') }],
  ['move_path', { from: 'src/a.ts', to: 'src/c.ts' }],
  ['delete_path', { path: 'src/c.ts' }],
  ['todo_write', { action: 'create', title: 't' }],
  ['todo_write', { action: 'list' }],
  ['task', { action: 'create', title: 't', acceptance: ['works'] }],
  ['task', { action: 'export', export_path: 'TASKS.md' }],
  ['run_shell', { cmd: ['echo', 'hi'] }],
  ['run_shell', { cmd: ['absent-program'] }],
  ['run_shell', { cmd: ['ls'], cwd: 'absent' }],
  ['run_command', { command: 'echo hi' }],
  ['delegate', { task: 'look around' }],
  ['run_tests', { command: ['sh', '-c', 'echo "1..1"; echo "ok 1 - works"'] }],
  ['web_fetch', { url: 'http://127.0.0.1:9/' }],
  ['web_fetch', { url: 'http://127.0.0.1/' }],
]

describe('the text of every tool', () => {
  it('has neither an absolute path that Tongs added nor a null', async () => {
    expect(new Set(CALLS.map(([name]) => name))).toEqual(new Set(builtInTools.map(({ name }) => name)))
    const b = bench(FILES)
    const config = { 'tools.approval.mode': 'auto', 'tools.run_command.enabled': true }
    const runtime = await b.open({ ...agreed, config })
    for (const [name, args] of CALLS) {
      const [result] = await runtime.run([{ id: '1', name, args }])
      const content = result?.content ?? ''
      expect(content, name).not.toBe('')
      expect(content, name).not.toContain(b.top)
      if (name !== 'list_directory') expect(content, name).not.toMatch(/\bnull\b|undefined|\[object/)
    }
  })

  it('says what to do about an error once', async () => {
    const b = bench(FILES)
    const rules = [
      { tool: 'glob', type: 'RequiresPrecedingTools', tools: ['read_file'] },
      { tool: 'list_files', type: 'Cooldown', seconds: 60 },
    ]
    const runtime = await b.open({ ...agreed, config: { 'tools.rules': rules } })
    const results = await runtime.run([
      { id: '1', name: 'glob', args: { patterns: ['*'] } },
      { id: '2', name: 'list_files', args: {} },
      { id: '3', name: 'list_files', args: {} },
      { id: '4', name: 'write_file', args: { path: 'cut.json', content: '{' } },
    ])
    const failed = results.filter(({ ok }) => !ok)
    expect(failed).toHaveLength(3)
    for (const { content } of failed) {
      const sentences = content.split(/(?<=\.)\s/)
      expect(new Set(sentences).size, content).toBe(sentences.length)
    }
  })
})
