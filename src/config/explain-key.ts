import { isKey, KEY_NAMES, SECTIONS, SPECS } from './keys.ts'
import type { Key } from './keys.ts'
import type { Unit } from './keys/key-spec.ts'
import type { LoadedSettings } from './settings-input.ts'
import { unknownKey, describeFault } from './describe-fault.ts'
import { printedValue } from './show-value.ts'

/** Everything known about one key and its value. */
export interface KeyExplanation {
  readonly ok: true
  readonly key: Key
  readonly value: unknown
  readonly from: string
  readonly type: string
  readonly default: { readonly agent: unknown; readonly strict: unknown }
  readonly tighter: string
  readonly requirement: readonly string[]
  readonly sentence: string
  readonly unit: Unit | null
}

export interface UnknownKey {
  readonly ok: false
  readonly message: string
  readonly hint: string
}

/** Explains what a key means, what its value is and where it comes from. */
export function explainKey(loaded: LoadedSettings, name: string): KeyExplanation | UnknownKey {
  if (!isKey(name)) return explainUnknown(name)
  const spec = SPECS[name]
  return {
    ok: true,
    key: name,
    value: printedValue(name, loaded.settings[name]),
    from: loaded.origin[name],
    type: spec.kind.expected,
    default: { agent: spec.agent, strict: spec.strict },
    tighter: describeTighter(name),
    requirement: spec.ids,
    sentence: spec.description,
    unit: spec.unit,
  }
}

/** Which direction tightens a key's value, in words. */
export function describeTighter(key: Key): string {
  const { kind } = SPECS[key]
  const words: Readonly<Record<typeof kind.tighter, string>> = {
    lower: kind.isZeroUnlimited === true ? 'lower (0 is no limit)' : 'lower',
    higher: 'higher',
    subset: 'fewer entries',
    add: 'more entries',
    never: 'out of reach',
    order: (kind.words ?? []).join(' < '),
    true: 'true',
    false: 'false',
  }
  return words[kind.tighter]
}

function explainUnknown(name: string): UnknownKey {
  if (!SECTIONS.has(name)) {
    const { key, message, hint = '' } = describeFault(name, { path: [], ...unknownKey(name) })
    return { ok: false, message: `${key}: ${message}`, hint }
  }
  const inside = KEY_NAMES.filter((key) => key.startsWith(`${name}.`))
  return { ok: false, message: `${name} is a section, not a key`, hint: `it holds ${inside.join(', ')}` }
}
