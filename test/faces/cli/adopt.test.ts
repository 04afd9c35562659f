import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeShop, shopHere } from './command-line.ts'
import type { CommandEnd, Shop } from './command-line.ts'

const write = (path: string, content: string) => [
  'call',
  'write_file',
  JSON.stringify({ path, content }),
  '--json',
]

/** A root with a committed change, and how commands run in it after it went elsewhere. */
async function workedIn() {
  const shop = makeShop()
  onTestFinished(shop.remove)
  expect((await shop.tongs([...write('a.txt', 'a\n'), '--yes'])).code).toBe(0)
  const here = shopHere(shop)
  const at = (root: string, ...words: readonly string[]): Promise<CommandEnd> =>
    here.tongs([...words, '--root', root])
  return { shop, at }
}

const moveTo = (shop: Shop, root: string): string => {
  renameSync(shop.root, root)
  return root
}

it('a renamed root goes on with its history: log, questions, undo and redo, and the log says so and verifies', async () => {
  const { shop, at } = await workedIn()
  expect((await shop.tongs([...write('b.txt', 'b\n'), '--no-input'])).code).toBe(4)
  const moved = moveTo(shop, `${shop.root} moved`)
  expect((await at(moved, 'tasks')).err).toBe(
    `tongs: this folder was ${shop.root}; to go on with its history, run tongs adopt ${shop.root}\n`,
  )
  const adopted = await at(moved, 'adopt', shop.root)
  expect(adopted).toMatchObject({ code: 0, err: '' })
  expect(adopted.out).toContain(`${moved} goes on with the history of ${shop.root}: 1 session.`)
  expect((await at(moved, 'pending')).out).toContain('b.txt')
  expect(await at(moved, 'approve', 'all')).toMatchObject({ code: 0, err: '' })
  expect(readFileSync(join(moved, 'b.txt'), 'utf8')).toBe('b\n')
  const undone = await at(moved, 'undo', '--last', '2', '--yes', '--json')
  const { files } = JSON.parse(undone.out) as { readonly files: readonly { readonly path: string }[] }
  expect(files.map(({ path }) => path).toSorted()).toEqual(['a.txt', 'b.txt'])
  expect(await at(moved, 'redo', '--yes')).toMatchObject({ code: 0 })
  expect(readFileSync(join(moved, 'a.txt'), 'utf8')).toBe('a\n')
  const log = await at(moved, 'log', '--json')
  const note = { about: 'root_moved', data: { from: shop.root, to: moved } }
  expect(log.out.split('\n').filter((line) => line.includes('root_moved'))).toEqual([
    expect.stringContaining(JSON.stringify(note).slice(1, -1).split(',"data"')[0] ?? ''),
  ])
  expect(JSON.parse((await at(moved, 'audit', 'verify', '--json')).out)).toMatchObject({ ok: true })
  expect(JSON.parse((await at(moved, 'audit', 'verify', '--session', 'cli', '--json')).out)).toMatchObject({
    ok: true,
    sessions: 1,
  })
  expect(await at(moved, 'forget', '--older-than', '0')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Erased [1-9]\d* contents/) as string,
  })
})

it('a root can be moved again and back, and another folder at its former path has a history of its own', async () => {
  const { shop, at } = await workedIn()
  const second = moveTo(shop, `${shop.root}-2`)
  expect((await at(second, 'adopt', shop.root)).code).toBe(0)
  mkdirSync(shop.root)
  expect((await at(shop.root, 'log')).out).not.toContain('write_file')
  expect((await at(shop.root, ...write('other.txt', 'o\n'), '--yes')).code).toBe(0)
  expect((await at(second, 'log')).out).not.toContain('other.txt')
  expect((await at(second, ...write('c.txt', 'c\n'), '--yes')).code).toBe(0)
  const third = `${shop.root}-3`
  renameSync(second, third)
  expect((await at(third, 'adopt', second)).code).toBe(0)
  expect(await at(third, 'undo', '--last', '2', '--yes')).toMatchObject({ code: 0, err: '' })
  expect(await at(shop.root, 'undo', '--yes')).toMatchObject({ code: 0, err: '' })
  expect(shop.get('other.txt')).toBeNull()
  expect(JSON.parse((await at(third, 'audit', 'verify', '--json')).out)).toMatchObject({ ok: true })
})

it('a session keeps the preset that was chosen last, wherever its folder was then', async () => {
  const { shop, at } = await workedIn()
  const script = join(shop.stateDir, '..', 'script.json')
  const edit = { id: 'c1', name: 'write_file', args: { path: 'unasked.txt', content: 'x\n' } }
  writeFileSync(script, JSON.stringify({ turns: [{ text: 'edit', calls: [edit] }, { text: 'done' }] }))
  const run = (root: string, ...words: readonly string[]) =>
    at(root, 'run', 'go', '--session', 'w', '--model', `script:${script}`, ...words)
  await run(shop.root, '--preset', 'auto')
  expect(readFileSync(join(shop.root, 'unasked.txt'), 'utf8')).toBe('x\n')
  rmSync(join(shop.root, 'unasked.txt'))
  const moved = moveTo(shop, `${shop.root} moved`)
  expect((await at(moved, 'adopt', shop.root)).code).toBe(0)
  const presetAt = async (root: string): Promise<unknown> => {
    const { sessions } = JSON.parse((await at(root, 'sessions', '--json')).out) as {
      readonly sessions: readonly { readonly name: string; readonly preset: string | null }[]
    }
    return sessions.find(({ name }) => name === 'w')?.preset
  }
  expect(await presetAt(moved)).toBe('auto')
  await run(moved, '--preset', 'plan')
  renameSync(moved, shop.root)
  expect((await at(shop.root, 'adopt', moved)).code).toBe(0)
  expect(await presetAt(shop.root)).toBe('plan')
  const { err } = await run(shop.root)
  expect(err).not.toContain('chosen last')
  expect(existsSync(join(shop.root, 'unasked.txt'))).toBe(false)
})

it('nothing is adopted from a root that is still there, has no history, or where it would hide another one', async () => {
  const { shop, at } = await workedIn()
  const other = `${shop.root}-other`
  mkdirSync(other)
  const refused = async (root: string, from: string) => {
    const end = await at(root, 'adopt', from)
    expect([end.code, end.out]).toEqual([1, ''])
    return end.err
  }
  expect(await refused(other, shop.root)).toContain(`${shop.root} still exists`)
  expect(await refused(other, `${shop.root}-never`)).toContain('nothing is on record for')
  cpSync(shop.root, `${other}-copy`, { recursive: true })
  rmSync(shop.root, { recursive: true })
  expect(await refused(`${other}-copy`, shop.root)).toContain('it may be a copy; if it should go on')
  expect((await at(other, ...write('own.txt', 'o\n'), '--yes')).code).toBe(0)
  expect(await refused(other, shop.root)).toContain('has a history of its own')
  expect((await at(`${other}-copy`, 'adopt', shop.root, '--yes')).code).toBe(0)
  expect(await at(`${other}-copy`, 'undo', '--yes')).toMatchObject({ code: 0, err: '' })
})
