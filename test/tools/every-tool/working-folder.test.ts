import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { showPath } from '../../../src/core/text/display/show-path.ts'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { builtInTools } from '../../../src/tools/built-in.ts'
import { array, object, string } from '../../../src/schema/schema.ts'
import { defineTool } from '../../../src/tools/define/define-tool.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'

const FOLDER = 'su[b] one'
const files = {
  'a.txt': 'of the root\n',
  [`${FOLDER}/a.txt`]: 'one\ntwo\n',
  [`${FOLDER}/deep/b.txt`]: 'three\n',
}
const reading = { id: 'r', name: 'read_file', args: { path: `${FOLDER}/a.txt` } }
const patchOf = (path: string) => `LP1\nF ${path}\nR\none\n.\n1\n.\nEND\n`

/** Each with arguments as seen from the folder, and the same as seen from the root. */
const CALLS: Readonly<Record<string, readonly (readonly [from: JsonObject, whole: JsonObject])[]>> = {
  read_file: [[{ path: 'a.txt' }, { path: `${FOLDER}/a.txt` }]],
  list_directory: [
    [{ path: '.' }, { path: FOLDER }],
    [{ path: ' deep ' }, { path: `${FOLDER}/deep` }],
  ],
  list_files: [
    [{}, { directory: FOLDER }],
    [{ directory: 'deep' }, { directory: `${FOLDER}/deep` }],
  ],
  replace: [
    [
      { old: 'one', new: '1', paths: ['*.txt'] },
      { old: 'one', new: '1', paths: ['su\\[b\\] one/**/*.txt'] },
    ],
  ],
  outline: [[{ path: 'deep' }, { path: `${FOLDER}/deep` }]],
  glob: [[{ patterns: ['*.txt', 'deep/*'] }, { patterns: ['su\\[b\\] one/*.txt', 'su\\[b\\] one/deep/*'] }]],
  search: [
    [{ query: 't' }, { query: 't', include_paths: ['su\\[b\\] one'] }],
    [
      { query: 't', include_paths: ['*.txt'], exclude_paths: ['deep'] },
      { query: 't', include_paths: ['su\\[b\\] one/**/*.txt'], exclude_paths: ['su\\[b\\] one/deep'] },
    ],
  ],
  write_file: [
    [
      { path: 'new.txt', content: 'n' },
      { path: `${FOLDER}/new.txt`, content: 'n' },
    ],
  ],
  edit_file: [
    [
      { path: 'a.txt', old: 'one', new: '1' },
      { path: `${FOLDER}/a.txt`, old: 'one', new: '1' },
    ],
  ],
  edit_region: [
    [
      { path: 'a.txt', start_line: 1, end_line: 1, new_content: '1\n' },
      { path: `${FOLDER}/a.txt`, start_line: 1, end_line: 1, new_content: '1\n' },
    ],
  ],
  multi_edit: [
    [
      { edits: [{ path: 'a.txt', start_line: 1, end_line: 1, new_content: '1\n' }] },
      { edits: [{ path: `${FOLDER}/a.txt`, start_line: 1, end_line: 1, new_content: '1\n' }] },
    ],
  ],
  apply_patch: [
    [{ patch: patchOf('a.txt') }, { patch: patchOf(`"${FOLDER}/a.txt"`) }],
    [{ patch: `\`\`\`\n${patchOf('"a.txt"')}\`\`\`` }, { patch: patchOf(`"${FOLDER}/a.txt"`) }],
  ],
  move_path: [
    [
      { from: 'a.txt', to: 'c.txt' },
      { from: `${FOLDER}/a.txt`, to: `${FOLDER}/c.txt` },
    ],
  ],
  delete_path: [[{ path: 'a.txt' }, { path: `${FOLDER}/a.txt` }]],
  todo_write: [
    [
      { action: 'create', title: 't', location: { path: 'a.txt', line: 1 } },
      { action: 'create', title: 't', location: { path: `${FOLDER}/a.txt`, line: 1 } },
    ],
    [{ action: 'export' }, { action: 'export', export_path: `${FOLDER}/docs/TODO.md` }],
  ],
  task: [
    [
      { action: 'create', title: 't', links: [{ path: 'a.txt', line: 1 }] },
      { action: 'create', title: 't', links: [{ path: `${FOLDER}/a.txt`, line: 1 }] },
    ],
    [
      { action: 'list', filter: { path: 'a.txt' } },
      { action: 'list', filter: { path: `${FOLDER}/a.txt` } },
    ],
  ],
}

