import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openClosedNetwork } from '../../scripts/closed-network.ts'
import { TOP } from '../../scripts/run-tool.ts'
import { cleanUpWith } from '../harness/clean-up.ts'
import { makeScratch } from '../harness/scratch.ts'

const TONGS = join(TOP, 'bin', 'tongs')
const isPossible = process.platform === 'linux' && process.getuid?.() === 0

/** Runs a command in a network of its own: how it ended, and how often it wanted to leave. */
function runClosed(argv: readonly string[], input = '') {
  const network = openClosedNetwork()
  if (network === null)
    throw new Error('No network namespace can be made here; the tests need ip and unshare.')
  cleanUpWith(network.remove)
  const scratch = makeScratch()
  scratch.file('a.txt', 'alpha\n')
  const [program = '', ...args] = network.enter(argv)
  const env = { ...process.env, TONGS_STATE_DIR: makeScratch().path, OPENAI_API_KEY: 'sk-not-a-key' }
  const end = spawnSync(program, args, { cwd: scratch.path, encoding: 'utf8', input, env })
  return { code: end.status, out: `${end.stdout}${end.stderr}`, attempts: network.attempts() }
}

const INITIALIZE = { jsonrpc: '2.0', id: 1, method: 'initialize' }
const frame = (params: object): string => `${JSON.stringify({ ...INITIALIZE, params })}\n`

const clientInfo = { name: 'test', version: '1' }

const COMMANDS = [
  { name: 'the doctor', words: ['doctor'], input: '' },
  { name: 'a command', words: ['call', 'run_shell', '{"cmd":["true"]}', '--yes'], input: '' },
  {
    name: 'the MCP server',
    words: ['mcp'],
    input: frame({ protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
  },
  {
    name: 'the agent of an editor',
    words: ['acp'],
    input: frame({ protocolVersion: 1, clientCapabilities: {} }),
  },
]

it.runIf(isPossible).each(COMMANDS)('$name asks nothing of another machine', ({ words, input }) => {
  const { code, out, attempts } = runClosed([TONGS, ...words], input)
  expect([code, attempts], out).toEqual([0, 0])
})

it.runIf(isPossible)('control: what does ask is counted, by IPv4, IPv6 or name', () => {
  const ask = (address: string): number | null =>
    runClosed([process.execPath, '-e', `fetch('http://${address}/').catch(() => {})`]).attempts
  expect(ask('192.0.2.1')).toBeGreaterThan(0)
  expect(ask('[2001:db8::1]')).toBeGreaterThan(0)
  expect(ask('tongs.example')).toBeGreaterThan(0)
})
