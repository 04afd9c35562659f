import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { pathsOf } from '../list-directory/listing.ts'
import type { Touch, Watched } from './watched-calls.ts'

const FILES = {
  'a.txt': 'red\n',
  'b.bin': Uint8Array.of(0, 1),
  'd/f': '',
  ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`many/m${10 + index}/e/f`, ''])),
}

const CALLS = {
  text: ['read_file', { path: 'a.txt' }],
  binary: ['read_file', { path: 'b.bin' }],
  missing: ['read_file', { path: 'missing' }],
  up: ['list_directory', { path: '../beyond' }],
  link: ['list_directory', { path: 'exit' }],
  linkBelow: ['list_directory', { path: 'd/way-out' }],
  remote: ['list_directory', { path: 'remote' }],
  below: ['list_directory', { path: 'd', recursive: true }],
  flat: ['list_directory', { path: 'many' }],
  two: ['list_directory', { path: 'many', recursive: true, max_depth: 2 }],
  few: ['list_directory', { path: 'many', recursive: true, max_entries: 5 }],
} as const

type Id = keyof typeof CALLS

let watched: Watched = { results: [], touched: [], connections: [], caught: [] }

/** Runs the calls once, in a process whose files are watched and that has no network. */
beforeAll(() => {
  const b = bench(FILES)
  const outside = join(b.top, 'beyond')
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret-name'), '')
  symlinkSync(outside, join(b.root, 'exit'))
  symlinkSync('../../beyond', join(b.root, 'd', 'way-out'))
  symlinkSync('/net/somewhere', join(b.root, 'remote'))
  const calls = Object.entries(CALLS).map(([id, [name, args]]) => ({ id, name, args }))
  const child = join(import.meta.dirname, 'watched-calls.ts')
  const input = JSON.stringify({ top: b.top, calls })
  watched = JSON.parse(
    execFileSync(process.execPath, [child, input], { encoding: 'utf8', timeout: PATIENCE_MS }),
  ) as Watched
})

function indexOf(id: Id): number {
  return Object.keys(CALLS).indexOf(id)
}

function resultOf(id: Id): ToolResult | undefined {
  return watched.results[indexOf(id)]
}

function touchesOf(id: Id): readonly Touch[] {
  return watched.touched[indexOf(id)] ?? []
}

function countUses(id: Id, name: string): number {
  return touchesOf(id).filter(([used]) => used === name).length
}

/** That the traps are real is seen by trying some of them. */
const CAUGHT = ['socket.connect', 'dns.lookup', 'http.get', 'global.fetch']

describe('the network', () => {
  it('SRD/C-04: reading and listing work without it, and the process never tried it', () => {
    for (const id of ['text', 'binary', 'below'] as const) expect(resultOf(id)?.ok).toBe(true)
    expect(errorOf(resultOf('missing')).code).toBe('execution_failed')
    expect(watched.connections).toEqual([])
    expect(watched.caught).toEqual(CAUGHT)
  })

  it('LD/C-05: a listing does not try it, not even for a link that looks like another machine', () => {
    expect(errorOf(resultOf('remote')).code).toBe('path_outside_sandbox')
    for (const id of ['flat', 'two', 'few'] as const) expect(resultOf(id)?.ok).toBe(true)
    expect([watched.connections, watched.caught]).toEqual([[], CAUGHT])
  })
})

describe('what a listing touches', () => {
  it('LD/C-02: a path is refused without a look at where it leads', () => {
    for (const id of ['up', 'link', 'linkBelow'] as const) {
      expect(errorOf(resultOf(id)).code).toBe('path_outside_sandbox')
      expect(
        touchesOf(id)
          .filter(([name]) => name === 'readdirSync' || name === 'openSync')
          .flat(),
      ).toEqual([])
    }
    expect(countUses('below', 'readdirSync')).toBeGreaterThan(0)
  })

  it('NFR-LD-SEC-01: nothing outside the root is ever asked for, whichever way a path points', () => {
    const paths = watched.touched.flat().map(([, path]) => path)
    expect(paths.length).toBeGreaterThan(50)
    expect(
      paths.filter((path) => path.includes('beyond') || path.includes('..') || path.includes('/net')),
    ).toEqual([])
    expect(pathsOf(resultOf('below'))).toEqual(['f', 'way-out'])
    expect(JSON.stringify(watched.results)).not.toContain('secret-name')
  })

  it('NFR-LD-PERF-01: no more folders than the depth and the number of entries need', () => {
    expect([outputOf(resultOf('flat'))['returned'], countUses('flat', 'readdirSync')]).toEqual([40, 1])
    expect([outputOf(resultOf('two'))['returned'], countUses('two', 'readdirSync')]).toEqual([80, 41])
    expect(outputOf(resultOf('few'))).toMatchObject({ returned: 5, truncated: true })
    expect(countUses('few', 'readdirSync')).toBeLessThanOrEqual(6)
    expect(countUses('few', 'lstatSync')).toBeLessThan(20)
  })
})
