import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTrusted } from '../../src/journal/grants/read-trust.ts'
import { makeShop } from '../faces/cli/command-line.ts'
import { programEntry } from './server-bench.ts'

const entry = programEntry('sample-server.ts', [])
const addWords = [
  'mcp',
  'add',
  'sample',
  ...entry.read.flatMap((path) => ['--read', path]),
  '--',
  entry.command,
  ...entry.args,
]

describe('tongs mcp, for servers of others', () => {
  it('adds, trusts, lists, uses and removes a server', async () => {
    const { tongs, env, stateDir } = makeShop()
    const file = join(env['XDG_CONFIG_HOME'] ?? '', 'tongs', 'config.toml')
    expect((await tongs(addWords)).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('[mcp.servers.sample]')
    expect((await tongs(addWords)).err).toMatch(/has a server sample already/)
    expect((await tongs(['mcp', 'list'])).out).toMatch(/sample {2}not trusted yet/)

    const unasked = await tongs(['mcp', 'trust', 'sample'])
    expect(unasked.code).toBe(4)
    expect(unasked.out).toContain('sample__echo  Says it again.')
    expect((await tongs(['call', 'sample__echo', '{"value":"a"}', '--yes'])).code).not.toBe(0)

    expect((await tongs(['mcp', 'trust', 'sample', '--yes'])).code).toBe(0)
    expect((await tongs(['mcp', 'trust', 'sample'])).out).toMatch(/Nothing has changed/)
    expect((await tongs(['mcp', 'list'])).out).toMatch(/sample {2}10 tools, external/)
    expect((await tongs(['tools', 'sample__echo'])).out).toContain('effect external, risk High')
    expect((await tongs(['doctor'])).out).toMatch(/mcp server sample\s+10 tools trusted/)

    const unconfined = ['--set', 'tools.shell.sandbox=none']
    expect((await tongs(['mcp', 'list'])).out).toMatch(/sandbox: the command sandbox/)
    expect((await tongs(['mcp', 'list', ...unconfined])).out).toMatch(/sandbox: UNSANDBOXED/)
    expect((await tongs(['doctor', ...unconfined])).out).toMatch(
      /mcp server sample\s+10 tools trusted, UNSANDBOXED/,
    )

    const waiting = await tongs(['call', 'sample__echo', '{"value":"a"}'])
    expect(waiting.code).toBe(4)
    const done = await tongs(['call', 'sample__echo', '{"value":"a"}', '--yes', '--json'])
    expect(done.rows).toMatchObject([{ ok: true, result: { text: 'a' } }])
    expect((await tongs(['audit', 'verify'])).code).toBe(0)

    expect((await tongs(['mcp', 'remove', 'sample'])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain('sample')
    expect(existsSync(join(stateDir, 'mcp', 'sample.json'))).toBe(false)
    expect((await tongs(['mcp', 'list'])).out).toMatch(/No MCP servers/)
  })

  it('tells a witness what is trusted of a server, and that nothing is any more', async () => {
    const { tongs, env, stateDir } = makeShop()
    const file = join(env['XDG_CONFIG_HOME'] ?? '', 'tongs', 'config.toml')
    const witness = join(stateDir, '..', 'witness')
    const lines = (): number => readFileSync(witness, 'utf8').trim().split('\n').length
    expect((await tongs(addWords)).code).toBe(0)
    appendFileSync(file, `\n[journal]\nwitness = "${witness}"\n`)
    expect((await tongs(['mcp', 'trust', 'sample', '--yes'])).code).toBe(0)
    expect(lines()).toBe(1)
    expect((await tongs(['mcp', 'remove', 'sample'])).code).toBe(0)
    expect(lines()).toBe(2)
    expect((await tongs(['audit', 'verify'])).out).toContain('The witness agrees on 2 heads.')
  })

  it('ends what was trusted of a server also where the configuration is at fault, and says that no witness was told', async () => {
    const { tongs, env, stateDir } = makeShop()
    const file = join(env['XDG_CONFIG_HOME'] ?? '', 'tongs', 'config.toml')
    expect((await tongs(addWords)).code).toBe(0)
    expect((await tongs(['mcp', 'trust', 'sample', '--yes'])).code).toBe(0)
    appendFileSync(file, '\n[journal]\nwitness = 7\n')
    const { code, err } = await tongs(['mcp', 'remove', 'sample'])
    expect([code, err]).toEqual([0, expect.stringContaining('no witness was told of this command')])
    expect(readTrusted(stateDir).size).toBe(0)
  })

  it('says what is wrong with a command line', async () => {
    const { tongs } = makeShop()
    expect((await tongs(['mcp', 'add', 'a'])).err).toMatch(/a program or --url/)
    expect((await tongs(['mcp', 'add', 'a__b', '--', 'x'])).err).toMatch(/name has up to/)
    expect((await tongs(['mcp', 'add', 'a', '--url', 'http://example.com'])).err).toMatch(/https/)
    expect((await tongs(['mcp', 'trust', 'a'])).err).toMatch(/There is no MCP server a/)
    expect((await tongs(['mcp', 'burn'])).err).toMatch(/unknown mcp command/)
  })
})
