import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { entriesOf, pathsOf, TREE } from './listing.ts'

async function definition() {
  const runtime = await bench().open()
  const found = runtime.definitions().find(({ name }) => name === 'list_directory')
  if (found === undefined) throw new Error('there is no list_directory')
  return found
}

describe('what the tool says of itself', () => {
  it('FR-LD-DEF-01: it is called list_directory', async () => {
    expect((await definition()).name).toBe('list_directory')
    expect((await bench().call('list_directory', { path: '.' })).name).toBe('list_directory')
  })

  it('FR-LD-DEF-02: its description is those three words', async () => {
    expect((await definition()).description).toBe('List directory entries')
  })

  it('FR-LD-DEF-03: it only reads, and changes nothing that it lists', async () => {
    expect(await definition()).toMatchObject({ effect: 'read', capabilities: ['filesystem.read'] })
    const b = bench(TREE)
    const before = (await b.call('list_directory', { path: '.', recursive: true })).content
    expect((await b.call('list_directory', { path: '.', recursive: true })).content).toBe(before)
  })

  it('FR-LD-DEF-04: it runs without approval, and its risk is Low', async () => {
    expect(await definition()).toMatchObject({ requiresApproval: false, risk: 'Low' })
    const b = bench(TREE)
    expect((await b.call('list_directory', { path: '.' }, { profile: 'strict' })).ok).toBe(true)
  })

  it('FR-TOOL-LIST-01: what the model is given is one JSON object, the same as the result', async () => {
    const b = bench(TREE)
    const result = await b.call('list_directory', { path: '.' })
    expect(JSON.parse(result.content)).toEqual(outputOf(result))
  })

  it('the schema asks for a path and knows the nine arguments', async () => {
    const { inputSchema } = await definition()
    expect(inputSchema['required']).toEqual(['path'])
    const properties = inputSchema['properties'] as Record<string, Record<string, unknown>>
    const shapes = Object.fromEntries(
      Object.entries(properties).map(([name, { description: _words, ...shape }]) => [name, shape]),
    )
    expect(shapes).toEqual({
      path: { type: 'string' },
      recursive: { type: 'boolean', default: false },
      max_depth: { type: 'integer', minimum: 1 },
      max_entries: { type: 'integer', minimum: 1 },
      include_hidden: { type: 'boolean', default: false },
      include_files: { type: 'boolean', default: true },
      include_dirs: { type: 'boolean', default: true },
      include_symlinks: { type: 'boolean', default: true },
      include_other: { type: 'boolean', default: false },
    })
  })
})

describe('the folder that is asked for', () => {
  it.for([
    ['.', '.'],
    ['./', '.'],
    ['  .  ', '.'],
    ['a', 'a'],
    ['a/', 'a'],
    ['./a', 'a'],
    ['././/a//deep/./', 'a/deep'],
    ['\ta/deep ', 'a/deep'],
    ['a///deep', 'a/deep'],
    ['Up/Per', 'Up/Per'],
  ] as const)('FR-LD-VAL-10: %j is reported as %j', async ([path, normal]) => {
    const b = bench({ ...TREE, 'Up/Per/x': '' })
    expect(outputOf(await b.call('list_directory', { path }))['path']).toBe(normal)
  })

  it('an absolute path stays absolute where one is allowed', async () => {
    const b = bench(TREE)
    const result = await b.call('list_directory', { path: `${b.root}//a/./` })
    expect(outputOf(result)['path']).toBe(`${b.root}/a`)
    expect(pathsOf(result)).toEqual(['deep', 'one.txt'])
  })

  it('FR-LD-VAL-08: it must exist and be a folder', async () => {
    const b = bench(TREE)
    symlinkSync('b.txt', join(b.root, 'link-to-file'))
    symlinkSync('a', join(b.root, 'link-to-folder'))
    for (const path of ['nowhere', 'a/nowhere', 'b.txt', 'b.txt/x', 'link-to-file']) {
      const error = errorOf(await b.call('list_directory', { path }))
      expect(error).toMatchObject({
        code: 'execution_failed',
        kind: 'ExecutionFailed',
        type: 'file-error',
        state: 'ROLLED_BACK',
      })
      expect(error.message.length).toBeGreaterThan(10)
    }
    expect(pathsOf(await b.call('list_directory', { path: 'link-to-folder' }))).toEqual(['deep', 'one.txt'])
  })

  it('T-LD-02: a file is not a directory', async () => {
    const error = errorOf(await bench(TREE).call('list_directory', { path: 'b.txt' }))
    expect(error.code).toBe('execution_failed')
    expect(error.message).toContain('path is not a directory')
    expect(error.content).toContain('list_directory failed: path is not a directory')
  })

  it('FR-LD-ERR-03: a missing folder fails with its name, and a loop of links fails at once', async () => {
    const b = bench()
    const missing = errorOf(await b.call('list_directory', { path: 'gone' }))
    expect(missing).toMatchObject({ code: 'execution_failed', class: 'ExecutionError' })
    expect(missing.message).toContain('gone')
    symlinkSync('loop', join(b.root, 'loop'))
    expect(errorOf(await b.call('list_directory', { path: 'loop' })).code).toBe('execution_failed')
  })

  it('T-LD-03: a folder outside is refused', async () => {
    const b = bench()
    mkdirSync(join(b.top, 'outside'))
    symlinkSync('../outside', join(b.root, 'exit'))
    for (const path of ['..', '../outside', 'a/../..', join(b.top, 'outside'), '/', 'exit', 'exit/x']) {
      expect(errorOf(await b.call('list_directory', { path }))).toMatchObject({
        code: 'path_outside_sandbox',
        kind: 'SandboxViolation',
      })
    }
  })

  it('FR-LD-ERR-02: leaving the sandbox is a denial that names the reason', async () => {
    const b = bench({ '.ssh/config': '' })
    expect(errorOf(await b.call('list_directory', { path: '../x' }))).toMatchObject({
      code: 'path_outside_sandbox',
      kind: 'SandboxViolation',
      type: 'validation-error',
      class: 'AuthorizationError',
      state: 'DENIED',
      details: { reason: 'PathOutsideSandbox' },
    })
    expect(errorOf(await b.call('list_directory', { path: '.ssh' }))).toMatchObject({
      code: 'denied_pattern',
      kind: 'SandboxViolation',
      state: 'DENIED',
      details: { reason: 'DeniedPatternMatched' },
    })
  })

  it('FR-LD-VAL-07: a path that does not pass the sandbox never begins to run', async () => {
    const b = bench(TREE)
    const runtime = await b.open({ config: { 'tools.sandbox.allow_absolute': false } })
    const states: string[] = []
    for (const path of ['../x', '/etc', 'a/../b.txt', b.root]) {
      await runtime.run([{ id: 'c', name: 'list_directory', args: { path } }], {
        onEvent: (event) => event.event === 'state' && states.push(event.state),
      })
    }
    expect(new Set(states)).not.toContain('EXECUTING')
    expect(states.length).toBeGreaterThan(0)
  })

  it('an empty folder has no entries', async () => {
    const b = bench()
    mkdirSync(join(b.root, 'empty'))
    const result = await b.call('list_directory', { path: 'empty' })
    expect(result.content).toBe(
      '{"path":"empty","entries":[],"returned":0,"max_entries":200,"truncated":false,"truncated_reason":null}',
    )
    expect(entriesOf(result)).toEqual([])
  })
})
