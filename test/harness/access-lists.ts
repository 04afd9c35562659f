import { Buffer } from 'node:buffer'
import { lstatSync } from 'node:fs'
import { dirname, basename } from 'node:path'
import { readFolderAttributes, setFolderAttributes } from '../../src/host/fs/attributes.ts'

/** Whom an entry of an access list is for, and the rights it gives. */
export type ListEntry = readonly [who: keyof typeof TAGS, rights: number, id?: number]

const TAGS = { owner: 1, user: 2, ownGroup: 4, group: 8, mask: 0x10, others: 0x20 } as const
const NO_ID = 0xffffffff

/** An access list as the system keeps it. */
export function listOf(entries: readonly ListEntry[]): Buffer {
  const bodies = entries.map(([who, rights, id = NO_ID]) => {
    const body = Buffer.alloc(8)
    body.writeUInt16LE(TAGS[who], 0)
    body.writeUInt16LE(rights, 2)
    body.writeUInt32LE(id, 4)
    return body
  })
  return Buffer.concat([Buffer.of(2, 0, 0, 0), ...bodies])
}

/** Lets another user into whatever is made in a folder, and nobody else. */
export const SHARED = listOf([
  ['owner', 7],
  ['user', 7, 1600],
  ['ownGroup', 5],
  ['mask', 7],
  ['others', 0],
])

/** Lets a group change whatever is made in a folder, and others read it. */
export const OPEN = listOf([
  ['owner', 7],
  ['ownGroup', 4],
  ['group', 6, 1601],
  ['mask', 7],
  ['others', 4],
])

/** Gives a folder a default access list. */
export function setDefaultList(folder: string, list: Uint8Array): void {
  const { mode, uid, gid } = lstatSync(folder)
  const attributes = new Map([['system.posix_acl_default', list]])
  if (!setFolderAttributes(folder, { mode: mode & 0o7777, uid, gid, attributes }))
    throw new Error(`cannot give ${folder} a default list`)
}

/** Who may do what with a file or folder: its mode, owner and lists. */
export function accessOf(path: string): string {
  const { mode, uid, gid } = lstatSync(path)
  const [attributes = new Map<string, Uint8Array>()] =
    readFolderAttributes(dirname(path), [Buffer.from(basename(path))]) ?? []
  const lists = [...attributes].filter(([name]) => name.startsWith('system.posix_acl')).toSorted()
  const shown = lists.map(([name, value]) => `${name}=${Buffer.from(value).toString('hex')}`)
  return [(mode & 0o7777).toString(8), uid, gid, ...shown].join(' ')
}
