import { afterEach, describe, expect, it } from 'vitest'
import { defineTool } from '../../src/tools/define/define-tool.ts'
import { integer, object, optional, string } from '../../src/schema/schema.ts'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import { makeShop } from '../faces/cli/command-line.ts'
import type { Shop } from '../faces/cli/command-line.ts'

const shops: Shop[] = []
const shop = (files: Readonly<Record<string, string>>): Shop => {
  const made = makeShop(files)
  shops.push(made)
  return made
}

afterEach(() => {
  for (const made of shops.splice(0)) made.remove()
})

describe('the registry and its dispatcher', () => {
  it('F-IMPL-REG: a registered tool is run with exactly the arguments that fit its specification', async () => {
    const seen: unknown[] = []
    const greet = defineTool({
      name: 'greet',
      version: '1.0.0',
      description: 'Greets',
      effect: 'read',
      input: object(
        { name: string('Whom'), times: optional(integer('How often', { minimum: 1 })) },
        'Whom to greet',
      ),
      output: object({ said: string('Words') }, 'A greeting'),
      run: (args) => {
        seen.push(args)
        return { said: `hello ${args.name}` }
      },
    })
    const other = defineTool({ ...spec('other'), run: () => ({ said: 'other' }) })
    const runtime = await bench().open({ tools: [greet, other] })
    const run = async (args: unknown) => (await runtime.run([{ id: '1', name: 'greet', args }]))[0]
    expect(outputOf(await run({ name: 'ada', times: 2 }))).toEqual({ said: 'hello ada' })
    expect(seen).toEqual([{ name: 'ada', times: 2 }])
    for (const args of [{}, { name: 1 }, { name: 'a', times: 0 }, { name: 'a', more: true }, [], 'x', null]) {
      expect(errorOf(await run(args))).toMatchObject({
        code: 'bad_args',
        type: 'validation-error',
        state: 'FAILED',
      })
    }
    expect(seen).toHaveLength(1)
    const [missing] = await runtime.run([{ id: '1', name: 'great', args: {} }])
    expect(errorOf(missing)).toMatchObject({ code: 'unknown_tool', details: { nearest: 'greet' } })
    await expect(bench().open({ tools: [greet, greet] })).rejects.toThrow('greet')
  })

  it('F-IMPL-REG: from outside, tools show their specifications, calls reach the right one, and errors can be read by programs', async () => {
    const s = shop({ 'a.txt': 'one\n' })
    const definitions = JSON.parse((await s.tongs(['tools', '--json'])).out) as {
      name: string
      inputSchema: object
    }[]
    expect(definitions.map(({ name }) => name)).toEqual(definitions.map(({ name }) => name).toSorted())
    for (const { inputSchema } of definitions)
      expect(inputSchema).toMatchObject({ type: 'object', properties: {}, additionalProperties: false })
    const read = await s.tongs(['call', 'read_file', '{"path":"a.txt"}', '--json'])
    expect(read.rows[0]).toMatchObject({ name: 'read_file', ok: true, content: 'one\n' })
    const missing = await s.tongs(['call', 'read_file', '{}', '--json'])
    expect(missing.code).toBe(1)
    expect(missing.rows[0]).toMatchObject({
      ok: false,
      error: { code: 'bad_args', kind: 'BadArgs', type: 'validation-error', class: 'ValidationError' },
    })
    const malformed = await s.tongs(['call', 'read_file', '{"path":', '--json'])
    expect(malformed.code).toBe(2)
    expect(malformed.rows).toEqual([])
  })
})

function spec(name: string) {
  return {
    name,
    version: '1.0.0',
    description: 'Another',
    effect: 'read' as const,
    input: object({}, 'Nothing'),
    output: object({ said: string('Words') }, 'Words'),
  }
}

describe('caps', () => {
  it('F-CUSTOM: timeouts and sizes of the tools are settings, and a call is held to them', async () => {
    const s = shop({ 'big.txt': 'x'.repeat(300), 'b.txt': 'x\nx\nx\n', 'c.txt': 'x\n' })
    const call = async (name: string, args: unknown, ...sets: readonly string[]) => {
      const words = [
        'call',
        name,
        JSON.stringify(args),
        '--json',
        '--yes',
        ...sets.flatMap((set) => ['--set', set]),
      ]
      const [row] = (await s.tongs(words)).rows
      if (row === undefined) throw new Error('no row')
      return row
    }
    const listed = await call('list_files', {}, 'tools.list_files.max_results=2')
    expect(outputOf(listed)).toMatchObject({
      truncated: true,
      files: [{ path: 'b.txt' }, { path: 'big.txt' }],
    })
    expect(outputOf(await call('search', { query: 'x' }, 'tools.search.max_results=1'))).toMatchObject({
      truncated: true,
    })
    const unread = errorOf(
      await call(
        'read_file',
        { path: 'big.txt' },
        'tools.read_file.max_file_read_bytes=200',
        'tools.read_file.over_limit=refuse',
      ),
    )
    expect(unread.code).toBe('limit_exceeded')
    const written = errorOf(
      await call('write_file', { path: 'n.txt', content: 'xxxxx' }, 'tools.write_file.max_content_bytes=4'),
    )
    expect(written).toMatchObject({ code: 'limit_exceeded', details: { limit: 4 } })
    const slow = errorOf(
      await call('run_shell', { cmd: ['sleep', '60'] }, 'tools.timeouts.shell_commands_seconds=0.5'),
    )
    expect(slow.code).toBe('timeout')
  })
})
