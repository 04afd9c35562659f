import { Buffer } from 'node:buffer'
import { createWithAttributes } from '../../../src/host/fs/attributes.ts'
import type { Machine } from './machine.ts'

/** Puts a file with the mark of an overlay into the root of a machine, so that no overlay shows it. */
export function putMarked(machine: Machine, name: string, mark: string, text: string): void {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  const attributes = new Map([[`user.overlay.${mark}`, Buffer.from(mark === 'metacopy' ? '' : 'y')]])
  const file = { name, content: Buffer.from(text), mode: 0o644, uid, gid, attributes }
  if (!createWithAttributes(machine.at('work'), file)) throw new Error(`cannot create ${name}`)
}
