import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import type { ToolCall } from '../../../src/core/call.ts'

/** A piece of work that a command does: which files it finds, and what it does to them. */
export interface Work {
  /** How many files there are of each kind. */
  readonly many: number
  readonly line: string
  /** The call that does it. */
  readonly calls: readonly ToolCall[]
  /** In the middle of its landing: some files are in place. */
  readonly midLanding: string
  /** In the middle of its undoing: some files are back. */
  readonly midUndoing: string
}

const WIDE_FILES = 6

type Laid = readonly [path: string, mode: number, content: string]

function listFiles(many: number): readonly Laid[] {
  const named = (count: number, name: (at: number) => Laid): readonly Laid[] =>
    Array.from({ length: count }, (_, at) => name(at))
  return [
    ...named(many + 2, (at) => [`text/${at}.txt`, 0o644, `text ${at}\n`]),
    ...named(many, (at) => [`gone/deep/${at}`, 0o600, `gone ${at}\n`]),
    ...named(many, (at) => [`moved/in/${at}`, 0o640, `moved ${at}\n`]),
    ['swap/x/f', 0o644, 'x\n'],
    ['swap/y/f', 0o644, 'y\n'],
    ['turn/into/file', 0o644, 'in a folder\n'],
    ['file', 0o444, 'to be a folder\n'],
    ['run.sh', 0o644, '#!/bin/sh\n'],
    ['kept/one', 0o644, 'kept\n'],
  ]
}

/** Lays out what the command works on. */
export function layWork(root: string, { many }: Work): void {
  for (const [path, mode, content] of listFiles(many)) {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true })
    fs.writeFileSync(join(root, path), content)
    fs.chmodSync(join(root, path), mode)
    // Not all at the same time, and with a part of a second.
    fs.utimesSync(join(root, path), 1e9, 1e9 + path.length + 0.125)
  }
  fs.mkdirSync(join(root, 'empty'))
  fs.symlinkSync('text/0.txt', join(root, 'link'))
  fs.symlinkSync('../nowhere', join(root, 'loose'))
}

/** Creates, changes, deletes and renames files, folders and links. */
function spellLine(many: number): string {
  const numbers = Array.from({ length: many }, (_, at) => at)
  return [
    'set -e',
    `sed -i s/text/TEXT/ ${numbers.map((at) => `text/${at}.txt`).join(' ')}`,
    `echo more >> text/${many}.txt`,
    `mv text/${many + 1}.txt text/seven.txt`,
    'rm -r gone',
    'mv moved elsewhere',
    'mv swap/x swap/t; mv swap/y swap/x; mv swap/t swap/y',
    'rm -r turn; echo now a file > turn',
    'rm -f file; mkdir -p file/sub; echo new > file/sub/new; chmod 555 file/sub',
    'chmod 755 run.sh',
    'rm link; ln -s kept/one link; rm loose; ln -s file new-link',
    'rmdir empty; mkdir -p made/empty made/full',
    `for n in ${numbers.map((at) => at + 1).join(' ')}; do echo $n > made/full/$n; done`,
    'touch -d @900000000 made/full/1',
  ].join('\n')
}

function makeWork(many: number, moments: Pick<Work, 'midLanding' | 'midUndoing'>): Work {
  const line = spellLine(many)
  return {
    many,
    line,
    calls: [{ id: 'w', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }],
    ...moments,
  }
}

/** Some forty changes. */
export const WIDE = makeWork(WIDE_FILES, { midLanding: 'linkSync#10', midUndoing: 'renameSync#12' })
/** One change of each kind, so that each call of the machine can be met. */
export const NARROW = makeWork(1, { midLanding: 'linkSync#5', midUndoing: 'renameSync#6' })

/** A call that changes nothing; preparing it removes what dead processes left. */
export const LOOK: readonly ToolCall[] = [{ id: 'l', name: 'run_shell', args: { cmd: ['true'] } }]
