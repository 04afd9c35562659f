import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'
import { makeShop } from '../faces/cli/command-line.ts'
import { PATIENCE_MS } from '../harness/patience.ts'
import { listen, openServed, TOKEN } from '../faces/mcp/open-client.ts'
import { outsideFolder } from './install.ts'
import { runProgram } from './run-suite.ts'
import { writeFileSync } from 'node:fs'

/** Runs the official inspector's command line; returns what it printed. */
async function inspect(
  target: readonly string[],
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  const folder = join(await outsideFolder(), '@modelcontextprotocol', 'inspector')
  const { default: about } = (await import(join(folder, 'package.json'), { with: { type: 'json' } })) as {
    readonly default: { readonly bin: Readonly<Record<string, string>> }
  }
  const [program = ''] = Object.values(about.bin)
  const { code, text, out } = await runProgram(
    process.execPath,
    [join(folder, program), '--cli', ...target, ...words, '--connect-timeout', String(PATIENCE_MS)],
    env,
  )
  expect(code, text).toBe(0)
  return out
}

async function tour(
  target: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const tools = await inspect(target, ['--method', 'tools/list'], env)
  expect(tools).toContain('"read_file"')
  expect(tools).toContain('"readOnlyHint": true')
  const call = ['--method', 'tools/call', '--tool-name', 'read_file', '--tool-arg', 'path=a.txt']
  expect(await inspect(target, call, env)).toContain('one\\n')
  expect(await inspect(target, ['--method', 'resources/list'], env)).toContain('tongs://audit/head')
  const read = ['--method', 'resources/read', '--uri', 'tongs://audit/head']
  expect(await inspect(target, read, env)).toContain('"contents"')
}

describe('the official inspector', () => {
  it('drives tongs mcp on standard input and output', async () => {
    const shop = makeShop({ 'a.txt': 'one\n' })
    await tour([join(TOP, 'bin', 'tongs'), 'mcp', '--root', shop.root], shop.env)
    shop.remove()
  })

  it('drives tongs mcp over loopback', async () => {
    const served = await openServed()
    writeFileSync(join(served.root, 'a.txt'), 'one\n')
    const url = await listen(served)
    await tour([url, '--transport', 'http', '--header', `Authorization: Bearer ${TOKEN}`], process.env)
  })
})
