import { createRequire } from 'node:module'
import { errnoOf } from '../fs/errno.ts'
import { platform } from '../system/platform.ts'
import { createNative } from './create-native.ts'
import type { ForeignFunctions } from './create-native.ts'
import { createMountCalls } from './mount-calls.ts'
import type { MountCalls } from './mount-calls.ts'
import type { Native } from './native.ts'

/** Why native code is not used. */
export type NativeAbsence = 'turned off' | 'not for this system' | 'not installed' | 'not usable here'

/**
 * Gives native code: null if there is none, and until it was asked for often enough to pay for loading it, or for
 * something that nothing else can do.
 */
export type NativeSource = (why?: 'needed') => Native | null

/** Loading takes some milliseconds, and each use saves some microseconds. */
const WORTH_LOADING = 400

let found: Native | NativeAbsence | null = null
let uses = 0

/** Loads native code if it is there; says why not otherwise. Tried once. */
export function findNative(): Native | NativeAbsence {
  if (isTurnedOff()) return 'turned off'
  found ??= load()
  return found
}

/** Does everything without native code. */
export const WITHOUT_NATIVE: NativeSource = () => null

/** The native code of this process, unless the environment turns it off. */
export function nativeSource(): NativeSource {
  return isTurnedOff() ? WITHOUT_NATIVE : loadIfWorthwhile
}

function isTurnedOff(): boolean {
  return process.env['TONGS_NATIVE'] === 'off'
}

function loadIfWorthwhile(why?: 'needed'): Native | null {
  if (found === null && ++uses < WORTH_LOADING && why === undefined) return null
  found ??= load()
  return typeof found === 'string' ? null : found
}

/** The processors for which the package is installed, as Node names them. */
const PROCESSORS = new Set(['x64', 'arm64'])

/** The calls that change what is mounted; null if there is no native code. */
export function findMountCalls(): MountCalls | null {
  if (isTurnedOff()) return null
  const calls = (mountCalls ??= bind(createMountCalls))
  return typeof calls === 'string' ? null : calls
}

let mountCalls: MountCalls | NativeAbsence | null = null

function load(): Native | NativeAbsence {
  return bind(createNative)
}

function bind<Calls>(create: (foreign: ForeignFunctions) => Calls): Calls | NativeAbsence {
  if (platform !== 'linux' || !PROCESSORS.has(process.arch)) return 'not for this system'
  try {
    // The package of one platform is loaded by itself: the one for all of them takes three times as long.
    const library: unknown = createRequire(import.meta.url)(`@koromix/koffi-linux-${process.arch}`)
    return create(library as ForeignFunctions)
  } catch (error) {
    return errnoOf(error) === 'MODULE_NOT_FOUND' ? 'not installed' : 'not usable here'
  }
}
