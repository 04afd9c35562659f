import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ToolCall } from '../../../src/core/call.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench } from '../../bench-folder.ts'

const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
/** Nothing but its place in the environment says that this is one. */
const WITHHELD = 'plain-words-of-mine'
const VARIABLE = 'OUTPUT_TEST_PASSWORD'

const options: Partial<RuntimeOptions> = {
  durability: 'normal',
  approve: (requests) => requests.map(() => 'once' as const),
  config: { 'tools.run_command.enabled': true },
}
const FILES = {
  'secrets.txt': `first ${TOKEN}\nPASSWORD=hunter2222\nnow ${WITHHELD} then\nlast\n`,
  'bytes.bin': `\0\u0001 ${WITHHELD} \0`,
  'package.json': '{"scripts":{"test":"node --test"}}',
  'a.test.js': `const { test } = require('node:test')
const secrets = require('node:fs').readFileSync('secrets.txt', 'utf8')
console.log(secrets)
test('it', () => { throw new Error(secrets) })
`,
}
const BOTH = 'cat secrets.txt; cat secrets.txt >&2'
const shell = (script: string, more: object = {}) => ({
  name: 'run_shell',
  args: { cmd: ['sh', '-c', script], ...more },
})
const command = (line: string) => ({ name: 'run_command', args: { command: line } })

/** Runs one call beside a watcher, and gives all that can be read of it: its result, what streamed, and the state folder. */
async function tracesOf(call: Omit<ToolCall, 'id'>) {
  process.env[VARIABLE] = WITHHELD
  onTestFinished(() => {
    delete process.env[VARIABLE]
  })
  const b = bench(FILES)
  const runtime = await b.open(options)
  const chunks = { stdout: '', stderr: '' }
  const [result] = await runtime.run([{ id: '1', ...call }], {
    onEvent: (event) => void (event.event === 'output' && (chunks[event.stream] += event.chunk)),
  })
  await runtime.close()
  const files = readdirSync(b.stateDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const kept = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n')
  return { result: JSON.stringify(result), chunks, kept }
}

describe('secrets that a command prints', () => {
  it.each([
    ['a program that succeeds', shell(BOTH)],
    ['a program that fails', shell(`${BOTH}; exit 3`)],
    ['a program that runs out of time', shell(`${BOTH}; sleep 60`, { timeout: 1 })],
    ['a program that is killed', shell(`${BOTH}; kill -9 $$`)],
    ['a program that prints more than fits', shell(`${BOTH}; seq 1 30000; ${BOTH}`)],
    ['a command line that succeeds', command(BOTH)],
    ['a command line that fails', command(`${BOTH}; exit 3`)],
    ['tests that fail', { name: 'run_tests', args: {} }],
    ['tests of another kind', { name: 'run_tests', args: { command: ['sh', '-c', `${BOTH}; exit 1`] } }],
  ])('F-SAFE-REDACT: by %s are nowhere to be read', async (_how, call) => {
    const { result, chunks, kept } = await tracesOf(call)
    for (const text of [result, chunks.stdout, chunks.stderr, kept])
      for (const secret of [TOKEN, 'hunter2222', WITHHELD]) expect(text).not.toContain(secret)
    expect(result).toContain('[redacted]')
    expect(result).toContain('last')
  })

  it('F-SAFE-REDACT: are blanked on both streams while it runs, and what is beside them stays', async () => {
    const { chunks } = await tracesOf(shell(BOTH))
    const shown = 'first [redacted]\nPASSWORD=[redacted]\nnow [redacted] then\nlast\n'
    expect(chunks).toEqual({ stdout: shown, stderr: shown })
  })

  it.each(['cat bytes.bin', 'cat bytes.bin >&2'])(
    'F-SAFE-REDACT: are not carried past in base64 by %s',
    async (script) => {
      const { result, kept } = await tracesOf(shell(script))
      const encoded = Buffer.from(FILES['bytes.bin']).toString('base64')
      for (const text of [result, kept]) expect(text).not.toContain(encoded)
      expect(result).toContain('what looks like a secret')
    },
  )
})
