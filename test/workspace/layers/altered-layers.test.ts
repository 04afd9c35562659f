import { chmodSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createWithAttributes, readAttributes } from '../../../src/host/fs/attributes.ts'
import { writeArchive } from '../../../src/host/fs/pax.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import { useShops } from '../../faces/cli/command-line.ts'
import { shellCall } from '../../faces/cli/land-command.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'

const LINE = 'echo shown > f.txt; ln -s f.txt link'
const BEFORE = { 'f.txt': 'before\n' }

/** Where the only command of a state folder left what it changed. */
function upperIn(stateDir: string): string {
  const layers = join(stateDir, 'layers')
  return join(layers, readdirSync(layers)[0] ?? '', '0/upper')
}

const attributed = (upper: string, attributes: Readonly<Record<string, string>>): void => {
  const values = Object.entries(attributes).map(
    ([name, value]) => [name, Buffer.from(value, 'latin1')] as const,
  )
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  const file = { name: 'f.txt', content: Buffer.from('shown\n'), mode: 0o644, uid, gid }
  expect(createWithAttributes(upper, { ...file, attributes: new Map(values) })).toBe(true)
}

/** An access list by which user 9999 may read and write. */
const LIST =
  '\x02\0\0\0\x01\0\x06\0\xff\xff\xff\xff\x02\0\x06\0\x0f\x27\0\0\x04\0\x04\0\xff\xff\xff\xff\x10\0\x04\0\xff\xff\xff\xff\x20\0\x04\0\xff\xff\xff\xff'

const ALTERED: readonly (readonly [what: string, alter: (upper: string) => void])[] = [
  ['another content', (upper) => writeFileSync(join(upper, 'f.txt'), 'forged\n')],
  ['a mode', (upper) => chmodSync(join(upper, 'f.txt'), 0o777)],
  ['an attribute', (upper) => attributed(upper, { 'user.note': 'forged' })],
  ['an access list', (upper) => attributed(upper, { 'system.posix_acl_access': LIST })],
  [
    'where a link leads',
    (upper) => {
      rmSync(join(upper, 'link'))
      symlinkSync('/etc/passwd', join(upper, 'link'))
    },
  ],
  ['a file that is gone', (upper) => rmSync(join(upper, 'f.txt'))],
]

it.for(ALTERED)(
  'what another program put on a layer while a person was asked does not land: %s',
  async ([, alter]) => {
    const b = bench(BEFORE)
    const result = await b.call(
      'run_shell',
      { cmd: ['sh', '-c', LINE] },
      {
        approve: (asked) => {
          alter(upperIn(b.stateDir))
          return asked.map(() => 'once' as const)
        },
      },
    )
    expect(errorOf(result).message).toMatch(/no longer on its layer as it was approved, so nothing landed/)
    expect(readdirSync(b.root)).toEqual(['f.txt'])
    expect(readFileSync(join(b.root, 'f.txt'), 'utf8')).toBe('before\n')
  },
)

const shop = useShops()

it.for(ALTERED)('nor what it put there while a landing waited for its answer: %s', async ([, alter]) => {
  const s = shop(BEFORE)
  expect((await s.batch([shellCall(LINE)])).code).toBe(4)
  alter(upperIn(s.stateDir))
  const { rows } = await s.tongs(['approve', 'all', '--json'])
  expect(outcomes(rows)).toEqual(['execution_failed'])
  expect(readdirSync(s.root)).toEqual(['f.txt'])
  expect(s.get('f.txt')).toBe('before\n')
})

it('an attribute that the command itself set lands with the yes', async () => {
  const s = shop(BEFORE)
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  const attributes = new Map([['user.note', Buffer.from('by the command')]])
  const file = { name: 'f.txt', content: Buffer.from('shown\n'), mode: 0o644, uid, gid, attributes }
  writeFileSync(join(s.root, 'f.tar'), writeArchive(file))
  expect((await s.batch([shellCall("tar -xf f.tar --xattrs '--xattrs-include=*'")])).code).toBe(4)
  const { rows } = await s.tongs(['approve', 'all', '--json'])
  expect(outcomes(rows)).toEqual(['ok'])
  expect(s.get('f.txt')).toBe('shown\n')
  const landed = readAttributes(join(s.root, 'f.txt'))
  expect(Buffer.from(landed?.get('user.note') ?? []).toString()).toBe('by the command')
})
