import { chmodSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Lets the processes that tests start share compiled code and bundles: hundreds of them load the same sources. */
export function setup(): void {
  const folder = join(tmpdir(), 'compile-cache')
  mkdirSync(folder)
  // Root also tests as somebody else; Node keeps the code of each user apart.
  if (process.getuid?.() === 0) chmodSync(folder, 0o1777)
  process.env['NODE_COMPILE_CACHE'] = folder
  process.env['FAULT_PROGRAMS'] = join(tmpdir(), 'fault-programs')
}
