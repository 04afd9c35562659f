import { Buffer } from 'node:buffer'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ASK_BEFORE, bench, errorOf, outputOf } from '../../bench-folder.ts'

const SECRET = 'SECRET-content'
const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)

type Settings = Readonly<Record<string, unknown>>

/** Where a command works: on a layer, on the root itself, or in a folder that it writes directly. */
const LEVELS = [
  ['on a layer', {}, ''],
  ['without a layer', { 'tools.shell.layer': 'off' }, ''],
  ['in a folder that is passed through', { 'tools.shell.passthrough': ['p'] }, 'p/'],
] as const

function makeBench(settings: Settings, folder: string) {
  const b = bench({ plain: 'plain' })
  mkdirSync(join(b.root, folder, 's'), { recursive: true })
  b.put(`${folder}s/f`, SECRET)
  const run = (line: string, args: object = {}) =>
    b.call(
      'run_shell',
      { cmd: ['sh', '-c', line], ...args },
      { approve, config: { ...ASK_BEFORE, ...settings } },
    )
  return { ...b, run, at: join(b.root, folder) }
}

/** Links that lead each program elsewhere; the command would be led to the file, from where it works. */
const ANYONES = [
  '/proc/self/cwd/s/f',
  '/proc/thread-self/cwd/s/f',
  '/proc/self/root/ROOT/s/f',
  '/proc/1/cwd/s/f',
  '/dev/fd/9',
  '/proc/self/fd/9',
] as const

describe.each(LEVELS)('a command %s', (_, settings, folder) => {
  it.each(ANYONES)('does not start if a denied name is a link to %s, and is told which', async (target) => {
    const { run, at } = makeBench(settings, folder)
    symlinkSync(target.replace('/ROOT', at), join(at, '.env'))
    const error = errorOf(await run(`cd "${at}" && exec 9<s/f; cat .env`))
    expect(error.code).toBe('not_allowed')
    expect(error.message).toMatch(/\.env has a denied name and is a link into .*leads each program elsewhere/)
    expect(JSON.stringify(error)).not.toContain(SECRET)
  })

  it('gets nothing by a denied link to a name that is not UTF-8, and nothing is made', async () => {
    const { run, at } = makeBench(settings, folder)
    const raw = Buffer.from([0x73, 0xff])
    writeFileSync(Buffer.concat([Buffer.from(`${at}/`), raw]), SECRET)
    symlinkSync(raw, join(at, '.env'))
    const before = readdirSync(at, 'latin1')
    const result = await run(`cat "${join(at, '.env')}"; true`)
    expect(JSON.stringify(result)).not.toContain(SECRET)
    if (!result.ok) expect(errorOf(result).message).toMatch(/cannot be hidden here.*not valid UTF-8/)
    expect(readdirSync(at, 'latin1')).toEqual(before)
  })

  it.each(['.', 's/..'])(
    'sees everything beside a denied link to %s, which holds the link',
    async (target) => {
      const { run, at } = makeBench(settings, folder)
      symlinkSync(target, join(at, '.ssh'))
      expect(outputOf(await run(`cat "${join(at, 's/f')}"`))).toMatchObject({ stdout: SECRET })
    },
  )

  it('control: what a denied link leads to by a plain path is hidden, and the rest is there', async () => {
    const { run, at, root } = makeBench(settings, folder)
    symlinkSync('s/f', join(at, '.env'))
    const line = `cat "${join(at, '.env')}" "${join(at, 's/f')}" 2>/dev/null; cat "${root}/plain"`
    expect(outputOf(await run(line))).toMatchObject({ stdout: 'plain' })
  })
})

describe('a folder that a command was granted', () => {
  it.each(['read', 'write'] as const)(
    'for %s with a denied link to a name that is not UTF-8 is refused with its name',
    async (intent) => {
      const { run, top } = makeBench({}, '')
      const out = join(top, 'out')
      mkdirSync(out)
      const raw = Buffer.from([0x73, 0xff])
      writeFileSync(Buffer.concat([Buffer.from(`${out}/`), raw]), SECRET)
      symlinkSync(raw, join(out, '.env'))
      const before = readdirSync(out, 'latin1')
      const error = errorOf(await run(`cat "${out}/.env"`, { [intent]: [out] }))
      expect(error.message).toMatch(/\.env leads to is denied and cannot be hidden here/)
      expect(readdirSync(out, 'latin1')).toEqual(before)
    },
  )
})
