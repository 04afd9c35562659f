import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { makeShop, shopHere, writes } from './command-line.ts'
import type { Shop } from './command-line.ts'

const shops: Shop[] = []
afterEach(() => {
  for (const shop of shops.splice(0)) shop.remove()
})

function openShop(): { readonly shop: Shop; readonly set: readonly string[]; readonly witness: string } {
  const made = makeShop({ 'a.txt': 'a\n' })
  shops.push(made)
  const witness = join(dirname(made.root), 'witness')
  return { shop: shopHere(made), witness, set: ['--set', `journal.witness=${witness}`] }
}

const verify = async (shop: Shop, ...words: readonly string[]) => {
  const { code, out, err } = await shop.tongs(['audit', 'verify', '--json', ...words])
  return { code, err, report: out === '' ? null : (JSON.parse(out) as Record<string, unknown>) }
}

it('a state folder that was restored from a copy verifies by itself, and not with its witness', async () => {
  const { shop, set, witness } = openShop()
  await shop.batch([writes('one')], '--yes', ...set)
  cpSync(shop.stateDir, `${shop.stateDir}.copy`, { recursive: true })
  await shop.batch([writes('two')], '--yes', ...set)
  expect(readFileSync(witness, 'utf8').trim().split('\n')).toHaveLength(2)
  expect(await verify(shop, ...set)).toMatchObject({ code: 0, report: { witness: { heads: 2 } } })
  rmSync(shop.stateDir, { recursive: true })
  cpSync(`${shop.stateDir}.copy`, shop.stateDir, { recursive: true })
  expect((await verify(shop)).code).toBe(0)
  const { code, report } = await verify(shop, ...set)
  expect([code, report?.['ok']]).toEqual([1, false])
  const spoken = await shop.tongs(['audit', 'verify', ...set])
  expect(spoken.err).toMatch(/does not verify: session cli, entry \d+: .*witness/)
})

it('a state folder from before something else was trusted does not verify with its witness', async () => {
  const { shop, set } = openShop()
  shop.put('.tongs/commands/build.md', 'Build it.')
  const trust = async (text: string): Promise<void> => {
    shop.put('.tongs.toml', text)
    expect(await shop.tongs(['trust', ...set])).toMatchObject({ code: 0, err: '' })
  }
  // Only a file that was trusted may be so long: the witness is known without it.
  await trust(`# ${'x'.repeat(70_000)}\n[tools.approval]\nmode = "auto"\n`)
  cpSync(shop.stateDir, `${shop.stateDir}.copy`, { recursive: true })
  await trust('[tools]\nmode = "disabled"\n')
  expect(await verify(shop, ...set)).toMatchObject({ code: 0, report: { witness: { heads: 4 } } })
  rmSync(shop.stateDir, { recursive: true })
  cpSync(`${shop.stateDir}.copy`, shop.stateDir, { recursive: true })
  expect((await verify(shop)).code).toBe(0)
  const { err } = await shop.tongs(['audit', 'verify', ...set])
  expect(err).toMatch(/does not verify: session grants, entry 3: .*the witness knows it/)
})

it('a witness is told that a root was moved', async () => {
  const { shop, set, witness } = openShop()
  await shop.batch([writes('one')], '--yes', ...set)
  const moved = `${shop.root} moved`
  renameSync(shop.root, moved)
  expect(await shop.tongs(['adopt', shop.root, '--root', moved, ...set])).toMatchObject({ code: 0, err: '' })
  expect(readFileSync(witness, 'utf8').trim().split('\n')).toHaveLength(2)
})

it('verify prints the head, and a later one finds it again or says that it is gone', async () => {
  const { shop } = openShop()
  await shop.batch([writes('one')], '--yes')
  const { out } = await shop.tongs(['audit', 'verify'])
  const head = /^head: ([0-9a-f]{64})$/m.exec(out)?.[1] ?? ''
  await shop.batch([writes('two')], '--yes')
  expect(await verify(shop, '--since', head)).toMatchObject({
    code: 0,
    report: { ok: true, since: { hash: head } },
  })
  expect((await shop.tongs(['audit', 'verify', '--since', head])).out).toContain('The known head is in it')
  const unknown = await verify(shop, '--since', 'f'.repeat(64))
  expect(unknown).toMatchObject({ code: 1, report: { ok: false, since: null } })
  expect((await verify(shop, '--since', 'nonsense')).code).toBe(2)
})

it('a witness in the workspace, in the state folder or without a full path is refused', async () => {
  const { shop } = openShop()
  for (const path of [join(shop.root, 'w'), join(shop.stateDir, 'w'), 'w']) {
    const { code, err } = await shop.batch([writes('one')], '--yes', '--set', `journal.witness=${path}`)
    expect([code, err]).toEqual([2, expect.stringContaining('journal.witness')])
    expect(existsSync(path)).toBe(false)
  }
})

