import { Buffer } from 'node:buffer'
import type { Attributes } from '../../host/fs/pax.ts'
import { ACCESS_LIST, describeList, listWithMode } from '../../host/root/access-list.ts'
import { showPath } from '../../host/root/rel-path.ts'
import type { Digest, FileChange, FileState } from '../../journal/entries/entry.ts'
import { CAPABILITIES, SPECIAL_BITS } from '../staging/special-rights.ts'
import { parseAttributes } from './attribute-cache.ts'

export type { Attributes }

/** Who may do what with a file, and what else is noted of it. */
export interface Access {
  readonly mode: number
  readonly attributes: Attributes
}

/** What both sides together give, or why they do not go together. */
export type MergedAccess = (Access & { readonly ok: true }) | { readonly ok: false; readonly why: string }

const GROUP = 0o070
/** What the system labels by itself. */
const LABELS = /^security\.(?!capability$)/

/** Whether an attribute is none that a person or program gave a file. */
export function isLabel(name: string): boolean {
  return LABELS.test(name)
}

/**
 * Takes what lies between `base` and `wanted` over to a file as it is now: what has changed since stays, and what both changed
 * is a conflict. The rights of a group are the limit of an access list, so they are judged with it.
 */
export function mergeAccess(base: Access, wanted: Access, now: Access): MergedAccess {
  const mode = mergeModes(base.mode, wanted.mode, now.mode)
  if (mode === null) return { ok: false, why: 'both changed its mode' }
  const attributes = new Map(now.attributes)
  for (const name of namesOf(base.attributes, wanted.attributes)) {
    const [was, to, is] = [base, wanted, now].map((side) => side.attributes.get(name))
    if (isSameValue(was, to) || isSameValue(is, to)) continue
    if (!isSameValue(is, was)) return { ok: false, why: `both changed its attribute ${showPath(name)}` }
    setValue(attributes, name, to)
  }
  const [was, to, is] = [base, wanted, now].map((side) => describeList(side.attributes))
  if (was !== to && is !== to) {
    const isStill = is === was && (now.mode & GROUP) === (base.mode & GROUP)
    if (!isStill) return { ok: false, why: 'both changed its access list' }
    setValue(attributes, ACCESS_LIST, wanted.attributes.get(ACCESS_LIST))
  }
  return { ok: true, mode, attributes: withMode(attributes, mode) }
}

/** The mode that both sides together give; null if they disagree. */
export function mergeModes(base: number, wanted: number, now: number): number | null {
  if (now === base) return wanted
  return wanted === base || wanted === now ? now : null
}

/** Attributes whose access list says the same as a mode. */
export function withMode(attributes: Attributes, mode: number): Attributes {
  const list = attributes.get(ACCESS_LIST)
  return list === undefined ? attributes : new Map([...attributes, [ACCESS_LIST, listWithMode(list, mode)]])
}

/** In what attributes differ, as it is named to people. */
export function nameDifferences(one: Attributes, other: Attributes): readonly string[] {
  const differing = namesOf(one, other).filter((name) => !isSameValue(one.get(name), other.get(name)))
  const lists = describeList(one) === describeList(other) ? [] : ['its access list']
  return [...lists, ...differing.map(showPath)]
}

/** The names of attributes, but for access lists and labels. */
function namesOf(one: Attributes, other: Attributes): readonly string[] {
  const names = new Set([...one.keys(), ...other.keys()])
  return [...names].filter((name) => name !== ACCESS_LIST && !isLabel(name)).toSorted()
}

function setValue(attributes: Map<string, Uint8Array>, name: string, value: Uint8Array | undefined): void {
  if (value === undefined) attributes.delete(name)
  else attributes.set(name, value)
}

function isSameValue(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === undefined || other === undefined ? one === other : Buffer.compare(one, other) === 0
}

/** What merging the access of one change needs. */
export interface AsideOptions {
  /** What the journal holds. */
  readonly contentOf: (digest: Digest) => Uint8Array | null
  /** The attributes of a side that was set aside; null if they are gone. */
  readonly readAside: (side: 'before' | 'after') => Attributes | null
}

/** The same for a change, and what stays as it is because it is not known any more whether the change is about it. */
export function mergeChange(
  { before, after }: FileChange,
  now: Access,
  options: AsideOptions,
):
  | (MergedAccess & { readonly ok: false })
  | (Access & { readonly ok: true; readonly stays: readonly string[] }) {
  if (before === null || after === null) return { ok: true, ...now, stays: [] }
  const [base, wanted] = sidesOf(before, after, options)
  if (base !== null && wanted !== null) {
    const sides = [
      { mode: before.mode, attributes: base },
      { mode: after.mode, attributes: wanted },
    ] as const
    const merged = mergeAccess(...sides, now)
    return merged.ok ? { ...merged, stays: [] } : merged
  }
  const mode = mergeModes(before.mode, after.mode, now.mode)
  if (mode === null) return { ok: false, why: 'both changed its mode' }
  const attributes = withMode(now.attributes, mode)
  return { ok: true, mode, attributes, stays: nameDifferences(now.attributes, wanted ?? NONE) }
}

const NONE: Attributes = new Map()

/** The attributes of both sides; null for those that are not known any more. */
function sidesOf(
  before: FileState,
  after: FileState,
  { contentOf, readAside }: AsideOptions,
): readonly [Attributes | null, Attributes | null] {
  const isNamed = before.attributes !== undefined || after.attributes !== undefined
  if (before.attributes === after.attributes && (isNamed || (!before.held && !after.held)))
    return [NONE, NONE]
  // Where a file is named with none, the other side says that the journal knows both.
  const isKnown = isNamed && (before.held === undefined) === (after.held === undefined)
  const read = (state: FileState, side: 'before' | 'after'): Attributes | null => {
    const payload = state.attributes === undefined ? null : contentOf(state.attributes)
    if (payload !== null) return parseAttributes(payload)
    if (state.attributes === undefined && (state.held === undefined || isKnown)) return NONE
    return state.held === undefined ? null : readAside(side)
  }
  return [read(before, 'before'), read(after, 'after')]
}

/** No rights of a program at all. */
export const NO_RIGHTS: Access = { mode: 0, attributes: NONE }

/** The same access with the special rights of another. */
export function withRightsOf({ mode, attributes }: Access, other: Access): Access {
  const kept = new Map(attributes)
  setValue(kept, CAPABILITIES, other.attributes.get(CAPABILITIES))
  return { mode: (mode & ~SPECIAL_BITS) | (other.mode & SPECIAL_BITS), attributes: kept }
}