/** Runs a call after a reading, and returns its result, what was asked about it, and the file it may have changed. */
async function outcomeOf(name: string, args: JsonObject, meta?: JsonObject) {
  const b = bench(files)
  const asked: ApprovalRequest[] = []
  const runtime = await b.open({
    config: { 'tools.approval.mode': 'prompt' },
    approve: (requests) => {
      asked.push(...requests)
      return requests.map(() => 'once' as const)
    },
  })
  await runtime.run([reading])
  const [result] = await runtime.run([{ id: 'c', name, args, ...(meta === undefined ? {} : { meta }) }])
  const read = (path: string) => {
    const place = join(b.root, path)
    return existsSync(place) ? readFileSync(place, 'utf8') : null
  }
  return {
    output: result?.ok === true ? scrub(result.result) : result?.error,
    asked: asked.map(({ summary, risk, diff, scopes = [] }) => ({
      summary,
      risk,
      diff,
      // The digest of the arguments is of the call as it was received.
      scopes: scopes.filter(({ scope }) => scope.kind !== 'arguments'),
    })),
    files: [...Object.keys(files), `${FOLDER}/new.txt`, `${FOLDER}/c.txt`, 'c.txt', 'new.txt'].map(read),
  }
}

/** Without the times, which differ from run to run. */
function scrub(value: unknown): unknown {
  const text = JSON.stringify(value, (key: string, part: unknown) =>
    /^(?:mtime|modified.*|.*_at|.*time.*|backup.*)$/.test(key) ? 0 : part,
  )
  return JSON.parse(text)
}

