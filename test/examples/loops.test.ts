import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { bench } from '../bench-folder.ts'
import { startModelServer } from '../model/model-server.ts'

const TOP = join(import.meta.dirname, '..', '..')
const DOORS = { "'tongs'": 'src/index.ts', "'tongs/ai'": 'src/ai.ts' }
const READ = { path: 'a.txt' }
const WRITE = { path: 'n.txt', content: 'new\n' }

const json = (value: unknown) => ({
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify(value)],
})

const chat = (message: object, finish_reason: string) =>
  json({
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', content: null, ...message } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })
const asked = (id: string, name: string, args: object) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})
const CHAT = [
  chat({ tool_calls: [asked('c1', 'read_file', READ), asked('c2', 'write_file', WRITE)] }, 'tool_calls'),
  chat({ content: 'All done.' }, 'stop'),
]

const said = (content: readonly object[], stop_reason: string) =>
  json({
    id: 'x',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  })
const MESSAGES = [
  said(
    [
      { type: 'tool_use', id: 'c1', name: 'read_file', input: READ },
      { type: 'tool_use', id: 'c2', name: 'write_file', input: WRITE },
    ],
    'tool_use',
  ),
  said([{ type: 'text', text: 'All done.' }], 'end_turn'),
]

/** Runs an example in a folder of its own, against a model server of this machine, with what a person types. */
async function play(example: string, typed: string) {
  const b = bench({ 'a.txt': 'alpha\n' })
  const server = await startModelServer(...(example === 'anthropic' ? MESSAGES : CHAT))
  const box = join(b.top, 'box')
  mkdirSync(box)
  symlinkSync(join(TOP, 'node_modules'), join(box, 'node_modules'))
  const text = readFileSync(join(TOP, 'examples', `${example}.mjs`), 'utf8')
  const program = join(box, 'example.mjs')
  writeFileSync(
    program,
    Object.entries(DOORS).reduce(
      (so, [name, file]) => so.replace(name, `'${pathToFileURL(join(TOP, file)).href}'`),
      text,
    ),
  )
  const env = {
    ...process.env,
    TONGS_STATE_DIR: b.stateDir,
    MODEL: 'm',
    OPENAI_API_KEY: 'k',
    ANTHROPIC_API_KEY: 'k',
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_BASE_URL: server.url,
  }
  const { promise, resolve } = Promise.withResolvers<{ readonly out: string; readonly err: string }>()
  const child = execFile(process.execPath, [program, 'go'], { cwd: b.root, env }, (_error, out, err) =>
    resolve({ out, err }),
  )
  child.stdin?.end(typed)
  return { ...(await promise), code: child.exitCode, b, server }
}

describe.each(['ai-sdk', 'openai', 'anthropic'])('the example %s', (example) => {
  it('runs the calls of the model through the pipeline, and asks at the terminal', async () => {
    const { out, err, code, b, server } = await play(example, 'y\n')
    expect({ err, code }).toEqual({ err: '', code: 0 })
    expect(out).toMatch(/n\.txt.*\? \[y\/n\]/)
    expect(out).toContain('All done.')
    expect(readFileSync(join(b.root, 'n.txt'), 'utf8')).toBe('new\n')
    expect(server.seen).toHaveLength(2)
    expect(server.seen[1]?.body).toContain('alpha')
    const runtime = await b.open({ durability: 'full' })
    const [session] = runtime.sessions()
    expect(session?.name).toMatch(/^example-/)
    expect(runtime.stats().files_changed).toBe(1)
  })

  it('takes a no for a no', async () => {
    const { out, err, code, b, server } = await play(example, 'n\n')
    expect({ err, code }).toEqual({ err: '', code: 0 })
    expect(out).toContain('All done.')
    expect(existsSync(join(b.root, 'n.txt'))).toBe(false)
    expect(server.seen[1]?.body).toMatch(/[Dd]enied/)
  })
})
