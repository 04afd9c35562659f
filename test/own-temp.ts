import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOpenToOthers } from './harness/open-to-others.ts'

let temp = ''

/** Gives the whole run one temporary folder: whatever a test leaves in it goes with it. */
export function setup(): void {
  const isRoot = process.getuid?.() === 0
  temp = mkdtempSync(join(realpathSync(isRoot ? findOpenPlace() : tmpdir()), 'tongs-'))
  // Root also tests as somebody else, who has to get at it and may not meddle with what root puts there.
  if (isRoot) chmodSync(temp, 0o1777)
  process.env['TMPDIR'] = temp
}

/** Takes it away again. */
export function teardown(): void {
  rmSync(temp, { recursive: true, force: true })
}

/** The usual temporary folder, unless only root gets there. */
function findOpenPlace(): string {
  const places = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']
  const open = places.find(isOpenToOthers)
  if (open === undefined)
    throw new Error(`The tests need a temporary folder that everybody can reach; none of ${places} is one.`)
  return open
}
