import { openSync, closeSync } from 'node:fs'
import { ToolFailure } from '../../../src/core/error.ts'
import { readFolderNames } from '../../../src/host/fs/folders.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { findWay } from '../../../src/host/way/find-way.ts'

const path = process.argv[2] ?? ''
const root = openRoot(path)
const hoard: number[] = []

function codeOf(run: () => unknown): string {
  try {
    run()
    return 'done'
  } catch (error) {
    if (error instanceof ToolFailure) return error.error.code
    throw error
  }
}

function takeAll(): void {
  try {
    for (;;) hoard.push(openSync('/dev/null', 'r'))
  } catch {
    // That was the last one.
  }
}

takeAll()
const codes = {
  open: codeOf(() => root.openFile('d/f.txt')),
  list: codeOf(() => root.list('d')),
  resolve: codeOf(() => root.resolve('d/f.txt')),
  walk: codeOf(() => root.walk('', () => 'enter')),
  way: codeOf(() => findWay(path)),
  names: codeOf(() => readFolderNames(path)),
  create: codeOf(() => root.createExclusive('new.txt', 0o600)),
}
for (const fd of hoard) closeSync(fd)
const after = codeOf(() => root.openFile('d/f.txt').close())
process.stdout.write(JSON.stringify({ ...codes, after }))
