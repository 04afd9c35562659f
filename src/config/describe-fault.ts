import { nearest } from '../core/text/nearest.ts'
import { KEY_NAMES, SECTIONS } from './keys.ts'
import type { Fault } from './kinds/value-kind.ts'
import { pathText } from './toml/locate-keys.ts'
import { describeFound, describeType, escapeInvisible, mayHoldSecrets, showValue } from './show-value.ts'

/** A fault in words: the location, the sentence that follows its name, and what to do about it. */
export function describeFault(
  key: string,
  fault: Fault,
): { readonly key: string; readonly message: string; readonly hint?: string } {
  const { path, message, found, meant } = fault
  const close = typeof meant?.given === 'string' ? nearest(meant.given, meant.among) : null
  const isQuoted = found !== undefined && !mayHoldSecrets(key)
  // A hint about a value repeats it.
  const own = found === undefined || isQuoted ? fault.hint : undefined
  const hint = close === null ? own : `did you mean ${close}?`
  const says = isQuoted ? describeFound : describeType
  const end = found === undefined ? '' : `; found ${says(found.value)}`
  const sentence = { key: showName(pathText([key, ...path])), message: `${escapeInvisible(message)}${end}` }
  return hint === undefined ? sentence : { ...sentence, hint: escapeInvisible(hint) }
}

/** What is wrong with an unknown key, and which one was probably meant. */
export function unknownKey(name: string): Omit<Fault, 'path'> {
  return {
    message: 'there is no such key',
    meant: { given: name, among: [...KEY_NAMES, ...SECTIONS] },
    hint: 'run "tongs config" to see every key',
  }
}

function showName(name: string): string {
  return /^[\w.-]{1,100}$/.test(name) ? name : showValue(name)
}
