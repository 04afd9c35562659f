import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import type { ToolCall } from '../../../src/core/call.ts'

const FILES: readonly (readonly [path: string, mode: number, content: string])[] = [
  ...Array.from({ length: 8 }, (_, at) => [`text/${at}.txt`, 0o644, `text ${at}\n`] as const),
  ...Array.from({ length: 5 }, (_, at) => [`gone/deep/${at}`, 0o600, `gone ${at}\n`] as const),
  ...Array.from({ length: 4 }, (_, at) => [`moved/in/${at}`, 0o640, `moved ${at}\n`] as const),
  ['swap/x/f', 0o644, 'x\n'],
  ['swap/y/f', 0o644, 'y\n'],
  ['turn/into/file', 0o644, 'in a folder\n'],
  ['file', 0o444, 'to be a folder\n'],
  ['run.sh', 0o644, '#!/bin/sh\n'],
  ['kept/one', 0o644, 'kept\n'],
]

/** Lays out what the command works on. */
export function layWork(root: string): void {
  for (const [path, mode, content] of FILES) {
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

/** Creates, changes, deletes and renames some forty files, folders and links. */
export const LINE = [
  'set -e',
  'sed -i s/text/TEXT/ text/[0-5].txt',
  'echo more >> text/6.txt',
  'mv text/7.txt text/seven.txt',
  'rm -r gone',
  'mv moved elsewhere',
  'mv swap/x swap/t; mv swap/y swap/x; mv swap/t swap/y',
  'rm -r turn; echo now a file > turn',
  'rm -f file; mkdir -p file/sub; echo new > file/sub/new; chmod 555 file/sub',
  'chmod 755 run.sh',
  'rm link; ln -s kept/one link; rm loose; ln -s file new-link',
  'rmdir empty; mkdir -p made/empty made/full',
  'for n in 1 2 3 4 5 6; do echo $n > made/full/$n; done',
  'touch -d @900000000 made/full/1',
].join('\n')

/** The call that does it. */
export const WORK: readonly ToolCall[] = [{ id: 'w', name: 'run_shell', args: { cmd: ['sh', '-c', LINE] } }]

/** A call that changes nothing; preparing it removes what dead processes left. */
export const LOOK: readonly ToolCall[] = [{ id: 'l', name: 'run_shell', args: { cmd: ['true'] } }]
