import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { errnoOf } from './errno.ts'
import { homeFolder } from './folders.ts'

/** A program that has a file open, and the lock by which that is known. */
export interface EditorLock {
  readonly editor: string
  readonly lock: string
  /** Who holds it, if the lock says so. */
  readonly holder: string | null
}

/** Vim takes the next one if there is a swap file already. */
const SWAP_ENDINGS = ['swp', 'swo', 'swn'] as const

/** From so many files on, it is quicker to list a folder once than to look for each lock. */
const MANY = 8

/** The locks that editors put beside files while they are open, or have changes that are not saved; by file, in order. */
export function findEditorLocks(files: readonly string[]): readonly (readonly EditorLock[])[] {
  const listed = new Map<string, ReadonlySet<string> | null>()
  const mayBeThere = (path: string): boolean => {
    if (files.length < MANY) return true
    const folder = dirname(path)
    if (!listed.has(folder)) listed.set(folder, namesIn(folder))
    return listed.get(folder)?.has(basename(path)) ?? true
  }
  return files.map((file) => locksOf(file, mayBeThere))
}

/** The names in a folder; null if it cannot be listed, though what is in it might still be looked at. */
function namesIn(folder: string): ReadonlySet<string> | null {
  try {
    return new Set(readdirSync(folder))
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? new Set() : null
  }
}

function locksOf(file: string, mayBeThere: (path: string) => boolean): readonly EditorLock[] {
  const folder = dirname(file)
  const name = basename(file)
  const hidden = name.startsWith('.') ? name : `.${name}`
  const candidates = [
    { editor: 'Emacs', lock: `.#${name}` },
    ...SWAP_ENDINGS.map((ending) => ({ editor: 'Vim', lock: `${hidden}.${ending}` })),
    // Neovim keeps them in one folder, named after the whole path.
    { editor: 'Neovim', lock: join(neovimFolder(), `${file.replaceAll('/', '%')}.swp`) },
    { editor: 'Kate', lock: `.${name}.kate-swp` },
    { editor: 'LibreOffice', lock: `.~lock.${name}#` },
    { editor: 'Microsoft Office', lock: `~$${name}` },
  ]
  return candidates.flatMap(({ editor, lock }) => {
    const path = resolve(folder, lock)
    // The lock of Emacs is a link that leads nowhere: its target is who holds it.
    const found = mayBeThere(path) ? lookAt(path) : null
    return found === null || isLeftBehind(editor, path, found.holder)
      ? []
      : [{ editor, lock, holder: found.holder }]
  })
}

function lookAt(path: string): { readonly holder: string | null } | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.isDirectory()) return null
    return { holder: found.isSymbolicLink() ? readlinkSync(path) : null }
  } catch {
    return null
  }
}

/** Whether the process that holds a lock ran on this machine and is dead. If that cannot be told, it counts as alive. */
function isLeftBehind(editor: string, path: string, target: string | null): boolean {
  const holder =
    editor === 'Emacs' ? readEmacsHolder(target ?? '') : editor.endsWith('im') ? readVimHolder(path) : null
  return holder !== null && holder.host === hostname() && isDead(holder.pid)
}

interface Holder {
  readonly host: string
  readonly pid: number
}

/** The target of the link is `user@host.pid`, and often `:` with the time of boot. */
function readEmacsHolder(target: string): Holder | null {
  const place = target.slice(target.lastIndexOf('@') + 1)
  const [, host = '', pid = ''] = !target.includes('@') ? [] : (/^(.+)\.(\d+)(?::\d+)?$/.exec(place) ?? [])
  return pid === '' ? null : { host, pid: Number(pid) }
}

/** The first block of a swap file: its mark, and at fixed places the process, its user and its machine. */
const VIM_HEADER = { mark: 'b0', pid: 24, host: 68, end: 108 } as const

function readVimHolder(path: string): Holder | null {
  try {
    const block = Buffer.alloc(VIM_HEADER.end)
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      if (readSync(fd, block, 0, block.length, 0) < block.length) return null
    } finally {
      closeSync(fd)
    }
    if (!block.toString('latin1').startsWith(VIM_HEADER.mark)) return null
    const [host = ''] = block.toString('utf8', VIM_HEADER.host, VIM_HEADER.end).split('\0')
    return { host, pid: block.readInt32LE(VIM_HEADER.pid) }
  } catch {
    return null
  }
}

function isDead(pid: number): boolean {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return errnoOf(error) === 'ESRCH'
  }
}

function neovimFolder(): string {
  const state = process.env['XDG_STATE_HOME'] ?? ''
  return join(!isAbsolute(state) ? join(homeFolder(process.env), '.local/state') : state, 'nvim/swap')
}