describe('the working folder of a call', () => {
  it.each(Object.entries(CALLS).flatMap(([name, rows]) => rows.map((row) => [name, ...row] as const)))(
    'F-PROTO-CALL: relative paths of %s start there: %j',
    async (name, from, whole) => {
      const there = await outcomeOf(name, from, { cwd: FOLDER })
      const fromRoot = await outcomeOf(name, whole)
      expect(fromRoot.output).not.toHaveProperty('code')
      expect(there.output).toEqual(fromRoot.output)
      expect(there.files).toEqual(fromRoot.files)
      expect(there.asked).toEqual(fromRoot.asked)
    },
  )

  it('every tool that names paths takes part', () => {
    const named = Object.keys(CALLS)
    const others = builtInTools.map(({ name }) => name).filter((name) => !named.includes(name))
    expect(others).toEqual(['delegate', 'run_command', 'run_shell', 'run_tests', 'web_fetch'])
    expect(builtInTools.filter(({ rebase }) => rebase === null).map(({ name }) => name)).toEqual([
      'delegate',
      'run_command',
      'run_tests',
    ])
  })

  it.each([
    ['gone', 'The working folder gone does not exist.'],
    ['a.txt', 'The working folder a.txt is not a folder.'],
  ])('a folder that is not one is refused before anybody is asked: %s', async (cwd, message) => {
    const b = bench(files)
    let questions = 0
    const runtime = await b.open({
      config: { 'tools.run_command.enabled': true },
      approve: (requests) => {
        questions += requests.length
        return requests.map(() => 'once' as const)
      },
    })
    for (const [name, args] of [
      ['read_file', { path: 'a.txt' }],
      ['write_file', { path: 'x.txt', content: 'x' }],
      ['run_shell', { cmd: ['true'] }],
      ['run_command', { command: 'true' }],
    ] as const) {
      const [result] = await runtime.run([{ id: 'c', name, args, meta: { cwd } }])
      expect(errorOf(result)).toMatchObject({ code: 'bad_args', message: expect.stringContaining(message) })
    }
    expect(questions).toBe(0)
  })

  it.each(['..', '/etc', 'su[b] one/../..'])('it does not lead out: %s', async (cwd) => {
    const b = bench(files)
    const runtime = await b.open()
    for (const path of ['a.txt', join(b.root, 'a.txt')]) {
      const [result] = await runtime.run([{ id: 'c', name: 'read_file', args: { path }, meta: { cwd } }])
      expect(errorOf(result).code).toBe('path_outside_sandbox')
    }
  })

  it('a path cannot climb out of it with dots, and an absolute one stays what it is', async () => {
    const b = bench(files)
    const runtime = await b.open()
    const read = async (path: string) =>
      (await runtime.run([{ id: 'c', name: 'read_file', args: { path }, meta: { cwd: FOLDER } }]))[0]
    expect(errorOf(await read('../a.txt')).code).toBe('path_outside_sandbox')
    expect(outputOf(await read(join(b.root, 'a.txt')))).toMatchObject({ content: 'of the root\n' })
  })

  it('a folder that an earlier call of the batch makes is there', async () => {
    const b = bench()
    const runtime = await b.open({ approve: (requests) => requests.map(() => 'once' as const) })
    const results = await runtime.run([
      { id: '1', name: 'write_file', args: { path: 'fresh/x.txt', content: 'x' } },
      { id: '2', name: 'write_file', args: { path: 'y.txt', content: 'y' }, meta: { cwd: 'fresh' } },
      { id: '3', name: 'read_file', args: { path: 'y.txt' }, meta: { cwd: 'fresh' } },
      { id: '4', name: 'read_file', args: { path: 'y.txt' }, meta: { cwd: 'never' } },
    ])
    expect(results.map((result) => (result.ok ? 'ok' : result.error.code))).toEqual([
      'ok',
      'ok',
      'ok',
      'bad_args',
    ])
    expect(readFileSync(join(b.root, 'fresh/y.txt'), 'utf8')).toBe('y')
  })

  it('the same arguments in another folder are another call', async () => {
    const b = bench({ 'one/x.txt': '', 'two/x.txt': '' })
    const runtime = await b.open({ approve: (requests) => requests.map(() => 'once' as const) })
    const args = { action: 'create', title: 'Look', location: { path: 'x.txt', line: 1 } }
    const results = await runtime.run(
      ['one', 'two'].map((cwd) => ({ id: cwd, name: 'todo_write', args, meta: { cwd } })),
    )
    expect(results.map(({ ok }) => ok)).toEqual([true, true])
  })

  it('an answer given later is about the place that was shown', async () => {
    const b = bench(files)
    const first = await b.open({ approve: 'later', durability: 'normal' })
    const args = { path: 'new.txt', content: 'n' }
    await first.run([{ id: 'c', name: 'write_file', args, meta: { cwd: FOLDER } }])
    await first.close()
    const second = await b.open({ approve: 'later', durability: 'normal' })
    const [question] = await second.pending()
    expect(question).toMatchObject({
      summary: `Write ${showPath(`${FOLDER}/new.txt`)} (1 bytes)`,
      call: { args: { path: `${FOLDER}/new.txt` } },
    })
    const { results } = await second.decide([question?.id ?? ''], { isApproved: true })
    expect(results.map(({ ok }) => ok)).toEqual([true])
    expect(readFileSync(join(b.root, FOLDER, 'new.txt'), 'utf8')).toBe('n')
  })

  it('a tool that does not say which arguments are paths is not run with a folder', async () => {
    const own = defineTool({
      name: 'count',
      version: '1.0.0',
      description: 'Counts',
      effect: 'read',
      input: object({ where: string('A path') }, 'Where'),
      output: object({ names: array(string('A name'), 'Names') }, 'What'),
      claims: ({ where }) => [{ path: where, intent: 'read' }],
      run: () => ({ names: [] }),
    })
    const b = bench(files)
    const runtime = await b.open({ tools: [own] })
    const call = { id: 'c', name: 'count', args: { where: 'a.txt' } }
    expect((await runtime.run([call]))[0]?.ok).toBe(true)
    const [result] = await runtime.run([{ ...call, meta: { cwd: FOLDER } }])
    expect(errorOf(result)).toMatchObject({ code: 'bad_args' })
  })
})
