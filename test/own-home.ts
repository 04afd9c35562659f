import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let home = ''

/** Gives the whole run a home of its own, so that no test meets or changes a person's configuration and state. */
export function setup(): void {
  home = mkdtempSync(join(tmpdir(), 'tongs-home-'))
  for (const name of Object.keys(process.env))
    if (name.startsWith('TONGS_') && name !== 'TONGS_LONG') delete process.env[name]
  process.env['HOME'] = home
  process.env['XDG_CONFIG_HOME'] = join(home, 'config')
  process.env['XDG_STATE_HOME'] = join(home, 'state')
  process.env['NO_COLOR'] = '1'
}

/** Takes the home away again. */
export function teardown(): void {
  rmSync(home, { recursive: true, force: true })
}
