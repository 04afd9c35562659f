import { chownSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { cleanUpWith } from '../../harness/clean-up.ts'
import { makeShop } from './command-line.ts'

it.runIf(process.getuid?.() === 0)(
  'with the home of another user, commands say what to do, doctor names the state folder, and nothing is made there',
  async () => {
    const s = makeShop({ 'a.txt': 'one\n' })
    cleanUpWith(s.remove)
    const home = join(dirname(s.root), 'theirs')
    mkdirSync(home)
    chownSync(home, 12_345, 12_345)
    const theirs = { env: { HOME: home, TONGS_STATE_DIR: '', XDG_STATE_HOME: '', XDG_CONFIG_HOME: '' } }
    const called = await s.tongs(['call', 'read_file', '{"path":"a.txt"}'], theirs)
    expect(called.code).not.toBe(0)
    expect(called.err).toContain(
      `other users can rename what is in ${home}. Set HOME to your own home folder`,
    )
    const doctor = await s.tongs(['doctor'], theirs)
    expect(doctor.out).toMatch(/!! {2}state folder .*\n.*sudo -H/)
    expect(readdirSync(home)).toEqual([])
  },
)
