import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agreeOnce } from '../../src/core/approval.ts'
import { bench } from '../bench-folder.ts'
import { callIn, programEntry } from './server-bench.ts'

describe('what a server is started with, in a folder that it may write', () => {
  it('is changed by that server, and neither by path tools nor by commands', async () => {
    const b = bench()
    const folder = join(b.root, 'srv')
    mkdirSync(folder)
    const named = join(folder, 'own.js')
    writeFileSync(named, 'first\n')
    const config = {
      'mcp.servers': { s: programEntry('sample-server.ts', [named], { write: [folder] }) },
      'tools.shell.layer': 'off' as const,
      'tools.run_command.enabled': true,
    }
    const first = await b.open({ config })
    first.servers.trust(await first.servers.inspect('s'))
    await first.close()
    const runtime = await b.open({ config, approve: agreeOnce })
    const call = (name: string, args: object) => callIn(runtime, name, args)
    expect(await call('s__append', { value: 'served' })).toMatchObject({ ok: true })
    const denied = { ok: false, error: { code: 'denied_pattern' } }
    expect(await call('write_file', { path: 'srv/own.js', content: 'x' })).toMatchObject(denied)
    expect(await call('move_path', { from: 'srv', to: 'away' })).toMatchObject(denied)
    const run = await call('run_command', { command: 'echo x >> srv/own.js' })
    expect(run.content).toContain('Read-only file system')
    expect(readFileSync(named, 'utf8')).toMatch(/^first\nserved .*\n$/)
    // Control: what no entry names is changed as ever.
    expect(await call('write_file', { path: 'srv/free.js', content: 'x' })).toMatchObject({ ok: true })
    await runtime.close()
  })
})
