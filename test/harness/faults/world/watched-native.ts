import { findNative } from '../../../../src/host/native/load-native.ts'
import { NO_FOLDER } from '../../../../src/host/native/native.ts'
import type { Native, NativeName } from '../../../../src/host/native/native.ts'
import { asOneStep, describe, isStopped, look, lookFinely } from './watching.ts'
import type { Stop } from './watching.ts'

/** Makes a step of every native call; a rename and a removal are the same steps as those of Node. */
export function wrapNative(): void {
  const native = findNative()
  if (typeof native === 'string') return
  const { rename, removeFolder, openPlain, openBelow, statAt, isMounted, isFixed } = native
  const { hasAttributes, attributeNames, readAttributes } = native
  const pathOf = ({ folder, name }: NativeName): string =>
    folder === NO_FOLDER ? name : `/proc/${process.pid}/fd/${folder}/${name}`
  const stepped: typeof rename = (from, to, how) =>
    numbered(look('renameSync', describe([pathOf(from), pathOf(to)])), () => rename(from, to, how))
  /** Gives null where it fails, as they do. */
  const asked = <A extends readonly unknown[], T>(name: string, ask: (...args: A) => T | null) => {
    return (...args: A): T | null => {
      if (isStopped(lookFinely(name, describe(args)))) return null
      return asOneStep(() => ask(...args))
    }
  }
  const removed: typeof removeFolder = (path) =>
    numbered(lookFinely('rmdirSync', path), () => removeFolder(path))
  Object.assign(native, {
    rename: stepped,
    removeFolder: removed,
    openPlain: asked('openPlain', openPlain),
    openBelow: asked('openBelow', openBelow),
    statAt: asked('statAt', statAt),
    isMounted: asked('isMounted', isMounted),
    isFixed: asked('isFixed', isFixed),
    hasAttributes: asked('hasAttributes', hasAttributes),
    attributeNames: asked('attributeNames', attributeNames),
    readAttributes: asked('readAttributes', readAttributes),
  } satisfies Native)
}

/** Gives the number of the error where it fails, as they do. */
function numbered(stopping: Stop | null, call: () => number): number {
  if (!isStopped(stopping)) return asOneStep(call)
  const { error } = stopping ?? {}
  if (error instanceof Error && 'errno' in error) return Math.abs(Number(error.errno))
  throw error ?? new Error('stopped without a word')
}
