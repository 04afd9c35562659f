import childProcess from 'node:child_process'
import type { SpawnSyncReturns } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { findNative } from '../../../../src/host/native/load-native.ts'
import { unwatched } from '../world/watching.ts'

// Asks the system which files have attributes instead of starting tar for it: that takes longer than all the rest.
const { spawnSync } = childProcess
const native = findNative()

const answer = (_program: string, args: readonly string[] = [], ...rest: unknown[]): unknown => {
  const start = spawnSync as (...given: readonly unknown[]) => SpawnSyncReturns<Buffer>
  if (args[0] !== '-cvvP' || typeof native === 'string') return start(_program, args, ...rest)
  const paths = args.slice(args.indexOf('--') + 1)
  const lines = paths.map((path) => {
    const has = unwatched(() => native.hasAttributes(path))
    return has === null ? '' : `-rw-r--r--${has ? '*' : ' '} ${path}\n`
  })
  return { status: lines.includes('') ? 2 : 0, stdout: Buffer.from(lines.join('')) }
}

Object.assign(childProcess, { spawnSync: answer })
syncBuiltinESMExports()
