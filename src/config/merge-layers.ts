import { KEY_NAMES, SPECS } from './keys.ts'
import type { Key, Profile } from './keys.ts'
import { defaultOf } from './keys/key-spec.ts'
import type { Authority, Layer } from './layer.ts'
import { LOOSENED_BY_PRESETS } from './presets.ts'
import { printedValue, showValue } from './show-value.ts'

/** Every key's value, where it comes from, and notices about what was left out. */
export interface Merged {
  readonly values: Map<Key, unknown>
  readonly origin: Map<Key, string>
  readonly notices: string[]
}

/** A value and where it comes from. */
export interface Held {
  readonly value: unknown
  readonly origin: string
}

/** Merges the layers over the defaults, weakest first. */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const merged: Merged = { values: new Map(), origin: new Map(), notices: [] }
  // The profile decides the defaults of all other keys, so it is settled first.
  const chosen = mergeKey('profile', defaultOf(SPECS.profile, 'agent'), layers, merged.notices)
  const own = layers.filter(({ authority }) => authority === 'own')
  const isOwnChoice = mergeKey('profile', defaultOf(SPECS.profile, 'agent'), own, []).value === chosen.value
  const startOf = (key: Key): Held => {
    const profile: Profile = chosen.value === 'strict' ? 'strict' : 'agent'
    const start = defaultOf(SPECS[key], profile)
    // If a layer may only tighten, those defaults of its profile that would loosen do not apply.
    return isOwnChoice
      ? start
      : { ...start, value: SPECS[key].kind.tighten(SPECS[key].agent, start.value).value }
  }
  for (const key of KEY_NAMES) {
    const held = key === 'profile' ? chosen : mergeKey(key, startOf(key), layers, merged.notices)
    merged.values.set(key, held.value)
    merged.origin.set(key, held.origin)
  }
  return merged
}

function mergeKey(key: Key, start: Held, layers: readonly Layer[], notices: string[]): Held {
  let held = start
  for (const layer of layers) {
    if (!layer.values.has(key)) continue
    held =
      reachOf(key, layer.authority) === 'anything'
        ? applyLayer(key, held, layer)
        : tighten(key, held, layer, notices)
    if (layer.authority === 'preset') held = keepProjectTightness(key, held, layers)
  }
  return held
}

function reachOf(key: Key, authority: Authority): 'anything' | 'tighter' | 'nothing' {
  const { fromProject } = SPECS[key]
  if (authority === 'own') return 'anything'
  if (authority === 'preset') return LOOSENED_BY_PRESETS.has(key) ? 'anything' : 'tighter'
  if (authority === 'managed') return 'tighter'
  return authority === 'project' && fromProject === 'anything' ? 'tighter' : fromProject
}

function applyLayer(key: Key, held: Held, layer: Layer): Held {
  const given = layer.values.get(key)
  const value = SPECS[key].kind.layer(held.value, given)
  return { value, origin: sameValue(value, given) ? layer.name : joinOrigins(held.origin, layer.name) }
}

function tighten(key: Key, held: Held, layer: Layer, notices: string[]): Held {
  const { kind } = SPECS[key]
  const written = layer.values.get(key)
  const given = layer.authority === 'project' ? (kind.markProject?.(written) ?? written) : written
  const { value, refused } =
    reachOf(key, layer.authority) === 'nothing'
      ? { value: held.value, refused: given }
      : kind.tighten(held.value, given)
  if (refused !== undefined) notices.push(describeRefusal(key, held.value, refused, layer))
  if (sameValue(value, held.value)) return { ...held, value }
  return { value, origin: sameValue(value, given) ? layer.name : joinOrigins(held.origin, layer.name) }
}

/** A preset is chosen for any project, so what this project tightens still applies under it. */
function keepProjectTightness(key: Key, held: Held, layers: readonly Layer[]): Held {
  return layers
    .filter(({ authority, values }) => isFromProject(authority) && values.has(key))
    .reduce((tightened, layer) => tighten(key, tightened, layer, []), held)
}

/** Whether a layer is the project's file, trusted or not. */
export function isFromProject(authority: Authority): boolean {
  return authority === 'project' || authority === 'trusted project'
}

function describeRefusal(key: Key, base: unknown, refused: unknown, layer: Layer): string {
  const what = `${layer.locate(key)}: ${key} = ${showValue(printedValue(key, refused))} is ignored`
  return `${what}: ${reasonFor(key, base)}. ${adviceFor(key, layer.authority)}`
}

function reasonFor(key: Key, base: unknown): string {
  const { kind, fromProject } = SPECS[key]
  if (kind.tighter === 'never' || fromProject === 'nothing')
    return 'this key is not for files that may only tighten'
  if (kind.tighter === 'add') return 'rules of this type let more happen, and this file may only tighten'
  if (kind.tighter === 'subset')
    return `this file may only take away from what is in force, ${showValue(base)}${kind.keepsFirst === true ? ', and not its first entry' : ''}`
  return `it is looser than what is in force, ${showValue(base)}`
}

function adviceFor(key: Key, authority: Authority): string {
  if (authority === 'managed' || authority === 'preset')
    return SPECS[key].kind.tighter === 'subset'
      ? 'Only entries that are in both count.'
      : 'The value in force stays.'
  if (SPECS[key].fromProject !== 'anything')
    return 'Set it in your own file or on the command line if you want it.'
  return 'If you want it, read the file and run "tongs trust".'
}

function joinOrigins(first: string, second: string): string {
  return first.endsWith(second) ? first : `${first} + ${second}`
}

function sameValue(first: unknown, second: unknown): boolean {
  return JSON.stringify(first) === JSON.stringify(second)
}