it('a witness that cannot be reached is said at once, and the work is done', async () => {
  const { shop } = openShop()
  const { code, err } = await shop.batch([writes('one')], '--yes', '--set', 'journal.witness=/proc/none/w')
  expect([code, shop.get('one')]).toEqual([0, 'one\n'])
  expect(err).toContain('/proc/none/w cannot be told')
  expect((await verify(shop, '--set', 'journal.witness=/proc/none/w')).code).toBe(1)
})

it('a project cannot name a witness', async () => {
  const { shop, witness } = openShop()
  shop.put('.tongs.toml', `[journal]\nwitness = "${witness}"\n`)
  await shop.batch([writes('one')], '--yes')
  expect(existsSync(witness)).toBe(false)
})

it('repair says what the witness knows that is not there, before and after', async () => {
  const { shop, set, witness } = openShop()
  await shop.batch([writes('one')], '--yes', ...set)
  cpSync(shop.stateDir, `${shop.stateDir}.copy`, { recursive: true })
  await shop.batch([writes('two')], '--yes', ...set)
  const whole = await shop.tongs(['repair', '--json', ...set])
  expect([whole.code, JSON.parse(whole.out)]).toMatchObject([0, { ok: true, witness: [] }])
  rmSync(shop.stateDir, { recursive: true })
  cpSync(`${shop.stateDir}.copy`, shop.stateDir, { recursive: true })
  const { code, out } = await shop.tongs(['repair', ...set])
  expect(code).toBe(1)
  expect(out).toMatch(/^Before the repair: in session cli, entry \d+ is missing, but the witness knows it/)
  expect(out).toMatch(/the log does not verify: .*the witness knows it/)
  expect((await shop.tongs(['repair'])).code).toBe(0)
  expect(readFileSync(witness, 'utf8').trim().split('\n')).toHaveLength(2)
})

it('a state folder that was moved away is missed by the witness for good, until a new witness is named', async () => {
  const { shop, set, witness } = openShop()
  await shop.batch([writes('one')], '--yes', ...set)
  renameSync(shop.stateDir, `${shop.stateDir}.away`)
  for (const name of ['two', 'three']) {
    expect((await verify(shop, ...set)).code).toBe(1)
    await shop.batch([writes(name)], '--yes', ...set)
  }
  const { code, err } = await shop.tongs(['audit', 'verify', ...set])
  expect([code, err]).toEqual([1, expect.stringContaining('knew another journal before this one')])
  const repaired = await shop.tongs(['repair', ...set])
  expect([repaired.code, repaired.out]).toEqual([1, expect.stringContaining('knew another journal')])
  expect((await verify(shop, ...set)).code).toBe(1)
  const renewed = ['--set', `journal.witness=${witness}.new`]
  await shop.batch([writes('four')], '--yes', ...renewed)
  expect(await verify(shop, ...renewed)).toMatchObject({ code: 0, report: { witness: { heads: 1 } } })
})

it('a witness whose last line was not written to its end is told apart from a forged one, and goes on', async () => {
  const { shop, set, witness } = openShop()
  for (const name of ['one', 'two']) await shop.batch([writes(name)], '--yes', ...set)
  const told = readFileSync(witness, 'utf8')
  const [first = '', second = ''] = told.split('\n')
  const cuts = [
    `${first}\n${second.slice(0, -40)}`,
    `${first}\n${second.slice(0, 7)}`,
    `${first}\n${second.slice(0, 60)}`,
  ]
  for (const [index, cut] of cuts.entries()) {
    writeFileSync(witness, cut)
    const torn = { heads: 1, torn_lines: 1 }
    expect(await verify(shop, ...set)).toMatchObject({ code: 0, report: { witness: torn } })
    await shop.batch([writes(`later${index}`)], '--yes', ...set)
    expect(await verify(shop, ...set)).toMatchObject({ code: 0, report: { witness: { ...torn, heads: 2 } } })
  }
  // As an earlier version went on.
  writeFileSync(witness, `${first.slice(0, 90)}${first}\n`)
  expect(await verify(shop, ...set)).toMatchObject({
    code: 0,
    report: { witness: { heads: 1, torn_lines: 1 } },
  })
  const at = first.length - 3
  writeFileSync(
    witness,
    `${first.slice(0, at)}${first[at] === '0' ? '1' : '0'}${first.slice(at + 1)}\n${second}\n`,
  )
  const { code, err } = await shop.tongs(['audit', 'verify', ...set])
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('line 1 of the witness does not have a valid seal'),
  ])
})

it.runIf(process.platform === 'linux')(
  'verify says that a pipe in the place of the journal is not a file',
  async () => {
    const { shop } = openShop()
    await shop.batch([writes('one')], '--yes')
    const database = join(shop.stateDir, 'journal.db')
    rmSync(database)
    execFileSync('mkfifo', [database])
    for (const words of [['audit', 'verify'], ['log'], ['repair']]) {
      const { code, err } = await shop.tongs(words)
      expect([code, err]).toEqual([1, expect.stringContaining('journal.db is not a regular file')])
    }
  },
)
