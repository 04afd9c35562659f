import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { CommandName } from '../../../src/faces/cli/command-table.ts'
import { makeShop, shopHere } from './command-line.ts'
import type { Shop } from './command-line.ts'

const shops: Shop[] = []
afterAll(() => {
  for (const made of shops) made.remove()
})

/** Lines of each command that would change something and cannot show it beforehand. */
const CHANGING: Readonly<Record<CommandName, readonly (readonly string[])[]>> = {
  app: [['app']],
  call: [],
  batch: [],
  run: [],
  setup: [['setup', '--model', 'anthropic/some-model']],
  sessions: [
    ['sessions', 'rename', 'cli', 'another title'],
    ['sessions', 'fork', 'cli', '--as', 'copy'],
  ],
  recover: [
    ['recover', '--resume'],
    ['recover', '--discard'],
  ],
  pending: [],
  approve: [['approve', 'all']],
  deny: [['deny', 'all']],
  undo: [],
  redo: [],
  log: [],
  why: [],
  stats: [],
  audit: [],
  adopt: [['adopt', '/nowhere']],
  repair: [['repair']],
  forget: [
    ['forget', 'cli'],
    ['forget', '--older-than', '0'],
  ],
  tools: [],
  config: [],
  trust: [['trust']],
  rules: [],
  policy: [],
  grants: [['grants', 'revoke', '01']],
  tasks: [],
  doctor: [],
  mcp: [['mcp'], ['mcp', 'login', 'one'], ['mcp', 'logout', 'one']],
  acp: [['acp'], ['acp', 'setup']],
  completion: [],
  demo: [['demo']],
}

/** A workspace with an edit, a question that waits, and a file that can be trusted. */
async function shop(): Promise<Shop> {
  const made = makeShop({ 'a.txt': 'one\n', '.tongs.toml': '[tools]\n' })
  shops.push(made)
  const call = (path: string, ...words: readonly string[]) =>
    shopHere(made).tongs(['call', 'write_file', JSON.stringify({ path, content: 'new\n' }), ...words])
  expect((await call('b.txt', '--yes')).code).toBe(0)
  expect((await call('c.txt', '--no-input')).code).toBe(4)
  return made
}

/** Everything that is kept for the user, by its content. */
function kept({ stateDir, root }: Shop): string {
  const all = createHash('sha256')
  const add = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = join(folder, entry.name)
      // Compiled code, and what is told about a process that runs.
      if (['compile-cache', 'locks', 'proofs'].includes(entry.name) || /-(?:wal|shm)$/.test(entry.name))
        continue
      all.update(`${path}\0`)
      if (entry.isDirectory()) add(path)
      else if (entry.isFile()) all.update(readFileSync(path))
    }
  }
  add(stateDir)
  add(root)
  return all.digest('hex')
}

describe('a dry run of a command that changes something', () => {
  it('changes nothing, and says that there is none', async () => {
    const made = await shop()
    const before = kept(made)
    for (const words of Object.values(CHANGING).flat()) {
      const { code, err } = await shopHere(made).tongs([...words, '--dry-run'])
      expect([words, code, err]).toEqual([words, 2, expect.stringMatching(/has no dry run/)])
      expect([words, kept(made)]).toEqual([words, before])
    }
  })

  it('control: without it, what was recorded is erased', async () => {
    const made = await shop()
    const before = kept(made)
    expect((await shopHere(made).tongs(['forget', 'cli'])).code).toBe(0)
    expect(kept(made)).not.toBe(before)
  })

  it('still lists sessions, grants and what was interrupted', async () => {
    const here = shopHere(await shop())
    for (const words of [['sessions'], ['grants'], ['recover']])
      expect((await here.tongs([...words, '--dry-run'])).code).toBe(0)
  })
})

describe('a dry run for servers', () => {
  it('does not say that one was added, removed or trusted', async () => {
    const made = await shop()
    const added = await made.tongs(['mcp', 'add', 'one', '--dry-run', '--', '/bin/true'])
    expect(`${added.out}${added.err}`).toMatch(/^Would add one to /)
    expect(existsSync(join(made.stateDir, '..', 'config'))).toBe(false)
    expect((await made.tongs(['mcp', 'add', 'one', '--', '/bin/true'])).code).toBe(0)
    const removed = await made.tongs(['mcp', 'remove', 'one', '--dry-run'])
    expect(`${removed.out}${removed.err}`).toMatch(/^Would remove one from /)
    const asJson = await made.tongs(['mcp', 'remove', 'one', '--dry-run', '--json'])
    expect(JSON.parse(asJson.out)).toMatchObject({ removed: 'one', dry_run: true })
    expect((await made.tongs(['mcp', 'list', '--json'])).out).toContain('one')
  })
})
