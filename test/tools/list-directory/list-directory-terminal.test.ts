import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'

const TONGS = join(import.meta.dirname, '../../../bin/tongs.cjs')
const EVIL = [
  'esc\u001B[31mred',
  'c1\u009B31m',
  'rtl\u202Etxt.exe',
  'line\nbreak',
  'bell\u0007',
  'tag\u{E0041}',
  'sep\u2028',
]
/** Whatever moves a cursor, turns text around or hides; a line feed ends what is printed. */
const HARMFUL = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u

function list(...options: readonly string[]): string {
  const b = bench(Object.fromEntries(EVIL.map((name) => [name, ''])))
  const args = ['call', 'list_directory', '{"path":"."}', '--root', b.root, ...options]
  return execFileSync(process.execPath, [TONGS, ...args], {
    encoding: 'utf8',
    env: { ...process.env, TONGS_STATE_DIR: b.stateDir },
  })
}

describe('a listing on a terminal', () => {
  it('LD/C-04: file names cannot act on the terminal, and stay readable', () => {
    const printed = list()
    expect(printed).not.toMatch(HARMFUL)
    expect(printed).toContain('txt.exe')
    expect(printed.trimEnd()).not.toContain('\n')
  })

  it('NFR-LD-SEC-02: nor in JSON, where reading it back gives the exact names', () => {
    const printed = list('--json')
    expect(printed).not.toMatch(HARMFUL)
    const { result } = JSON.parse(printed) as { result: { entries: { name: string }[] } }
    expect(new Set(result.entries.map(({ name }) => name))).toEqual(new Set(EVIL))
  })
})
