import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Confinement } from '../../../../src/host/confine/confinement.ts'
import { checkMounted } from '../../../../src/host/confine/held/check-mounted.ts'
import { findPlace } from '../../../../src/host/confine/held/held-place.ts'
import type { Mount } from '../../../../src/host/confine/mount.ts'
import { roundsOf, someOf } from '../../../harness/long-run.ts'
import { openCommandBench } from '../../run/command-bench.ts'
import type { CommandBench } from '../../run/command-bench.ts'
import { runGrantedSwaps } from './run-granted-swaps.ts'

const COMMANDS = roundsOf(4, 60)

describe('what a command was granted, while another process exchanges it for a link', () => {
  it.for(someOf(['root', 'ordinary'] as const, 1))(
    'is all that it reads and writes, and what is denied in it stays hidden (as %s)',
    async (who) => {
      const swaps = await runGrantedSwaps(who, 'held', COMMANDS)
      expect(swaps.uid === 0).toBe(who === 'root' && process.getuid?.() === 0)
      expect(swaps).toMatchObject({ leaked: 0, held: COMMANDS, first: 'held', isDamaged: false })
    },
  )

  it('would not be if it were mounted by its name', async () => {
    const { leaked, isDamaged } = await runGrantedSwaps('root', 'control', 0)
    expect(leaked > 0 || isDamaged).toBe(true)
  })
})

describe('a folder that a command was granted', () => {
  let b: CommandBench
  let folder: string
  beforeAll(async () => {
    b = await openCommandBench()
    folder = join(dirname(b.root), 'granted')
    mkdirSync(join(folder, 'a b'), { recursive: true })
    writeFileSync(join(folder, 'a b', '.env'), 'DENIED')
    writeFileSync(join(folder, 'plain'), 'plain')
  })
  afterAll(() => b.close())

  const grant = (masked: readonly string[] = []): Promise<Confinement> => {
    const place = findPlace(folder)
    if (place === null) throw new Error('no folder')
    const judged = new Map([[folder, { ...place, isGranted: true }]])
    return b.confine({ read: [folder], masked, judged })
  }

  it('shows there, with what is denied hidden, and no descriptor of it is left to the command', async () => {
    const confinement = await grant([join(folder, 'a b', '.env')])
    const end = await b.sh(`cat '${folder}/plain' '${folder}/a b/.env'; ls -l /proc/self/fd`, { confinement })
    expect(end.stdout).toContain('plain')
    expect(end.stdout).not.toContain('DENIED')
    expect(end.stdout).not.toContain('granted')
  })

  it('is not shown to a command, which does not start, if another folder or a link has its name', async () => {
    const confinement = await grant()
    const away = `${folder}.away`
    renameSync(folder, away)
    for (const put of [() => mkdirSync(folder), () => symlinkSync(away, folder)]) {
      put()
      await expect(b.sh('true', { confinement })).rejects.toThrow('changed while its sandbox was set up')
      renameSync(folder, `${folder}.other-${Date.now()}`)
    }
    renameSync(away, folder)
    expect((await b.sh(`cat '${folder}/plain'`, { confinement })).stdout).toBe('plain')
  })

  it('keeps a command from starting if it, or what hides something in it, is not mounted at its place', async () => {
    const confinement = await grant([join(folder, 'a b', '.env')])
    const granted = findPlace(folder)
    if (granted === null) throw new Error('no folder')
    const { real, identity } = granted
    const shown: Mount = { kind: 'read', at: real, identity }
    const hidden = (name: string): Mount => ({ kind: 'hide-file', at: join(real, name) })
    const start = async (...mounts: readonly Mount[]): Promise<string> =>
      (await b.run([...checkMounted(mounts, [granted]), 'echo', 'started'], { confinement })).stdout
    expect(await start(shown, hidden('a b/.env'))).toBe('started\n')
    expect(await start(shown, hidden('plain'))).toBe('')
    expect(await start({ kind: 'read', at: join(real, 'a b'), identity })).toBe('')
  })

  it('is not shown if a denied name in it was replaced since it was looked at', async () => {
    const confinement = await grant([join(folder, 'a b', '.env')])
    renameSync(join(folder, 'a b'), join(folder, 'c'))
    symlinkSync('c', join(folder, 'a b'))
    await expect(b.sh('true', { confinement })).rejects.toThrow('was replaced while the sandbox was set up')
  })
})
