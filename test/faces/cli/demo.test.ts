import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TOP } from '../../../scripts/run-tool.ts'
import { makeShop } from './command-line.ts'

it('the tour kills a process in the middle of a commit, comes back whole, explains and takes it back; the README shows it', async () => {
  const shop = makeShop()
  try {
    // Somebody's own settings do not change the tour.
    const { code, out, err } = await shop.tongs(['demo'], { env: { TONGS__TOOLS__MODE: 'disabled' } })
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(
      /ended by SIGKILL\n.*fire\.txt +The fire is bright,\n.*the hammer waits,\n.*the tongs hold on\.\n\n5\. .*\n.*bright,\n.*falls,\n.*fast\.\n/,
    )
    expect(out).toMatch(/apply_patch was allowed and is COMPLETED/)
    expect(out).toMatch(
      /restored: fire\.txt\n +restored: hammer\.txt\n +restored: tongs\.txt\n.*low,\n.*waits,\n.*hold on\./,
    )
    expect(out).toMatch(
      /rm -r sparks: ok, and sparks is gone\n +recreated: sparks\/one\.txt, and sparks is there\n/,
    )
    expect(out).toMatch(/an unbroken chain/)
    const [, shown = ''] =
      /```console\n(4\. .*?)```/s.exec(readFileSync(join(TOP, 'README.md'), 'utf8')) ?? []
    const printed = out.split('\n')
    let at = 0
    for (const line of shown.trimEnd().split('\n')) {
      at = printed.indexOf(line, at)
      expect(at, `the tour prints ${JSON.stringify(line)} at its place`).toBeGreaterThan(-1)
    }
    expect(shown.split('\n').length).toBeGreaterThan(15)
  } finally {
    shop.remove()
  }
})
