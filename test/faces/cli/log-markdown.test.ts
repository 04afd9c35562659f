import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeShop, shopHere } from './command-line.ts'
import type { Shop } from './command-line.ts'

const shops: Shop[] = []

afterAll(() => {
  for (const made of shops) made.remove()
})

const write = (id: string, path: string, content = 'new\n') => ({
  id,
  name: 'write_file',
  args: { path, content },
})

/** A shop and a way to run a turn in it. */
function shop(files: Readonly<Record<string, string>>) {
  const made = makeShop(files)
  shops.push(made)
  const here = shopHere(made)
  let turns = 0
  const talk = async (prompt: string, calls: readonly object[], ...words: readonly string[]) => {
    const script = join(made.stateDir, '..', `script-${++turns}.json`)
    writeFileSync(script, JSON.stringify({ turns: [{ text: 'Working.', calls }, { text: 'Done.' }] }))
    return here.tongs(['run', prompt, '--model', `script:${script}`, '--session', 'work', ...words])
  }
  return {
    here,
    talk,
    summary: async (...words: readonly string[]) => (await here.tongs(['log', '--markdown', ...words])).out,
  }
}

describe('tongs log --markdown', () => {
  it('says what changed, on whose word, what was refused and what it cost', async () => {
    const { talk, summary } = shop({ 'a.txt': 'alpha\n' })
    await talk(
      'make it better',
      [
        write('1', 'b.txt'),
        { id: '2', name: 'run_shell', args: { cmd: 'rm a.txt' } },
        { id: '3', name: 'read_file', args: { path: '../outside' } },
      ],
      '--yes',
    )
    const text = await summary()
    const [changed = '', allowed = '', cost = ''] = text.split(/^## /m).slice(1)
    expect(changed).toContain('> `make it better`')
    expect(changed).toContain('- deleted `a.txt`\n- created `b.txt`\n')
    expect(allowed).toMatch(/- `write_file` \(one file\), approved by `[^`]+` \(`[0-9a-z]{26}`\)/)
    expect(allowed).toMatch(/- `run_shell` \(one file\), approved by/)
    expect(allowed).toMatch(/### Refused\n\n- `read_file`: `path_outside_sandbox`, by the gate `[^`]+`/)
    expect(cost).toMatch(/\d+ tokens in \(0 of them cached\), \d+ out/)
    expect(cost).toContain('1 turn, 3 calls (0 failed)')
    const head = /audit verify --since ([0-9a-f]{64})/.exec(cost)?.[1]
    expect(head).toBeDefined()
  })

  it('leaves out what was undone, and with --turn what came before the last turn', async () => {
    const { here, talk, summary } = shop({})
    await talk('first', [write('1', 'one.txt')], '--yes')
    await talk('second', [write('1', 'two.txt')], '--yes')
    expect(await summary()).toContain('- created `one.txt`\n- created `two.txt`')
    const last = await summary('--turn')
    expect(last).toContain('> `second`')
    expect(last).toContain('- created `two.txt`')
    expect(last).not.toContain('one.txt')
    expect(last).toContain('1 turn, 1 call (')
    await here.tongs(['undo', '--session', 'work', '--yes'])
    const after = await summary()
    expect(after).not.toContain('two.txt')
    expect(after).toContain('What 1 undo took back is left out.')
    expect(await summary('--turn')).toContain('No files.')
  })

  it('names the grant that made a question needless', async () => {
    const { here, talk, summary } = shop({})
    await here.tongs(['call', 'write_file', '{"path":"one.txt","content":"1"}', '--no-input'])
    await here.tongs(['approve', 'all', '--for', '600'])
    await talk('second', [write('1', 'two.txt')], '--no-input')
    expect(await summary('--turn')).toMatch(/`write_file` \(one file\), by a grant: .*write\\_file/)
  })

  it('lets no name out of its code span, and no words be more than words', async () => {
    const { talk, summary } = shop({})
    await talk('see @everyone <img src=x> [x](y) `code` \u202E', [write('1', 'a`b ``c.md')], '--yes')
    const text = await summary()
    expect(text).toContain('- created ``` a`b ``c.md ```')
    expect(text).toContain('> `` see @everyone <img src=x> [x](y) `code`')
    expect(text).not.toContain('\u202E')
  })

  it('says so where nothing is on record, and refuses --turn alone', async () => {
    const { here, summary } = shop({})
    expect(await summary()).toContain('nothing is on record')
    expect(await here.tongs(['log', '--turn'])).toMatchObject({ code: 2 })
  })
})
