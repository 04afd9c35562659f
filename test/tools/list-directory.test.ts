import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import { entriesOf, pathsOf } from './listing.ts'

const TREE = {
  'b.txt': 'bb',
  'a/one.txt': '1',
  'a/deep/two.txt': '22',
  'a/deep/er/three.txt': '333',
  '.secret': 's',
}

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

describe('arguments', () => {
  it.for(['', ' ', '\t\n', '\u00A0'])('FR-LD-VAL-01: the empty path %j is refused', async (path) => {
    expect(errorOf(await bench().call('list_directory', { path }))).toMatchObject({
      code: 'bad_args',
      state: 'FAILED',
    })
  })

  it('FR-LD-VAL-02: a depth other than 1 needs recursion', async () => {
    const b = bench(TREE)
    for (const recursive of [undefined, false]) {
      const args = { path: '.', ...(recursive === undefined ? {} : { recursive }) }
      const error = errorOf(await b.call('list_directory', { ...args, max_depth: 2 }))
      expect(error).toMatchObject({ code: 'bad_args', kind: 'BadArgs' })
      expect(error.message).toMatch(/max_depth 2.*recursive/)
      expect(pathsOf(await b.call('list_directory', { ...args, max_depth: 1 }))).toEqual(['a', 'b.txt'])
    }
  })

  it('FR-LD-VAL-03: recursion without a depth goes as deep as is configured', async () => {
    const b = bench({ '1/2/3/4/5/f': '' })
    expect(pathsOf(await b.call('list_directory', { path: '.', recursive: true }))).toEqual([
      '1',
      '1/2',
      '1/2/3',
      '1/2/3/4',
    ])
    const config = { 'tools.list_directory.max_depth': 2 }
    expect(pathsOf(await b.call('list_directory', { path: '.', recursive: true }, { config }))).toEqual([
      '1',
      '1/2',
    ])
  })

  it('FR-LD-VAL-04: more entries than the limit cannot be asked for', async () => {
    const b = bench(TREE)
    const error = errorOf(await b.call('list_directory', { path: '.', max_entries: 201 }))
    expect(error).toMatchObject({ code: 'bad_args', kind: 'BadArgs', state: 'FAILED' })
    expect(error.message).toMatch(/max_entries 201.*200/)
    expect(outputOf(await b.call('list_directory', { path: '.', max_entries: 200 }))['max_entries']).toBe(200)
  })

  it('FR-LD-VAL-05: files, folders or links have to be wanted, and odd files alone are not enough', async () => {
    const b = bench(TREE)
    const none = { path: '.', include_files: false, include_dirs: false, include_symlinks: false }
    for (const args of [none, { ...none, include_other: true }]) {
      const error = errorOf(await b.call('list_directory', args))
      expect(error).toMatchObject({ code: 'bad_args', kind: 'BadArgs' })
      expect(error.message).toMatch(/include_files.*include_dirs.*include_symlinks/)
    }
    for (const one of ['include_files', 'include_dirs', 'include_symlinks']) {
      expect((await b.call('list_directory', { ...none, [one]: true })).ok).toBe(true)
    }
    const config = {
      'tools.list_directory.include_files_default': false,
      'tools.list_directory.include_dirs_default': false,
    }
    const left = { path: '.', include_symlinks: false }
    expect(errorOf(await b.call('list_directory', left, { config })).code).toBe('bad_args')
  })

  it('FR-LD-VAL-06a: what the call says beats the configuration, and that beats what is built in', async () => {
    const b = bench(TREE)
    const config = {
      'tools.list_directory.include_hidden_default': true,
      'tools.list_directory.max_depth': 2,
    }
    const list = async (args: object, given: Record<string, unknown>) =>
      pathsOf(await b.call('list_directory', { path: '.', ...args }, { config: given }))
    expect(await list({}, {})).toEqual(['a', 'b.txt'])
    expect(await list({}, config)).toEqual(['.secret', 'a', 'b.txt'])
    expect(await list({ include_hidden: false }, config)).toEqual(['a', 'b.txt'])
    expect(await list({ recursive: true, max_depth: 1 }, config)).toEqual(['.secret', 'a', 'b.txt'])
    expect(await list({ recursive: true }, config)).toEqual(['.secret', 'a', 'a/deep', 'a/one.txt', 'b.txt'])
  })

  it('FR-LD-VAL-06b, CFG-LD-03: the configured depth is what a call gets, and the most it may ask for', async () => {
    const b = bench(TREE)
    const config = { 'tools.list_directory.max_depth': 3 }
    const error = errorOf(
      await b.call('list_directory', { path: '.', recursive: true, max_depth: 4 }, { config }),
    )
    expect(error).toMatchObject({ code: 'bad_args', kind: 'BadArgs' })
    expect(error.message).toMatch(/max_depth 4.*3/)
    const asked = await b.call('list_directory', { path: '.', recursive: true, max_depth: 3 }, { config })
    const left = await b.call('list_directory', { path: '.', recursive: true }, { config })
    expect(asked.content).toBe(left.content)
    expect(
      errorOf(await b.call('list_directory', { path: '.', recursive: true, max_depth: 5 })).message,
    ).toContain('4')
  })

  it('CFG-LD-02: the configured number of entries is what a call gets, and the most it may ask for', async () => {
    const b = bench(TREE)
    const config = { 'tools.list_directory.max_entries': 1 }
    expect(outputOf(await b.call('list_directory', { path: '.' }, { config }))).toMatchObject({
      returned: 1,
      max_entries: 1,
      truncated: true,
    })
    expect(errorOf(await b.call('list_directory', { path: '.', max_entries: 2 }, { config })).code).toBe(
      'bad_args',
    )
  })

  it('CFG-LD-04: each configured default holds where the call says nothing', async () => {
    const b = bench({ file: '', 'dir/x': '', '.hidden': '' })
    symlinkSync('file', join(b.root, 'link'))
    const list = async (key: string, value: boolean, args: object = {}) => {
      const config = { [`tools.list_directory.include_${key}_default`]: value }
      return pathsOf(await b.call('list_directory', { path: '.', ...args }, { config }))
    }
    expect(await list('files', false)).toEqual(['dir', 'link'])
    expect(await list('files', false, { include_files: true })).toEqual(['dir', 'file', 'link'])
    expect(await list('dirs', false)).toEqual(['file', 'link'])
    expect(await list('dirs', false, { include_dirs: true })).toEqual(['dir', 'file', 'link'])
    expect(await list('symlinks', false)).toEqual(['dir', 'file'])
    expect(await list('symlinks', false, { include_symlinks: true })).toEqual(['dir', 'file', 'link'])
    expect(await list('hidden', true)).toEqual(['.hidden', 'dir', 'file', 'link'])
    expect(await list('hidden', true, { include_hidden: false })).toEqual(['dir', 'file', 'link'])
  })

  it('FR-LD-ERR-01: bad arguments are told apart and the message says what to do', async () => {
    const b = bench(TREE)
    const message = async (args: object) => {
      const error = errorOf(await b.call('list_directory', args))
      expect(error).toMatchObject({
        code: 'bad_args',
        kind: 'BadArgs',
        type: 'validation-error',
        state: 'FAILED',
      })
      return error.message
    }
    expect(await message({})).toContain('"path"')
    expect(await message({ path: 3 })).toContain('args.path must be string')
    expect(await message({ path: '.', max_entries: 0 })).toContain('args.max_entries')
    expect(await message({ path: '.', max_depth: 0, recursive: true })).toContain('args.max_depth')
    expect(await message({ path: '.', max_entries: 1.5 })).toContain('integer')
    expect(await message({ path: '.', recursive: 'yes' })).toContain('boolean')
    expect(await message({ path: '.', includeHidden: true })).toContain('did you mean "include_hidden"')
    expect(await message({ path: '' })).toContain('"."')
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
