import { readFileSync, readlinkSync } from 'node:fs'
import { startOf } from '../run/process-tree.ts'
import { digest } from '../system/hash.ts'

/** In the folder of a layer: which process made it. */
export const OWNER_FILE = 'owner'

interface Owner {
  readonly pid: number
  readonly startedAt: number
  readonly boot: string
  /** Processes of another namespace have other numbers. */
  readonly namespace: string
}

/** Describes this process. */
export function describeOwner(): string {
  const owner: Owner = { pid: process.pid, startedAt: startOf(process.pid), ...findSystem() }
  return JSON.stringify(owner)
}

/** Whether the process that a text describes has ended; `unknown` if that cannot be seen from here. */
export function findOwner(text: string): 'running' | 'ended' | 'unknown' {
  const owner = parse(text)
  if (owner === null) return 'unknown'
  const { boot, namespace } = findSystem()
  if (owner.boot !== boot) return 'ended'
  if (owner.namespace !== namespace) return 'unknown'
  const startedAt = startOf(owner.pid)
  return startedAt !== 0 && startedAt === owner.startedAt ? 'running' : 'ended'
}

const MARK = /^(\d+)-(\d+)-([0-9a-f]{16})(?:-|$)/

/** Describes this process in a part of a name. */
export function ownerMark(): string {
  return `${process.pid}-${startOf(process.pid)}-${systemMark()}`
}

/** Whether the process that a name begins with has ended. */
export function findMarkedOwner(name: string): 'running' | 'ended' | 'unknown' {
  const [, pid, startedAt, system] = MARK.exec(name) ?? []
  if (system !== systemMark()) return 'unknown'
  return startOf(Number(pid)) === Number(startedAt) ? 'running' : 'ended'
}

function systemMark(): string {
  const { boot, namespace } = findSystem()
  return digest(`${boot} ${namespace}`).slice(0, 16)
}

function parse(text: string): Owner | null {
  try {
    const { pid, startedAt, boot, namespace } = JSON.parse(text) as Partial<Owner>
    if (typeof pid !== 'number' || typeof startedAt !== 'number') return null
    return typeof boot === 'string' && typeof namespace === 'string'
      ? { pid, startedAt, boot, namespace }
      : null
  } catch {
    return null
  }
}

function findSystem(): Pick<Owner, 'boot' | 'namespace'> {
  return {
    boot: readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    namespace: readOr(() => readlinkSync('/proc/self/ns/pid')),
  }
}

function readOr(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
