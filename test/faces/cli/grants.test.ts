import { mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { GrantsReport } from '../../../src/runtime/approvals/grants.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { makeShop, shopHere, writes } from './command-line.ts'
import type { Shop } from './command-line.ts'

const shops: Shop[] = []

afterAll(() => {
  for (const made of shops) made.remove()
})

function shop(): Shop {
  const made = makeShop()
  shops.push(made)
  return shopHere(made)
}

const shell = (...cmd: readonly string[]) => ({ id: cmd.join(' '), name: 'run_shell', args: { cmd } })
const line = (command: string) => ({ id: command, name: 'run_command', args: { command } })

async function listed(s: Shop, ...words: readonly string[]): Promise<GrantsReport> {
  return JSON.parse((await s.tongs(['grants', '--json', ...words])).out) as GrantsReport
}

/** Answers the one question that waits like this. */
async function approve(s: Shop, ...words: readonly string[]) {
  const [id = ''] = await s.pendingIds()
  return s.tongs(['approve', id, ...words])
}

describe('grants on the command line', () => {
  it('P-GRANT-Scope, P-STATE-PERSIST: approve --scope allows more of the kind in every session, until revoked', async () => {
    const s = shop()
    await s.batch([writes('src/a')])
    expect((await approve(s, '--scope', 'path:src/*')).code).toBe(0)
    expect((await s.batch([writes('src/b')], '--session', 'other')).code).toBe(0)
    expect((await s.batch([writes('lib/b')])).code).toBe(4)
    const { grants, ignored } = await listed(s)
    expect(ignored).toEqual([])
    expect(grants).toMatchObject([
      {
        tool: 'write_file',
        scope: { kind: 'path', glob: 'src/*' },
        expires_at: null,
        used: 1,
        revoked_at: null,
      },
    ])
    const [grant] = grants
    const text = await s.tongs(['grants'])
    expect(text.out).toBe(`${grant?.id}  ${grant?.sentence}\n`)
    expect(grant?.sentence).toMatch(
      /^write_file may run without a question on paths that match src\/\*, until it is revoked; granted by .+, used once\.$/,
    )
    const revoked = await s.tongs(['grants', 'revoke', grant?.id.slice(0, -1) ?? ''])
    expect([revoked.code, revoked.out]).toEqual([0, expect.stringContaining(`Revoked ${grant?.id}.`)])
    expect((await s.batch([writes('src/c')])).code).toBe(4)
    expect((await listed(s)).grants).toEqual([])
    expect((await listed(s, '--all')).grants).toMatchObject([{ id: grant?.id, standing: 'revoked' }])
  })

  it('P-GRANT-Duration: approve --for allows the tool for that time', async () => {
    const s = shop()
    await s.batch([writes('a')])
    const before = Date.now()
    expect((await approve(s, '--for', '600')).code).toBe(0)
    const [grant] = (await listed(s)).grants
    expect(grant).toMatchObject({ scope: { kind: 'tool' }, standing: 'standing' })
    expect(grant?.expires_at).toBe((grant?.granted_at ?? 0) + 600_000)
    expect(grant?.granted_at).toBeGreaterThanOrEqual(before)
    expect((await s.batch([writes('b')])).code).toBe(0)
  })

  it('what was given for a moment is over after it', async () => {
    const s = shop()
    await s.batch([writes('a')])
    await approve(s, '--for', '0.001', '--scope', 'tool')
    expect((await s.batch([writes('b')])).code).toBe(4)
    expect((await listed(s)).grants).toEqual([])
    expect((await listed(s, '--all')).grants).toMatchObject([{ standing: 'expired' }])
  })

  it('--yes answers once and leaves nothing behind', async () => {
    const s = shop()
    expect((await s.batch([writes('a')], '--yes')).code).toBe(0)
    expect((await listed(s)).grants).toEqual([])
    expect((await s.batch([writes('b')])).code).toBe(4)
    const { out } = await s.tongs(['grants'])
    expect(out).toBe('No grants here: calls that need approval are asked about.\n')
  })

  it('a command is allowed by its words: git log is not git logout, and nothing chained to it', async () => {
    const s = shop()
    const on = ['--set', 'tools.run_command.enabled=true', '--set', 'tools.shell.ask=before']
    await s.batch([shell('echo', 'one')], ...on)
    expect((await approve(s, '--scope', 'command:echo', ...on)).code).toBe(0)
    expect(outcomes((await s.batch([shell('echo', 'two')], ...on)).rows)).toEqual(['ok'])
    const others = [shell('echox', 'one'), shell('sh', '-c', 'echo one'), line('echo one')]
    for (const call of others) expect((await s.batch([call], ...on)).code, call.id).toBe(4)
    await s.tongs(['deny', 'all'])
    await s.batch([line('echo one')], ...on)
    expect((await approve(s, '--scope', 'command:echo', ...on)).code).toBe(0)
    expect(outcomes((await s.batch([line('echo  "three"')], ...on)).rows)).toEqual(['ok'])
    for (const text of [
      'echo a && echo b',
      'echo a; echo b',
      'echo a > f',
      'echo $(id)',
      'echo a | sh',
      'echoo',
    ])
      expect((await s.batch([line(text)], ...on)).code, text).toBe(4)
  })

  it.for([
    [
      ['--scope', 'everything'],
      /--scope "everything" is not a scope; write tool, arguments, path:GLOB, origin:URL or command:WORDS/,
    ],
    [['--scope', 'command:'], /is not a scope; write tool/],
    [['--scope', 'command:git log | sh'], /is not a scope: it is more than the words of one program/],
    [['--scope', 'command:git $x'], /is not a scope: it contains \$/],
    [['--for', 'soon'], /--for "soon" is not a number of seconds; write --for 600/],
    [['--for', '0'], /is not a number of seconds/],
    [['--for', '-1'], /is not a number of seconds/],
  ] as const)('what cannot be meant is said, and nothing is answered: %j', async ([words, message]) => {
    const s = shop()
    await s.batch([writes('a')])
    const { code, err } = await approve(s, ...words)
    expect([code, err]).toEqual([2, expect.stringMatching(message)])
    expect((await s.pendingIds()).length).toBe(1)
  })

  it.for([
    [['--scope', 'path:lib/**'], /was not answered: the scope does not cover the call that was asked about/],
    [['--scope', 'path:['], /was not answered: the path pattern is not understood/],
    [['--scope', 'command:rm'], /was not answered: what follows these words decides/],
    [['--for', '999999999999'], /was not answered: the duration has to be/],
  ] as const)('what does not fit the call is said, and it goes on waiting: %j', async ([words, message]) => {
    const s = shop()
    await s.batch([writes('a')])
    const { code, err } = await approve(s, ...words)
    expect([code, err]).toEqual([1, expect.stringMatching(message)])
    expect((await s.pendingIds()).length).toBe(1)
    expect((await listed(s)).grants).toEqual([])
  })

  it('an id that is none, or too short, is said, and revoking twice is no harm', async () => {
    const s = shop()
    expect(await s.tongs(['grants', 'revoke', 'nope'])).toMatchObject({
      code: 1,
      err: 'tongs: "nope" does not match a grant of this root; see tongs grants --all\n',
    })
    for (const path of ['a', 'b']) {
      await s.batch([writes(path)])
      await approve(s, '--scope', 'arguments')
    }
    const [first, second] = (await listed(s)).grants
    const vague = await s.tongs(['grants', 'revoke', '0'])
    expect([vague.code, vague.err]).toEqual([1, `tongs: "0" could be any of ${first?.id}, ${second?.id}\n`])
    expect((await s.tongs(['grants', 'revoke', first?.id ?? ''])).code).toBe(0)
    const again = await s.tongs(['grants', 'revoke', first?.id ?? '', '--json'])
    expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { ok: true, isNew: false }])
    expect((await s.tongs(['grants', 'revoke'])).code).toBe(2)
    expect((await s.tongs(['grants', 'remove', 'x'])).code).toBe(2)
  })

  it('a record changed from outside allows nothing, and grants and doctor say so', async () => {
    const s = shop()
    await s.batch([writes('a')])
    await approve(s, '--scope', 'path:a')
    const database = new DatabaseSync(join(s.stateDir, 'journal.db'))
    database.exec(`UPDATE grants SET scope = '{"kind":"tool"}'`)
    database.close()
    expect((await s.batch([writes('b')])).code).toBe(4)
    expect((await listed(s)).ignored).toMatchObject([{ tool: 'write_file' }])
    expect((await s.tongs(['grants'])).err).toMatch(
      /^tongs: grant \w{26} for write_file is ignored: its record was changed/,
    )
    const doctor = await s.tongs(['doctor'])
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining('0 in force, 1 ignored')])
    const [bad] = (await listed(s)).ignored
    expect((await s.tongs(['grants', 'revoke', bad?.id ?? ''])).code).toBe(0)
    expect((await s.tongs(['doctor'])).out).toContain('0 in force\n')
  })

  it('for exact arguments says which call that is, with what it asks for beyond the sandbox', async () => {
    const s = shop()
    const call = {
      id: 'c',
      name: 'run_shell',
      args: { cmd: ['echo', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'], network: true },
    }
    await s.batch([call])
    await approve(s, '--scope', 'arguments')
    const { out } = await s.tongs(['grants'])
    expect(out).toMatch(/as in "Run with NETWORK.*: echo /i)
    expect(out).not.toContain('ghp_abc')
    expect((await s.tongs(['audit', 'verify'])).code).toBe(0)
  })

  it('allows nothing in another folder that takes the place of its own, and says why', async () => {
    const s = shop()
    await s.batch([writes('a')])
    await approve(s, '--scope', 'tool')
    expect((await s.batch([writes('b')])).code).toBe(0)
    renameSync(s.root, `${s.root}-old`)
    mkdirSync(s.root)
    const { code } = await s.batch([writes('c')])
    expect([code, s.get('c')]).toEqual([4, null])
    expect((await listed(s)).ignored).toMatchObject([{ why: expect.stringContaining('another folder') }])
    expect((await s.tongs(['pending'])).out).toContain('see tongs grants')
    rmdirSync(s.root)
    renameSync(`${s.root}-old`, s.root)
    expect((await s.batch([writes('d')])).code).toBe(0)
  })

  it('what waits says how more could be allowed, in words that approve takes', async () => {
    const s = shop()
    await s.batch([writes('src/a')])
    const { out } = await s.tongs(['pending'])
    const words = "--scope arguments or path:src/a or 'path:src/**' or tool"
    expect(out).toContain(`  to allow more: --for SECONDS, ${words}\n`)
    expect((await approve(s, '--scope', 'path:src/**')).code).toBe(0)
  })

  it('a name that cannot be shown as it is, is not offered as a word', async () => {
    for (const name of ["it's/a b", `a${' '.repeat(40)}b`]) {
      const s = shop()
      await s.batch([writes(name)])
      const { out } = await s.tongs(['pending'])
      expect(out, name).toContain('--scope arguments or tool\n')
    }
  })

  it('why and the log name the grant', async () => {
    const s = shop()
    await s.batch([writes('a')])
    await approve(s, '--scope', 'tool')
    const [row] = (await s.batch([writes('b')])).rows
    const [grant] = (await listed(s)).grants
    const { out } = await s.tongs(['why', row?.execution.id ?? ''])
    expect(out).toContain(
      `allowed by grant ${grant?.id}: write_file may run without a question whatever its arguments.`,
    )
    expect((await s.tongs(['log'])).out).toMatch(
      new RegExp(
        `granted {5}write_file may run without a question whatever its arguments\\. {2}${grant?.id}`,
      ),
    )
  })
})
