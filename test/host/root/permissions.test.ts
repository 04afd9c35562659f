import { chmodSync, readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { runOrdinary } from '../../harness/ordinary-user.ts'
import { makeScratch } from '../../harness/scratch.ts'

it('tells an ordinary user what may not be read or changed, and changes nothing', () => {
  const scratch = makeScratch()
  chmodSync(scratch.path, 0o755)
  const modes: readonly (readonly [string, number])[] = [
    ['unreadable.txt', 0o000],
    ['closed', 0o000],
    ['names-only', 0o444],
    ['search-only', 0o711],
    ['read-only', 0o555],
    ['open', 0o777],
  ]
  for (const [name] of modes) {
    if (name.endsWith('.txt')) scratch.file(name)
    else scratch.file(`${name}/f.txt`, 'text')
  }
  // A folder of its own owner shows it too; one that is nobody's and one of root's must not differ.
  for (const [name, mode] of modes) chmodSync(scratch.at(name), mode)
  if (process.getuid?.() !== 0) chmodSync(scratch.at('search-only'), 0o111)
  onTestFinished(() => {
    for (const [name] of modes) chmodSync(scratch.at(name), 0o755)
  })

  expect(runOrdinary(new URL('permissions-child.ts', import.meta.url), scratch.path)).toEqual({
    readUnreadable: 'execution_failed EACCES',
    readInUnsearchable: 'execution_failed EACCES',
    readInUnlistable: 'text',
    resolveInUnsearchable: 'execution_failed EACCES',
    listUnlistable: 'execution_failed EACCES',
    listClosed: 'execution_failed EACCES',
    walkClosed: 'execution_failed EACCES',
    walkAll: [
      'closed:dir:seen',
      'closed:unknown:read_dir_failed',
      'names-only:dir:seen',
      'names-only/f.txt:file:permission_denied',
      'open:dir:seen',
      'open/f.txt:file:seen',
      'read-only:dir:seen',
      'read-only/f.txt:file:seen',
      'search-only:dir:seen',
      'search-only:unknown:read_dir_failed',
      'unreadable.txt:file:seen',
    ],
    create: 'execution_failed EACCES',
    mkdir: 'execution_failed EACCES',
    rename: 'execution_failed EACCES',
    unlink: 'execution_failed EACCES',
    isWritable: [false, false, true],
    closedRoot: 'execution_failed EACCES',
  })
  chmodSync(scratch.at('read-only'), 0o755)
  expect(readFileSync(scratch.at('read-only/f.txt'), 'utf8')).toBe('text')
})
